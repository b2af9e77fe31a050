"""Fuzzes the lines that a fork sends: forged frames, effects and coverage are Unsupported, and never a traceback."""

from collections.abc import Iterator
from functools import cache
from typing import Any, cast

from hypothesis import strategies as st

from benchmarks.fuzzers import small_worlds
from benchmarks.fuzzers.harness.fuzzer import Data, Fuzzer
from benchmarks.fuzzers.harness.mutations import changed_json, json_values
from envs.execution.sandbox.isolation.jobs import End
from envs.execution.sandbox.isolation.limits import SandboxLimits
from envs.execution.sandbox.sandbox import Assertion, Check, Sandbox
from envs.execution.sandbox.verdicts import verdicts
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.text.json_records import effect_record, frame_record, outcome_record
from envs.execution.tracer.history_recorder import Recorder
from envs.execution.tracer.reality import Reality


class ForgedStream:
    """The lines of a job, as a hostile fork would send them."""

    def __init__(self, lines: list[Data]) -> None:
        self._lines = lines
        self.end = End("exit", 0, 0.0, "")

    def __iter__(self) -> Iterator[Data]:
        yield from self._lines

    def __enter__(self) -> "ForgedStream":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> End:
        return self.end

    def request(self, data: object) -> Data:
        return self._lines[0] if self._lines else None

    def close(self) -> End:
        return self.end


class ForgedSandbox:
    """A sandbox in which every job sends the same lines; runs nothing."""

    def __init__(self, lines: list[Data]) -> None:
        self._lines = lines

    def stream(self, *_: object, **__: object) -> ForgedStream:
        return ForgedStream(self._lines)

    open = session = stream

    def sessions(self, *_: object, **__: object) -> "ForgedSandbox":
        return self

    def close(self) -> None:
        """Nothing is open."""


@cache
def _honest() -> tuple[list[Data], ...]:
    """What honest runs send: a trace, a history, and the answers of the exact oracle."""
    found: list[list[Data]] = []
    for _, real in small_worlds.traces():
        frames = [["frame", frame_record(frame)] for frame in real.frames]
        found.append([*frames, ["end", [outcome_record(real.outcome), real.output, real.unsupported]]])
    for _, history in small_worlds.histories():
        rows = [["frame", [each.event, each.lines[0], each.locals, each.arg, each.depth]] for each in history.frames]
        found.append([*rows, ["end", [outcome_record(history.outcome), history.output]]])
    return tuple(found)


def _lines() -> st.SearchStrategy[Data]:
    runs = st.sampled_from(_honest()).map(lambda lines: lines[-3:])
    words = ["frame", "end", "bad", "line", "returned", "#1", "[1]"]
    single = st.tuples(st.sampled_from(words) | json_values(), json_values()).map(list)
    lines = runs | changed_json(runs, words) | st.lists(single | json_values(), max_size=3)
    return lines.filter(lambda found: isinstance(found, list))


def _check_runs(data: Data) -> str:
    sandbox = cast(Sandbox, ForgedSandbox(data))
    program, _ = small_worlds.traces()[0]
    written, _ = small_worlds.histories()[0]
    words: list[str] = []
    for run in (Reality(sandbox).trace, Recorder(sandbox).history):
        try:
            words.append(str(run(written if words else program, "[1]").outcome.ending))
        except ExecutionError as error:
            words.append(type(error).__name__)
    return " ".join(words)


def _effects() -> st.SearchStrategy[Data]:
    right: list[Data] = [
        ["effect", [[["t", "1"]], [], [[1, "[1]"]], None]],
        ["unsupported", "a reason"],
        ["effect", [[], ["t"], [], "ValueError('no')"]],
    ]
    answers = st.lists(st.sampled_from(right), max_size=3)
    return answers | changed_json(answers, ["effect", "unsupported"]) | json_values()


def _check_effects(data: Data) -> str:
    sandbox = cast(Sandbox, ForgedSandbox([data]))
    query, _ = small_worlds.queries("local")[0]
    assert query.question is not None
    answers = Reality(sandbox).effects(query.program, [(query.question, 5), (query.question, 5)])
    assert len(answers) == 2
    for answer in answers:
        if isinstance(answer, Exception):
            assert isinstance(answer, ExecutionError)
        else:
            effect_record(answer)
    return " ".join(type(answer).__name__ for answer in answers)


def _results() -> st.SearchStrategy[Data]:
    right: list[Data] = [
        {"returned": 3, "cpu_s": 0.1},
        {"raised": "ValueError", "message": "no"},
        {"returned": ["l", 1]},
    ]
    lines = st.lists(st.sampled_from(right), max_size=5)
    return (lines | changed_json(lines, ["returned", "raised"])).filter(lambda found: isinstance(found, list))


def _check_results(data: Data) -> str:
    tests: list[Check | Assertion] = [
        Check("f(1)", "3"),
        Assertion("assert f(1) == 3"),
        Assertion("x = f(1)\nassert x"),
        Check("f(2)", "1.5", "close"),
    ]
    if not data:
        data = [None]
    found: dict[int, Any] = dict(
        verdicts(
            cast(Sandbox, ForgedSandbox(data * 5)),
            "def f(x): return 3",
            tests,
            "f",
            limits=SandboxLimits(),
            stop_early=False,
        )
    )
    assert sorted(found) == [0, 1, 2, 3]
    return " ".join(found[index].outcome for index in sorted(found))


FUZZERS = (
    Fuzzer("fork-runs", "lines of a run are a trace or an ExecutionError", _lines, _check_runs),
    Fuzzer("fork-effects", "lines of the exact oracle are effects or Unsupported", _effects, _check_effects),
    Fuzzer(
        "fork-results",
        "lines of tests are one verdict for each test",
        _results,
        _check_results,
        calls_per_character=2_000,
    ),
)
