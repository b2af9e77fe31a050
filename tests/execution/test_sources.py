"""Programs that read sources: frames hold each source's position, so the next step still follows from one frame."""

import contextlib
import doctest
import io
import random
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from source_programs import FILES, LINES, SOURCES
from test_stepper import first_difference

from envs.execution.decompose.program import decomposed
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.sources.counted_random import CountedRandom, random_at
from envs.execution.sources.source_set import SourceSet
from envs.execution.sources.source_use import used_sources
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import ImpossibleState, Unsupported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.first_frame import first_frame
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import trace
from tasks.scripted_world import ScriptedWorld as World

OWN_SEED = "generators of its own"
"""Without a seed Python reads the machine's entropy, and we the generator of the module."""


@pytest.mark.parametrize("name", SOURCES)
def test_stepping_from_the_first_frame_gives_the_real_trace(name: str) -> None:
    source, arguments, world = SOURCES[name]
    program = decomposed(source, "f")
    real = trace(program, arguments, world=world.record())
    assert real.unsupported is None
    assert first_difference(program, real) is None


@pytest.mark.parametrize("name", SOURCES)
def test_the_first_frame_from_text_is_the_real_one(name: str) -> None:
    source, arguments, world = SOURCES[name]
    program = decomposed(source, "f")
    real = trace(program, arguments, world=world.record())
    assert first_frame(program, arguments, world=world.record()) == real.frames[0]


@pytest.mark.parametrize("name", [name for name in SOURCES if "import random" in SOURCES[name][0] and name != OWN_SEED])
def test_draws_are_those_of_python_with_the_same_seed(name: str) -> None:
    source, arguments, world = SOURCES[name]
    space: dict[str, object] = {}
    random.seed(world.seed or 0)
    exec(source, space)
    expected = repr(eval(f"f({arguments})", space))
    assert trace(decomposed(source, "f"), arguments, world=world.record()).outcome.value == expected


@pytest.mark.parametrize("name", ["reading a file", "every reading", "writing files", "a block that is left by return"])
def test_files_behave_as_those_of_python(name: str, tmp_path: Path) -> None:
    source, arguments, world = SOURCES[name]
    for file, text in world.files:
        (tmp_path / file).write_text(text)
    space: dict[str, object] = {}
    exec(source, space)
    with contextlib.chdir(tmp_path), pytest.MonkeyPatch.context():
        expected = repr(eval(f"f({arguments})", space))
    assert trace(decomposed(source, "f"), arguments, world=world.record()).outcome.value == expected
    assert "new.txt" not in {path.name for path in Path().iterdir()}


def test_a_frame_shows_the_position_of_each_source_and_of_no_other() -> None:
    source, arguments, world = SOURCES["two dice"]
    real = trace(decomposed(source, "f"), arguments, world=world.record())
    assert real.frames[0].globals == (("@random", "random(5, 0)"),)
    assert real.frames[-1].globals[0][1].startswith("random(5, ")
    assert "@clock" not in {name for frame in real.frames for name, _ in frame.globals}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(x):\n    return x", id="nothing"),
        pytest.param("def f(input):\n    return input('a')", id="a parameter named input"),
        pytest.param("def open(x):\n    return x\ndef f(x):\n    return open(x)", id="a function named open"),
        pytest.param("import datetime\ndef f(x):\n    return datetime.date(2024, 1, 2)", id="dates without a clock"),
        pytest.param(
            "import datetime\ndef f(x):\n    return datetime.date(2024, 1, 2).strftime('%d')", id="a date as text"
        ),
        pytest.param("def f(x):\n    random = x\n    return random", id="a variable named random"),
    ],
)
def test_other_programs_have_no_rows_of_sources(source: str) -> None:
    assert not used_sources(source)
    assert all(not frame.globals for frame in trace(decomposed(source, "f"), "len").frames)


def test_the_modules_of_the_process_are_put_back() -> None:
    before, real = (sys.modules["random"], sys.modules["time"]), random.randint
    source, arguments, world = SOURCES["clocks"]
    trace(decomposed(source, "f"), arguments, world=world.record())
    assert (sys.modules["random"], sys.modules["time"]) == before
    assert random.randint == real
    assert time.time() > 1_700_100_000


def test_a_run_in_the_sandbox_is_the_run_in_this_process(one: Sandbox) -> None:
    reality = Reality(one)
    for name in ("every draw", "input", "clocks", "writing files"):
        source, arguments, world = SOURCES[name]
        program = decomposed(source, "f")
        assert reality.trace(program, arguments, world=world.record()) == trace(
            program, arguments, world=world.record()
        )


@pytest.mark.parametrize(
    ("source", "arguments", "world", "reason"),
    [
        ("import random\ndef f():\n    return random.SystemRandom()", "", World(), "no rule follows"),
        ("import random\ndef f():\n    return random.getstate()", "", World(), "no rule follows"),
        ("import random\ndef f(n):\n    return random.choices([1], k=n)", "30000", World(), "items drawn at once"),
        ("def f(n):\n    return sorted(open(n))", "'a.txt'", FILES, "no rule follows"),
        ("def f():\n    return list(iter(input, 'stop')) + [input()]", "", LINES, "callable_iterator"),
        ("import time\ndef f():\n    return time.strftime('%Y')", "", World(), "the clock read by time.strftime"),
        ("def f(n):\n    return open(n, 'rb').read()", "'a.txt'", FILES, "text modes only"),
    ],
)
def test_what_no_rule_follows_is_unsupported(source: str, arguments: str, world: World, reason: str) -> None:
    program = decomposed(source, "f")
    real = trace(program, arguments, world=world.record())
    with pytest.raises(Unsupported, match=reason):
        first_difference(program, real)


WRONG_ROWS = {
    "@random": [
        "",
        "3",
        "random(",
        "random(0)",
        "random([], 0)",
        "random(0, -1)",
        "random(0, 'x')",
        "random(0, 10**15)",
    ],
    "@input": ["", "#1", "inputs(", "inputs(3, 0)", "inputs(('a',), 'x')", "clock(1.0, 1.0)"],
    "@clock": ["", "clock(", "clock('x', 1.0)", "clock(1e300, 1.0)", "clock(-1e18, 1.0)", "files()"],
    "@files": ["", "files(", "files('a')", "files(('a', 'b'))", "inputs((), 0)"],
}
WRONG_OBJECTS = ["rng(", "rng([], 0)", "rng(0, -1)", "textfile(", "textfile('zz', 'r', 0)", "textfile(1, 2, 3)"]


def wrong_frames(frame: Frame) -> list[Frame]:
    """The frame with one source missing or malformed, as a model may write it."""
    shared = dict(frame.globals)
    found = [replace(frame, globals=tuple(row for row in frame.globals if row[0] != name)) for name in shared]
    for name, texts in WRONG_ROWS.items():
        if name in shared:
            found += [replace(frame, globals=tuple((shared | {name: text}).items())) for text in texts]
    for label, content in frame.heap:
        if content.startswith(("rng(", "textfile(")):
            heap = dict(frame.heap)
            found += [replace(frame, heap=tuple((heap | {label: text}).items())) for text in WRONG_OBJECTS]
    return found


@pytest.mark.parametrize("name", SOURCES)
def test_malformed_sources_are_the_models_mistake(name: str) -> None:
    """A step from such a frame is refused, or is one that reads no source; it is never a fault of ours."""
    source, arguments, world = SOURCES[name]
    program = decomposed(source, "f")
    stepper = Stepper(program)
    tried = [wrong for frame in trace(program, arguments, world=world.record()).frames for wrong in wrong_frames(frame)]
    assert tried
    for wrong in tried:
        for step in (stepper.ask, stepper.draw):
            with contextlib.suppress(Unsupported, ImpossibleState):
                step(wrong)


def test_a_row_of_another_source_is_refused() -> None:
    program = decomposed("def f():\n    return input()", "f")
    first = first_frame(program, "", world={"inputs": ["Ada"]})
    assert isinstance(first, Frame)
    before = Stepper(program).ask(first)
    assert isinstance(before, Frame)
    with pytest.raises(ImpossibleState, match=r"'clock\(1.0, 1.0\)', which is no ScriptedInput"):
        Stepper(program).ask(replace(before, globals=(("@input", "clock(1.0, 1.0)"),)))


def test_a_time_that_no_date_has_raises_as_in_the_run() -> None:
    program = decomposed(
        "import time\nfrom datetime import datetime\ndef f():\n    time.sleep(1e12)\n    return datetime.now()", "f"
    )
    real = trace(program, "")
    assert real.outcome.ending == "raised"
    assert first_difference(program, real) is None


def test_a_module_that_draws_needs_a_real_run() -> None:
    program = decomposed("import random\nN = random.random()\ndef f():\n    return N", "f")
    with pytest.raises(Unsupported, match="only a run can tell"):
        first_frame(program, "")


@pytest.mark.parametrize("draws", [0, 1, 7, 700])
def test_a_generator_is_its_seed_and_its_position(draws: int) -> None:
    one = CountedRandom(9)
    for _ in range(draws):
        one.choice("abcdefg")
        one.gauss(0, 1)
    other = random_at(CountedRandom, 9, one.words, one.gauss_next)
    assert [one.gauss(0, 1) for _ in range(3)] == [other.gauss(0, 1) for _ in range(3)]
    assert one.state == other.state


def test_a_program_that_sets_a_state_says_so_in_its_trace() -> None:
    source = "import random\ndef f():\n    s = random.getstate()\n    random.setstate(s)\n    return 1"
    assert "whose state no seed tells" in str(trace(decomposed(source, "f"), "").unsupported)


def test_an_effect_that_reads_a_source_unseen_is_refused() -> None:
    source = "import random\ndef f(n):\n    return list(map(random.randint, [1], [n]))"
    program = decomposed(source, "f")
    real = trace(program, "6")
    with pytest.raises(Unsupported, match="no rule follows"):
        first_difference(program, real)


def test_the_prompt_of_input_is_printed() -> None:
    real = trace(decomposed("def f():\n    return input('who? ')", "f"), "", world=LINES.record())
    assert (real.output, real.outcome.value) == ("who? ", "'Ada'")
    assert isinstance(Stepper(decomposed("def f():\n    return input('who? ')", "f")), Stepper)


def test_sources_are_equal_for_equal_worlds() -> None:
    used = frozenset({"@random", "@clock"})
    with contextlib.redirect_stdout(io.StringIO()):
        assert SourceSet.of_world(used, {}).states() == SourceSet.of_world(used, {"seed": 0}).states()
    assert ExactEffects(decomposed("def f(x):\n    return x", "f")) is not None


def test_the_page_about_sources_is_a_doctest() -> None:
    page = Path(__file__).parents[2] / "docs" / "chance.md"
    assert doctest.testfile(str(page), module_relative=False).failed == 0
