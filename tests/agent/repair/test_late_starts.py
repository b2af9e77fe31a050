"""Candidates are decomposed when they first advance, and all beliefs come, those that need no rollout too."""

from collections.abc import Iterator

import pytest

from cwm_agent.agent.repair import beliefs
from cwm_agent.agent.repair.beliefs import Belief, RolloutImaginer
from cwm_agent.agent.repair.imagined_tests import StreamedTests
from cwm_agent.oracles.backends.exact import ExactOracle
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality
from tasks import CallTest

PROGRAM = '''import math

LIMITS = [1, 2]


def g(x):
    """Text."""
    return x + 1

def f(n):
    s = 0
    for i in range(n):
        s = s + g(i)
    return s
'''
TESTS = [CallTest("1", "2"), CallTest("30", "495"), CallTest("2", "5"), CallTest("1, 2", "1")]


@pytest.fixture
def imaginer() -> Iterator[RolloutImaginer]:
    with Sandbox() as sandbox:
        yield RolloutImaginer(ExactOracle(Reality(sandbox)))


CANDIDATES = [
    PROGRAM,
    PROGRAM.replace("s = 0", "s = 1"),
    PROGRAM.replace("f(n)", "f(n, m)"),  # Python refuses its calls
    PROGRAM.replace("x + 1", "x + LIMITS[0]"),
    PROGRAM.replace("s + g(i)", "s + undefined"),
    PROGRAM.replace("range(n)", "range(n"),  # no program
]


def test_every_test_of_every_candidate_gets_its_belief(imaginer: RolloutImaginer) -> None:
    streamed: StreamedTests[tuple[int, int]] = StreamedTests(imaginer, 2)
    for number, source in enumerate(CANDIDATES):
        for place, test in enumerate(TESTS):
            streamed.begin((number, place), source, "f", test, worth=int(number == 3))
    found: dict[tuple[int, int], Belief] = {}
    while len(found) < len(CANDIDATES) * len(TESTS):
        found |= dict(streamed.advance())
    calls = [(source, "f", test) for source in CANDIDATES for test in TESTS]
    assert [found[key] for key in sorted(found)] == imaginer.beliefs(calls)


def test_a_candidate_that_never_advances_is_not_decomposed(
    imaginer: RolloutImaginer, monkeypatch: pytest.MonkeyPatch
) -> None:
    streamed: StreamedTests[str] = StreamedTests(imaginer, 1)
    streamed.begin("first", PROGRAM, "f", TESTS[0])
    seen: list[str] = []
    start = beliefs.RolloutImaginer.start
    monkeypatch.setattr(
        beliefs.RolloutImaginer, "start", lambda self, source, *rest: seen.append(source) or start(self, source, *rest)
    )
    others = [PROGRAM.replace("s = 0", f"s = {number}") for number in range(1, 9)]
    for source in others:
        streamed.begin(source, source, "f", TESTS[0])
    assert not seen
    while len(streamed.advance()) == 0:
        pass
    assert len(seen) < len(others)


def test_a_belief_that_needs_no_rollout_comes_when_its_turn_comes(
    imaginer: RolloutImaginer, monkeypatch: pytest.MonkeyPatch
) -> None:
    streamed: StreamedTests[str] = StreamedTests(imaginer, 1)
    other = PROGRAM.replace("s = 0", "s = 7")
    start = beliefs.RolloutImaginer.start
    monkeypatch.setattr(
        beliefs.RolloutImaginer,
        "start",
        lambda self, source, *rest: Belief(None, value="late") if source == other else start(self, source, *rest),
    )
    streamed.begin("other", other, "f", TESTS[0])
    assert streamed.advance() == []
    assert streamed.advance() == [("other", Belief(None, value="late"))]
