"""Real runs: limits, exceptions, output, what is reported as unsupported, and the order of events."""

import json

import pytest
from local_worlds import traced
from markov_programs import PROGRAMS

from benchmarks import execution as benchmark
from envs.execution.decompose.program import decomposed, plain
from envs.execution.state.frames import Frame, Outcome, Trace
from envs.execution.state.value_grammar import references
from envs.execution.text.json_records import frame_from, frame_record
from envs.execution.tracer.tracer import TraceLimits, trace

LOOP = "def f(n):\n    t = 0\n    while t < n:\n        t += 1\n    return t"
PRINTS = "def f(n):\n    for i in range(n):\n        print(i)\n    return n"
GROWS = "def f(n):\n    s = 'x'\n    for i in range(n):\n        s = s + s\n    return len(s)"


@pytest.mark.parametrize(
    ("source", "arguments", "limits", "value"),
    [
        pytest.param(LOOP, "10**9", TraceLimits(steps=50), "steps", id="steps"),
        pytest.param(GROWS, "12", TraceLimits(characters=1_000), "characters", id="characters"),
        pytest.param(PRINTS, "10**9", TraceLimits(output=100), "output", id="output"),
    ],
)
def test_a_run_beyond_a_limit_is_truncated_and_says_by_which(
    source: str, arguments: str, limits: TraceLimits, value: str
) -> None:
    assert trace(decomposed(source, "f"), arguments, limits).outcome == Outcome("truncated", value)


def test_the_limit_of_steps_is_the_number_of_frames() -> None:
    assert len(trace(decomposed(LOOP, "f"), "10**9", TraceLimits(steps=50))) == 50


@pytest.mark.parametrize(
    ("body", "limits", "value"),
    [
        ("n += i", TraceLimits(steps=60), "steps"),
        ("n += i", TraceLimits(characters=200), "characters"),
        ("print(i)", TraceLimits(output=20), "output"),
    ],
)
def test_a_program_that_catches_everything_is_truncated_all_the_same(
    body: str, limits: TraceLimits, value: str
) -> None:
    source = f"def f(n):\n    for i in range(100):\n        try:\n            {body}\n        except:\n            pass\n    return n"
    real = trace(decomposed(source, "f"), "0", limits)
    assert real.outcome == Outcome("truncated", value)
    assert len(real) <= 700


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_run_within_its_limits_is_whole(name: str) -> None:
    program, real = traced(*PROGRAMS[name])
    exact = TraceLimits(steps=len(real))
    assert trace(program, PROGRAMS[name][1], exact) == real


def events(real: Trace) -> list[tuple[str, str]]:
    return [(frame.event, frame.function) for frame in real.frames]


def test_events_stand_in_the_order_they_happen() -> None:
    source = "def g(x):\n    return x\ndef f(x):\n    y = g(x)\n    return y"
    _, real = traced(source, "3")
    assert events(real) == [
        ("call", "f"),
        ("line", "f"),
        ("call", "g"),
        ("line", "g"),
        ("return", "g"),
        ("line", "f"),
        ("return", "f"),
    ]
    assert [frame.depth for frame in real.frames] == [1, 1, 2, 2, 2, 1, 1]
    assert real.frames[0].locals == (("x", "3"),)
    assert real.frames[-1].arg == "3"
    assert real.outcome == Outcome("returned", "3")


def test_a_caught_exception_is_a_frame_and_the_run_goes_on() -> None:
    source = "def f(x):\n    try:\n        x = 1 // x\n    except ZeroDivisionError as e:\n        x = 5\n    return x"
    _, real = traced(source, "0")
    raised = [frame for frame in real.frames if frame.event == "exception"]
    assert [frame.arg for frame in raised] == ["ZeroDivisionError('integer division or modulo by zero')"]
    assert real.outcome == Outcome("returned", "5")
    handler = real.frames[real.frames.index(raised[0]) + 1]
    assert dict(handler.locals)["@2"].startswith("raise ZeroDivisionError("), "what waits at the try is in the frame"


def test_an_uncaught_exception_passes_every_caller_and_is_the_outcome() -> None:
    source = "def g(d):\n    return d['k']\ndef f(d):\n    return g(d)"
    _, real = traced(source, "{}")
    assert events(real)[-2:] == [("exception", "g"), ("exception", "f")]
    assert real.outcome == Outcome("raised", "KeyError('k')")


def test_printed_output_is_kept_and_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    _, real = traced("def f(n):\n    print(n)\n    print('b', end='!')\n    return n", "4")
    assert real.output == "4\nb!"
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("source", "arguments", "reason"),
    [
        ("def f(n):\n    s = 'x' * n\n    return len(s)", "30000", "str of 30000 characters"),
        ("def f(n):\n    o = memoryview(b'')\n    return n", "1", "memoryview"),
        ("def f(s):\n    t = s + '?'\n    return t", "'?a'", None),
    ],
)
def test_what_a_frame_cannot_show_is_reported_with_its_reason(source: str, arguments: str, reason: str | None) -> None:
    assert traced(source, arguments)[1].unsupported == reason


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_frame_is_complete_and_shows_no_address(name: str) -> None:
    """Every reference of a frame is in its heap, no text shows a memory address, and JSON keeps the frame."""
    program, found = traced(*PROGRAMS[name])
    for frame in found.frames:
        rows = [
            *frame.globals,
            *frame.heap,
            *[row for each in frame.stack for row in each.locals],
            ("", frame.arg or ""),
        ]
        mentioned = {label for _, text in rows for label in references(text)}
        assert mentioned == {label for label, _ in frame.heap}
        assert not any("0x" in text for _, text in rows)
        assert frame_from(json.loads(json.dumps(frame_record(frame))), program) == frame


def test_temporaries_are_shown_only_while_they_are_needed() -> None:
    _, real = traced("def f(a):\n    return a * 2 + 1", "3")
    shown = [
        [name for name, _ in frame.locals if name.startswith("_")] for frame in real.frames if frame.event == "line"
    ]
    assert shown == [[], ["_1"], ["_2"]]
    assert all(not name.startswith("_") for name, _ in real.frames[-1].locals)


def test_a_plain_program_is_traced_line_by_line_as_written() -> None:
    source = "def g(x):\n    return x + 1\n\ndef f(xs):\n    t = 0\n    for x in xs:\n        t += g(x)\n    return t\n"
    real = trace(plain(source, "f"), "[5, 6]")
    assert [frame.line for frame in real.frames if frame.function == "f"] == [4, 5, 6, 7, 6, 7, 6, 8, 8]
    assert ("call", "g") in events(real)
    assert real.outcome == Outcome("returned", "13")
    assert all(not name.startswith(("_", "@")) for frame in real.frames for name, _ in frame.locals)


def test_frames_can_be_handed_over_one_by_one() -> None:
    kept: list[Frame] = []
    program, real = traced(*PROGRAMS["recursion"])
    streamed = trace(program, PROGRAMS["recursion"][1], emit=kept.append)
    assert tuple(kept) == real.frames
    assert streamed.frames == ()
    assert streamed.outcome == real.outcome


def test_a_line_after_a_form_feed_is_still_the_line_that_Python_counts() -> None:
    program = plain("def f(x):\n\x0c    y = x\n    return y\n", "f")
    assert program.lines[2] == "    return y"
    assert [program.lines[frame.line - 1].strip() for frame in trace(program, "1").frames][-1] == "return y"


def test_the_outcome_is_what_came_back_not_what_the_last_frame_passed() -> None:
    """A wrapper that is no function of that name continues after the last frame."""
    source = (
        "def more(g):\n    def wrapper(xs):\n        ys = g(xs)\n        ys.append(9)\n        return ys\n    return wrapper\n"
        "@more\ndef f(xs):\n    return xs\n"
    )
    real = trace(decomposed(source, "f"), "[1]")
    assert (real.frames[-1].arg, real.frames[-1].heap) == ("#1", ((1, "[1]"),))
    assert real.outcome.value == "[1, 9]"


def test_the_bare_trace_function_of_the_benchmark_sees_the_whole_run_though_a_repr_fails() -> None:
    """An object under construction has no attributes yet, so that its repr raises; the run must go on."""
    source = "class A:\n    def __init__(self, v):\n        self.v = v\n    def __repr__(self):\n        return str(self.v)\n"
    program = decomposed(source + "def f(x):\n    a = A(x)\n    print('reached')\n    return a\n", "f")
    benchmark.bare(program, "3")
    assert benchmark.events(program, "3") >= len(trace(program, "3"))
