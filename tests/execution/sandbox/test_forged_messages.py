"""Lines that a program writes to its own channel: its result fails with a reason, and the next program is unharmed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from sandbox_cases import ADD

from envs.domains.fault_localisation import coverage
from envs.execution.decompose.program import decomposed, plain
from envs.execution.sandbox.sandbox import Assertion, Check, Sandbox, SandboxLimits
from envs.execution.state.effects import Effect, Question
from envs.execution.state.value_grammar import Unsupported
from envs.execution.tracer.history_recorder import Recorder
from envs.execution.tracer.reality import Reality
from tasks import CallTest

BODY = "def f(n):\n    m = n + 1\n    return m\n"
_FRAME = ["call", [["f", 3, [["n", "1"]]]], [], [], None]
_ROWS = [["n", "1"]]

LINES: dict[str, bytes] = {
    "no-json": b"d{",
    "empty": b"d",
    "null": b"dnull",
    "number": b"d7",
    "text": b'd"end"',
    "object": b"d{}",
    "empty-list": b"d[]",
    "not-a-number": b"d[NaN, Infinity]",
    "no-utf-8": b'd["\xff"]',
    "half-a-surrogate-pair": b'd["\\ud800", "\\udfff"]',
    "deep": b"d" + b"[" * 100_000,
    "deep-but-closed": b"d" + b"[" * 900 + b"]" * 900,
    "digits": b"d[" + b"9" * 5_000 + b"]",
    "unknown-kind": b'd["verdict", true]',
    "kind-of-another-type": b'd[["frame"], []]',
    "failure-that-is-no-text": b"x[[[]]]",
    "failure-that-is-no-json": b"x{{{",
}
"""Lines that no seam takes for an answer."""


def _frame(**changed: object) -> bytes:
    event, stack, heap, shared, arg = (
        changed.get(name, known)
        for name, known in zip(("event", "stack", "heap", "globals", "arg"), _FRAME, strict=True)
    )
    return b"d" + json.dumps(["frame", [event, stack, heap, shared, arg]]).encode()


def _history(
    event: object = "line", line: object = 1, rows: object = (), arg: object = None, depth: object = 1
) -> bytes:
    return b"d" + json.dumps(["frame", [event, line, rows, arg, depth]]).encode()


FRAMES: dict[str, bytes] = {
    "unknown-event": _frame(event="jump"),
    "event-of-another-type": _frame(event=["call"]),
    "no-function": _frame(stack=[]),
    "negative-line": _frame(stack=[["f", -1, _ROWS]]),
    "huge-line": _frame(stack=[["f", 10**30, _ROWS]]),
    "true-line": _frame(stack=[["f", True, _ROWS]]),
    "line-of-another-program": _frame(stack=[["f", 4, _ROWS]]),
    "function-of-another-program": _frame(stack=[["g", 3, _ROWS]]),
    "caller-at-no-line": _frame(stack=[["f", 1, _ROWS], ["f", 3, _ROWS]]),
    "no-name": _frame(stack=[["f", 3, [["n = 1; m", "1"]]]]),
    "value-that-is-no-text": _frame(stack=[["f", 3, [["n", 1]]]]),
    "row-of-three": _frame(stack=[["f", 3, [["n", "1", "2"]]]]),
    "string-without-an-end": _frame(stack=[["f", 3, [["n", "'" + "\\'" * 20_000]]]]),
    "object-that-is-not-there": _frame(stack=[["f", 3, [["n", "#1"]]]]),
    "label-of-thousands-of-digits": _frame(stack=[["f", 3, [["n", "#" + "1" * 5_000]]]]),
    "negative-label": _frame(heap=[[-1, "[]"]]),
    "huge-label": _frame(heap=[[10**30, "[]"]]),
    "value-of-a-call": _frame(arg="1"),
    "return-without-a-value": _frame(event="return", stack=[["f", 4, _ROWS]]),
    "missing-field": b'd["frame", ["call", [], []]]',
    "end-without-outcome": b'd["end", []]',
    "end-of-another-kind": b'd["end", [["won", "1"], "", null]]',
    "end-with-numbers": b'd["end", [["returned", 1], 2, 3]]',
    "outcome-that-is-none": b'd["end", [null, "", null]]',
}  # fmt: skip
"""Lines that look like those of a trace."""

HISTORIES: dict[str, bytes] = {
    "unknown-event": _history(event="jump"),
    "line-zero": _history(line=0),
    "negative-line": _history(line=-1),
    "huge-line": _history(line=10**30),
    "line-that-is-a-float": _history(line=1.0),
    "rows-that-are-none": _history(rows=None),
    "row-of-one": _history(rows=[["n"]]),
    "value-that-is-no-text": _history(rows=[["n", 1]]),
    "argument-that-is-no-text": _history(arg=[1]),
    "negative-depth": _history(depth=-1),
    "end-with-one-field": b'd["end", [["returned", "1"]]]',
}


_NO_COVERAGE = [line for line in LINES.values() if line != b"d[]"]  # a test may cover no line at all


def _forging(line: bytes, body: str = BODY) -> str:
    """A program that writes a line to its channel while its module is loaded."""
    return f"import os\nos.write(3, {line!r} + b'\\n')\n{body}"


@pytest.fixture(scope="module")
def reality(one: Sandbox) -> Iterator[Reality]:
    opened = Reality(one)
    yield opened
    opened.close()


def _question(program_line: int) -> tuple[Question, int]:
    return Question("m = n + 1", program_line, "f", (("n", "1"),), heap=()), 0


@pytest.mark.parametrize("line", [*LINES.values(), *FRAMES.values()], ids=[*LINES, *FRAMES])
def test_a_forged_line_ends_a_trace_with_its_reason(reality: Reality, line: bytes) -> None:
    found = reality.trace(decomposed(_forging(line), "f"), "1")
    assert found.outcome.ending == "truncated"
    assert found.frames == ()
    assert line.startswith(b"x") or found.unsupported is not None
    assert reality.trace(decomposed(BODY, "f"), "1").outcome.value == "2"


@pytest.mark.parametrize("line", [*LINES.values(), *HISTORIES.values()], ids=[*LINES, *HISTORIES])
def test_a_forged_line_ends_a_history(one: Sandbox, line: bytes) -> None:
    found = Recorder(one).history(plain(_forging(line), "f"), "1")
    assert (found.frames, found.outcome.ending) == ((), "truncated")
    assert Recorder(one).history(plain(BODY, "f"), "1").outcome.value == "2"


def test_a_run_sends_no_more_frames_than_its_limit(reality: Reality) -> None:
    source = f"import os\nfor _ in range(20_000): os.write(3, {_frame()!r} + b'\\n')\n{BODY}"
    program = decomposed(source, "f")
    line = next(line for (name, line) in program.layout.functions if name == "f")
    found = reality.trace(decomposed(source.replace('["f", 3,', f'["f", {line},'), "f"), "1")
    assert (len(found.frames), found.outcome.ending) == (10_000, "truncated")
    assert "more than 10,000 frames" in found.outcome.value


def test_a_program_that_cannot_be_run_may_say_so_in_any_words(reality: Reality) -> None:
    """A forged refusal is a refusal, shortened; one that is no text is a forged line."""
    found = reality.trace(decomposed(_forging(b'd["bad", 7]'), "f"), "1")
    assert found.outcome.ending == "truncated"


ANSWERS: dict[str, bytes] = LINES | {
    "too-few": b"d[]",
    "too-many": b'd[["unsupported", "a"], ["unsupported", "b"]]',
    "answer-of-another-kind": b'd[["verdict", 1]]',
    "effect-of-three": b'd[["effect", [[], [], []]]]',
    "name-of-another-type": b'd[["effect", [[[1, "1"]], [], [], null]]]',
    "name-that-waits": b'd[["effect", [[["n m", "1"]], [], [], null]]]',
    "unbound-of-another-type": b'd[["effect", [[], [[]], [], null]]]',
    "label-of-another-type": b'd[["effect", [[], [], [["1", "[]"]], null]]]',
    "reason-that-is-no-text": b'd[["unsupported", {}]]',
}


@pytest.mark.parametrize("line", ANSWERS.values(), ids=ANSWERS)
def test_a_forged_answer_is_unsupported(reality: Reality, line: bytes) -> None:
    """The first line stands for the session's own greeting, the second for its answer."""
    program = decomposed(_forging(b"dnull\n" + line), "f")
    number = next(at for at, text in enumerate(program.lines, start=1) if text.strip() == "m = n + 1")
    (found,) = reality.effects(program, [_question(number)])
    assert isinstance(found, Unsupported)
    (honest,) = reality.effects(decomposed(BODY, "f"), [_question(2)])
    assert honest == Effect((("m", "2"),))


@pytest.mark.parametrize(
    "line",
    [*_NO_COVERAGE, b"d[1.5]", b"d[-1]", b"d[0]", b"d[1000]", b'd["1"]', b"d[" + b"1," * 1_000 + b"1]", b"d[true]"],
)
def test_a_forged_coverage_is_none(one: Sandbox, line: bytes) -> None:
    tests = [CallTest("1", "2"), CallTest("2", "3")]
    forged = coverage(one, _forging(line + b"\n" + line), tests, entry="f")
    assert forged in ((None, None), (None, frozenset({4, 5})))
    assert coverage(one, BODY, tests, entry="f") == (frozenset({2, 3}),) * 2


RESULTS: dict[str, bytes] = {
    "too-large": b'd{"returned": ["l"' + b",0" * 140_000 + b"]}",
    "too-long": b'd{"returned": "' + b"a" * 300_000 + b'"}',
    "too-deep": b'd{"returned": ' + b'["l",' * 80 + b"0" + b"]" * 80 + b"}",
    "head-that-is-no-text": b'd{"returned": [["l"]]}',
    "no-head": b'd{"returned": []}',
    "key-without-value": b'd{"returned": ["d", 1]}',
    "infinite": b'd{"returned": Infinity}',
    "long-integer": b'd{"returned": ' + b"9" * 400 + b"}",
    "no-digits": b'd{"returned": ["i", "0_0"]}',
    "no-float": b'd{"returned": ["f", "1e400"]}',
    "no-bytes": b'd{"returned": ["b", "\\u2603"]}',
    "complex-of-texts": b'd{"returned": ["c", "1", "2"]}',
    "exception-that-is-no-text": b'd{"raised": ["ValueError"]}',
    "message-that-is-no-text": b'd{"raised": "ValueError", "message": {}}',
}


@pytest.mark.parametrize("line", [*LINES.values(), *RESULTS.values()], ids=[*LINES, *RESULTS])
def test_a_forged_result_fails_its_test(one: Sandbox, line: bytes) -> None:
    """Checks, assertions judged outside and a `close` comparison alike; the program's later tests are its own affair."""
    source = f"import os\ndef f(n):\n    os.write(3, {line!r} + b'\\n')\n    return 2\n"
    for test in (Check("f(1)", "1"), Check("f(1)", "1.0", "close"), Assertion("assert f(1) == 1")):
        (verdict,) = one.run_tests(source, [test], entry="f")
        assert not verdict.passed
        assert verdict.value.isprintable()
    assert one.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")[0].passed


def test_a_line_without_end_meets_the_output_limit(one: Sandbox) -> None:
    """A line longer than 16 MiB is not kept, whatever the output limit allows."""
    source = "import os\ndef f():\n    while True: os.write(3, b'd' * 65_536)\n"
    limits = SandboxLimits(cpu_s=5.0, output_bytes=1 << 30)
    (verdict,) = one.run_tests(source, [Check("f()", "1")], entry="f", limits=limits)
    assert verdict.outcome == "output"


def test_text_that_cannot_be_encoded_is_written_as_escapes(one: Sandbox) -> None:
    """An honest message with half a surrogate pair can be printed and saved."""
    source = "def f():\n    raise ValueError('\\ud800')\n"
    (verdict,) = one.run_tests(source, [Check("f()", "1")], entry="f")
    assert verdict.value == "ValueError: \\ud800"
