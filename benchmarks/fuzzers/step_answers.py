"""Fuzzes a model's answers in the local and the program view: parsed, applied to the frame, and rolled out."""

from collections.abc import Sequence
from functools import cache, lru_cache

from hypothesis import strategies as st

from benchmarks.fuzzers import small_worlds
from benchmarks.fuzzers.harness.fuzzer import Data, Fuzzer
from benchmarks.fuzzers.harness.mutations import changed_text, nested, pieces, repeated
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.rollout_loop import RolloutSettings, RolloutStart, imagine
from cwm_agent.imagination.successors import Successors
from cwm_agent.oracles.protocol import Answer, Malformed, MarkovView, Prediction, Query, Unanswerable
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.views.local import local_view
from cwm_agent.views.local.effect_text import MalformedAnswer, ShownQuestion
from cwm_agent.views.program import program_view
from cwm_agent.views.program.program_view import ProgramAnswer
from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect
from envs.execution.state.value_grammar import ImpossibleState, Unsupported
from envs.execution.stepper.exact_effects import ExactEffects

WORDS = [
    "v0=", "v1=", "t=", "xs=", "_1=", "#1=", "#2=", "#3[", "#9{", "del ", "del #1[", "!", "~", "..", "..+", "+..",
    "=..|{",
    "=..-{", "[", "]", "{", "}", "(", ")", ", ", ": ", "\n", "5", "-1", "'a'", "[0]*99999", "'a'*999999", "iter(#1, 0)",
    "ValueError('no')", "StopIteration()", "Box(n=", "up@9(", "None", "#1", "#2", "7\n", "12", "?x", "[0:0]=[",
    "range(0, 9)",
]  # fmt: skip
GUIDES = ("free", "cfg", "grounded")


@lru_cache(maxsize=16)
def _exact(program: Program) -> ExactEffects:
    return ExactEffects(program)


def _exact_answer(query: Query) -> str:
    """What a perfect model writes; empty where the view cannot express the question."""
    assert query.question is not None
    try:
        effect = _exact(query.program).effect(query.question, max([0, *dict(query.frame.heap)]))
        if query.view == "local":
            return local_view.answer(local_view.ask(query.question), effect)
        line = None if effect.raised is not None else query.frame.line + 1
        return program_view.answer(program_view.ask(query.program, query.frame), ProgramAnswer(line, effect))
    except Unsupported:
        return ""


@cache
def _right_answers(view: MarkovView) -> tuple[tuple[int, str], ...]:
    return tuple((at, _exact_answer(query)) for at, (query, _) in enumerate(small_worlds.queries(view)))


def _texts(view: MarkovView) -> st.SearchStrategy[str]:
    right = st.sampled_from([text for _, text in _right_answers(view)])
    deep = (
        nested("v0=[", "", "]") | nested("#1=[#", "9[]", "]", 99) | nested("v0=#9[", "", "]") | nested("t=(", "", ")")
    )
    long = repeated(["v0=1\n", "#1=..+[1]\n", "v0=..+'a'\n", "del #1[0]\n", "#9", "[0]*999", "..", "~x\n"])
    return right | changed_text(right, WORDS) | pieces(WORDS) | deep | long


def _answers(view: MarkovView) -> st.SearchStrategy[Data]:
    paired = st.sampled_from(_right_answers(view)).flatmap(
        lambda pair: st.tuples(st.just(pair[0]), changed_text(st.just(pair[1]), WORDS))
    )
    count = len(small_worlds.queries(view))
    return (paired | st.tuples(st.integers(0, count - 1), _texts(view))).map(list)


def _parsed(query: Query, text: str) -> tuple[ShownQuestion, Effect, int | None]:
    assert query.question is not None
    if query.view == "local":
        asked = local_view.ask(query.question)
        return asked, local_view.effect(asked, text), None
    asked = program_view.ask(query.program, query.frame)
    answer = program_view.read_answer(asked, text)
    return asked, answer.effect, answer.line


def _check(view: MarkovView, data: Data) -> str:
    at, text = data
    worlds = small_worlds.queries(view)
    query, stepper = worlds[at % len(worlds)]  # a corpus may come from a version with more of them
    try:
        asked, effect, line = _parsed(query, text)
    except (MalformedAnswer, Unsupported) as error:
        return type(error).__name__
    _written_again(asked, effect)
    if line is not None and not Successors.of(query.program).is_step(line, query.frame.line):
        return "no step"
    try:
        following = stepper.tell(query.frame, effect, line)
        return type(stepper.ask(following)).__name__ if hasattr(following, "stack") else "Outcome"
    except (ImpossibleState, Unsupported) as error:
        return type(error).__name__


def _written_again(asked: ShownQuestion, effect: Effect) -> None:
    """An effect that was read from an answer can be written and read again."""
    try:
        text = local_view.answer(asked, effect)
    except (ImpossibleState, RecursionError):
        return
    try:
        program_view.read_answer(asked, f"1\n{text}")
    except MalformedAnswer:
        return


class _Scripted:
    """An oracle that says given texts in turn, whatever it is asked, and the right answer where the text is None."""

    name = "scripted"
    deterministic = True

    def __init__(self, texts: Sequence[str | None]) -> None:
        self._texts, self._said = texts, 0

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [self._prediction(query) for query in queries]

    def _prediction(self, query: Query) -> Prediction:
        text = self._texts[self._said % len(self._texts)]
        self._said += 1
        if text is None:
            text = _exact_answer(query) if query.question is not None else "1"
        try:
            _, effect, line = _parsed(query, text) if query.question is not None else (None, Effect(), 1)
            return Prediction(Answer(effect, line), -1.0)
        except MalformedAnswer as error:
            return Prediction(Malformed(text, str(error)))
        except Unsupported as error:
            return Prediction(Unanswerable(str(error)))


def _scripts() -> st.SearchStrategy[Data]:
    right = st.integers(0, 12).map(lambda count: [None] * count)
    wrong = st.lists(_texts("local") | _texts("program"), min_size=1, max_size=3)
    texts = st.tuples(right, wrong).map(lambda parts: [*parts[0], *parts[1]]) | wrong
    programs = st.integers(0, len(small_worlds.PROGRAMS) - 1)
    return st.tuples(programs, st.integers(0, len(GUIDES) - 1), st.booleans(), texts).map(list)


def _roll_out(data: Data) -> str:
    number, guide, cached, texts = data
    program, real = small_worlds.traces()[number]
    oracle = CachedOracle(_Scripted(texts)) if cached else _Scripted(texts)
    settings = RolloutSettings(guide=parse_guide(GUIDES[guide]), steps=30)
    (rollout,) = imagine([RolloutStart(program, real.frames[0])], oracle, settings)
    assert rollout.steps <= 31
    return rollout.end


FUZZERS = (
    Fuzzer(
        "local-answers", "an answer is an effect or malformed; applied, a frame or impossible",
        lambda: _answers("local"), lambda data: _check("local", data),
    ),
    Fuzzer(
        "program-answers", "an answer is a line and an effect, or malformed; applied, a frame or impossible",
        lambda: _answers("program"), lambda data: _check("program", data),
    ),
    Fuzzer(
        "rollouts", "whatever an oracle says, a rollout ends with a reason",
        _scripts, _roll_out, calls_per_character=2_000,
    ),
)  # fmt: skip
