"""Candidates are decomposed when they first advance; beliefs and their order stay those of candidates begun at once."""

from collections.abc import Iterator

import pytest

from cwm_agent.agent.repair import beliefs
from cwm_agent.agent.repair.beliefs import Belief, RolloutImaginer
from cwm_agent.agent.repair.imagined_tests import StreamedTests
from cwm_agent.agent.repair.start_forecast import StartForecast
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


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        pytest.param("s = 0", "s = 1", True, id="a constant"),
        pytest.param("    return s\n", "    if s > LIMITS[0]:\n        return 0\n    return s\n", True, id="new lines"),
        pytest.param("    return s\n", "    return s\n    s = math.inf\n", True, id="behind the last line"),
        pytest.param("        s = s + g(i)\n", "        pass\n", True, id="a line less"),
        pytest.param("f(n)", "f(n, m)", False, id="a header"),
        pytest.param("[1, 2]", "[1, g(2)]", False, id="the module level"),
        pytest.param("s = 0", "s = input()", False, id="a source"),
        pytest.param("s = 0", "s = yield", False, id="a generator"),
        pytest.param("s = 0", "s = (", False, id="no program"),
        pytest.param("    return s\n", "return s\n", False, id="outside"),
        pytest.param(
            "return x + 1\n\ndef f(n):\n    s = 0", "return x\n\ndef f(n):\n    s = 1", False, id="two bodies"
        ),
    ],
)
def test_a_start_is_forecast_for_changes_inside_one_body(before: str, after: str, same: bool) -> None:
    assert before in PROGRAM
    assert StartForecast.of(PROGRAM).is_same(PROGRAM.replace(before, after)) is same


@pytest.mark.parametrize(
    "more",
    [
        pytest.param("class C:\n    pass\n", id="a class"),
        pytest.param("TABLE = dict(a=1)\n", id="a variable that only a run can tell"),
        pytest.param("def h():\n    return input()\n", id="a source"),
        pytest.param("@cache\ndef h():\n    return 1\n", id="a decorator"),
    ],
)
def test_nothing_is_forecast_for_programs_that_may_begin_otherwise(more: str) -> None:
    program = f"{PROGRAM}\n{more}"
    assert not StartForecast.of(program).is_same(program.replace("s = 0", "s = 1"))


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


def imagined(streamed: StreamedTests[tuple[int, int]]) -> list[list[tuple[tuple[int, int], Belief]]]:
    for number, source in enumerate(CANDIDATES):
        for place, test in enumerate(TESTS):
            streamed.begin((number, place), source, "f", test, preferred=number == 3)
    rounds = []
    while sum(map(len, rounds)) < len(CANDIDATES) * len(TESTS):
        rounds.append(streamed.advance())
    return rounds


def test_beliefs_come_in_the_same_order_as_without_a_forecast(imaginer: RolloutImaginer) -> None:
    assert imagined(StreamedTests(imaginer, 2, PROGRAM)) == imagined(StreamedTests(imaginer, 2))


def test_a_candidate_that_never_advances_is_not_decomposed(
    imaginer: RolloutImaginer, monkeypatch: pytest.MonkeyPatch
) -> None:
    streamed: StreamedTests[str] = StreamedTests(imaginer, 1, PROGRAM)
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


def test_a_forecast_that_fails_gives_a_belief_later(imaginer: RolloutImaginer, monkeypatch: pytest.MonkeyPatch) -> None:
    streamed: StreamedTests[str] = StreamedTests(imaginer, 1, PROGRAM)
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
