"""Cached steps are the steps that rules and the oracle take: the same frames, one by one, and the same counts."""

from collections.abc import Sequence
from hashlib import sha256
from random import Random

import pytest
from library_programs import LIBRARY
from local_worlds import exact, small, traced
from markov_programs import PROGRAMS
from test_non_termination import ENDS, NEVER

from benchmarks.imagination_parts.imagination_work import dev_tasks, starts
from benchmarks.random_programs.program_generator import arguments as random_arguments
from benchmarks.random_programs.program_generator import program as random_program
from benchmarks.step_cache import Plain
from cwm_agent.imagination.rollout_loop import Rollout, RolloutLoop, RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.protocol import Answer, Oracle, Prediction, Query
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from envs.editing.edit_generation import edits
from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect
from envs.execution.stepper.stepper import Stepper

TASKS = ["game-of-life", "tape-machine", "seat-booking", "knapsack-table", "league-table", "anagram-groups"]
ODD = ["0", "'a'", "[]", "[1, [2]]", "{}", "set()", "cell(3)", "(1, [])", "{1: 2}", "iter(range(0, 3))", "len", "?odd"]
ODD += ["[[", "deque([1])", "g@3(#1)", "{'a': [1]}", "'#1'", "None", "range(0, 4)"]


class Wrong:
    """Python's answers, some of them spoilt: other values, objects, contents, names unbound, exceptions.

    A frame that is asked about again gets the same answer, even if that shows an address in memory.
    """

    name = "wrong"

    def __init__(self, rate: float) -> None:
        self._inner = exact()
        self._rate = rate
        self._told: dict[Query, Prediction] = {}

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        new = [query for query in dict.fromkeys(queries) if query not in self._told]
        for query, prediction in zip(new, self._inner.imagine(new), strict=True):
            self._told[query] = self._spoilt(query, prediction)
        return [self._told[query] for query in queries]

    def _spoilt(self, query: Query, prediction: Prediction) -> Prediction:
        question = query.question
        if question is None or not isinstance(prediction.said, Answer):
            return prediction
        words = repr((question.statement, question.reads, question.heap))
        rng = Random(sha256(words.encode()).digest())
        effect = prediction.said.effect
        if rng.random() < self._rate:
            effect = _odd(effect, [label for label, _ in question.heap], rng)
        return Prediction(Answer(effect), -rng.random(), 3)


def _odd(effect: Effect, labels: list[int], rng: Random) -> Effect:
    some = rng.choice(labels) if labels else 1
    text = rng.choice([*ODD, f"#{some}", f"[#{some}, [#{some}]]"])
    names = [name for name, _ in effect.bound]
    return rng.choice(
        [
            Effect(tuple((name, text) for name in names), effect.unbound, effect.contents),
            Effect(effect.bound, (), ((some, text),)),
            Effect(effect.bound, (), ((some, rng.choice(["[1, 2]", "{1: 2, 3: 4}", "{5, 6}"])),)),
            Effect((), tuple(names), effect.contents),
            Effect(raised="ValueError('x')"),
        ]
    )


def rolled_out(
    begun: Sequence[RolloutStart], oracle: Oracle, settings: RolloutSettings, width: int
) -> list[tuple[int, Rollout]]:
    """The rollouts in the order in which they end."""
    imagining: RolloutLoop[int] = RolloutLoop(oracle, width)
    for number, start in enumerate(begun):
        imagining.begin(number, start, settings, worth=number % 2)
    found: list[tuple[int, Rollout]] = []
    while len(imagining):
        found += imagining.advance()
    return found


def assert_same(begun: Sequence[RolloutStart], rate: float = 0.0, steps: int = 300) -> None:
    """Three times over, so that all is learned and used: equal rollouts, in equal order, for equal counts."""
    oracle = Wrong(rate)
    swift, slow = CachedOracle(oracle), CachedOracle(oracle)
    settings = RolloutSettings(whole=False, detects_non_termination=True, steps=steps)
    for _ in range(3):
        found = rolled_out(begun, swift, settings, 8)
        assert found == rolled_out(begun, Plain(slow), settings, 8)
        assert (swift.asked, swift.hits) == (slow.asked, slow.hits)


def assert_cached_steps_equal(program: Program, start: RolloutStart) -> tuple[int, int]:
    """Assert that every cached step gives the frame of the plain loop; return all steps and the cached ones."""
    cached = CachedOracle(exact())
    for _ in range(3):
        imagine([start], cached, RolloutSettings(whole=False))
    [whole] = imagine([start], cached)
    assert cached.step_cache is not None
    stepper, at, taken = Stepper(program), 0, 0
    while at < len(whole.frames) - 1:
        state = cached.step_cache.compiler(stepper, whole.frames[at]).open(whole.frames[at])
        while state is not None and state.now.step(state):
            at, taken = at + 1, taken + 1
            assert state.frame() == whole.frames[at], program.lines[whole.frames[at - 1].line - 1]
        at += 1
    return whole.steps, taken


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_frame_of_a_cached_step_is_the_one_that_rules_write(name: str) -> None:
    program, real = small(name)
    assert_cached_steps_equal(program, RolloutStart(program, real.frames[0]))


@pytest.mark.parametrize("name", LIBRARY)
def test_the_same_holds_for_programs_that_use_the_library(name: str) -> None:
    program, real = traced(*LIBRARY[name])
    assert_cached_steps_equal(program, RolloutStart(program, real.frames[0]))


def test_most_steps_of_a_plain_program_are_cached() -> None:
    task = next(task for task in dev_tasks() if task.id == "game-of-life")
    start = starts(task, task.source)[0]
    steps, taken = assert_cached_steps_equal(start.program, start)
    assert taken > 0.98 * steps


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_random_programs_come_to_the_same_frames(seed: int) -> None:
    program, real = traced(random_program(seed), random_arguments(seed)[0])
    assert_cached_steps_equal(program, RolloutStart(program, real.frames[0], steps=250))


@pytest.mark.parametrize("rate", [0.0, 0.08])
def test_rollouts_are_the_same_with_the_step_cache_and_without(rate: float) -> None:
    """Those of the shared small programs, learned from each other, whatever the oracle says."""
    cases = [traced(*case) for case in [*PROGRAMS.values(), *NEVER.values(), *ENDS.values()]]
    assert_same([RolloutStart(program, real.frames[0]) for program, real in cases], rate)


@pytest.mark.parametrize("rate", [0.0, 0.08])
@pytest.mark.parametrize("name", TASKS)
def test_candidates_of_a_repair_are_the_same_with_the_step_cache_and_without(name: str, rate: float) -> None:
    task = next(task for task in dev_tasks() if task.id == name)
    sources = [edit.apply(task.source) for edit in edits(task.source)]
    Random(name).shuffle(sources)
    assert_same([start for source in sources[:4] for start in starts(task, source, 0, 2)], rate, steps=150)


def test_what_was_learned_without_an_iterator_is_not_done_under_one() -> None:
    """A dict that grows twice while somebody iterates over it is for the stepper to refuse."""
    source = "def f(n):\n    d = {}\n    if n:\n        it = iter(d)\n    d[1] = 0\n    d[2] = 0\n    return len(d)"
    cases = [traced(source, arguments) for arguments in ("0", "0", "1", "0", "1")]
    assert_same([RolloutStart(program, real.frames[0]) for program, real in cases])


def test_what_is_forgotten_is_learned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envs.execution.step_cache.step_cache.MOST_EFFECT_BYTES", 4_000)
    monkeypatch.setattr("envs.execution.step_cache.step_cache.MOST_PROGRAM_BYTES", 40_000)
    cases = [small(name) for name in list(PROGRAMS)[:10]]
    assert_same([RolloutStart(program, real.frames[0]) for program, real in cases])


@pytest.mark.parametrize("steps", range(1, 40, 3))
def test_a_limit_of_steps_stops_where_it_did(steps: int) -> None:
    cases = [small(name) for name in list(PROGRAMS)[:20]]
    assert_same([RolloutStart(program, real.frames[0]) for program, real in cases], steps=steps)


UNUSUAL = {
    "a name that is not bound in a part that is not reached": (
        "x: int\n    y = 1 if n else z\n    z = 2\n    return y",
        "1",
    ),
    "a key that is none": ("x: int\n    if n:\n        return {[1]: 2}\n    return 0", "1"),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_lines_that_are_left_whole_end_as_without_the_step_cache(name: str) -> None:
    body, argument = UNUSUAL[name]
    program, real = traced(f"def f(n):\n    {body}\n", argument)
    cached = CachedOracle(exact())
    for _ in range(3):
        imagining: RolloutLoop[int] = RolloutLoop(cached)
        imagining.begin(0, RolloutStart(program, real.frames[0]), RolloutSettings(whole=False))
        found: list[tuple[int, Rollout]] = []
        while not found:
            found = imagining.advance()
        [plain] = imagine([RolloutStart(program, real.frames[0])], exact())
        assert (found[0][1].end, found[0][1].outcome) == (plain.end, plain.outcome)
