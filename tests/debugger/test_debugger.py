"""The debugger goes forwards and back in imagined runs, in every view; the program runs for real only on request."""

import json
from pathlib import Path
from typing import NoReturn

import pytest
from local_worlds import exact

from cwm_agent.debugger.debugger_commands import Debugger
from cwm_agent.debugger.debugger_worlds import MarkovWorld, World
from cwm_agent.debugger.history_world import HistoryWorld
from cwm_agent.imagination.call_text import BadCall, split_call
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.oracles.backends.replay import ReplayOracle
from cwm_agent.oracles.protocol import Oracle, View
from cwm_agent.oracles.wrappers.noise import NoisyOracle, Rates
from envs.execution.decompose.program import decomposed, plain
from envs.execution.tracer.history_recorder import record
from envs.execution.tracer.tracer import trace

SOURCE = """def double(x):
    y = x * 2
    return y

def f(n):
    xs = []
    for i in range(n):
        xs.append(double(i) + 1)
    return xs
"""
ARGUMENTS = "2"


def not_executed() -> NoReturn:
    raise AssertionError("the program was executed for real without a request")


def debugger(
    oracle: Oracle | None = None, *, source: str = SOURCE, real: bool = True, view: View = "local"
) -> Debugger:
    chosen = oracle or exact()

    def world(view: View, guide: str) -> World:
        if view == "history":
            program = plain(source, "f")
            history = record(program, ARGUMENTS)
            replay = ReplayOracle(lambda program, call: history)
            run_history = (lambda: history) if real else not_executed
            return HistoryWorld(program, ARGUMENTS, replay, guide=parse_guide(guide), run=run_history)
        program = decomposed(source, "f")
        run = (lambda: trace(program, ARGUMENTS)) if real else not_executed
        return MarkovWorld(program, ARGUMENTS, chosen, view=view, guide=parse_guide(guide), run=run)

    guide = "free" if view == "history" else "grounded"
    return Debugger(world, view, guide, written=source.splitlines(), about={"file": "f.py", "call": "f(2)"})


def answers(debugger: Debugger, commands: str) -> list[str]:
    return [line for command in commands.split(";") for line in debugger.do(command)]


def test_next_goes_from_line_to_line_of_the_program_and_over_calls() -> None:
    walking = debugger(real=False)
    lines = []
    while not walking.walk.over:
        walking.do("next")
        lines.append((walking.walk.place.line, walking.walk.place.depth))
    assert [line for line, _ in lines[:3]] == [6, 7, 8]
    assert {depth for _, depth in lines} == {1}
    assert walking.where() == "over: returned [1, 3]"


def test_step_goes_into_functions_and_out_leaves_them() -> None:
    walking = debugger(real=False)
    answers(walking, "until 2")
    assert walking.walk.place.function == "double"
    assert answers(walking, "print") == ["x = 0"]
    walking.do("out")
    assert walking.walk.place.function == "f"


def test_until_and_breakpoints_stop_at_lines_of_the_program_as_written() -> None:
    walking = debugger(real=False)
    assert answers(walking, "break 3; break") == ["breakpoint at line 3"] * 2
    walking.do("continue")
    assert walking.walk.place.line == 3
    walking.do("c")
    assert answers(walking, "print x y") == ["x = 1", "y = 2"]
    assert answers(walking, "break 3; c") == ["breakpoint at line 3 cleared", "over: returned [1, 3]"]


def test_back_undoes_steps_and_they_are_imagined_again_the_same() -> None:
    walking = debugger(real=False)
    answers(walking, "step 7")
    frames = list(walking.walk.frames)
    answers(walking, "back 3; step 3")
    assert walking.walk.frames == frames
    answers(walking, "continue; back")
    assert not walking.walk.over
    answers(walking, "back 10000")
    assert walking.walk.frames == frames[:1]


def test_imagination_continues_with_a_variable_that_the_user_set() -> None:
    walking = debugger(real=False)
    answers(walking, "until 3; set y = 50")
    assert "[set]" in walking.where()
    walking.do("continue")
    assert walking.where() == "over: returned [51, 3]"


def test_a_list_that_is_set_is_one_object_for_all_its_names() -> None:
    walking = debugger(source="def f(n):\n    a = [n]\n    b = a\n    a.append(9)\n    return b\n", real=False)
    answers(walking, "until 4; set a = [7, 7]; set b = a; continue")
    assert walking.where() == "over: returned [7, 7, 9]"


def test_views_and_guides_are_switched_on_the_fly() -> None:
    walking = debugger()
    answers(walking, "step 4")
    assert answers(walking, "view program")[0] == "imagining in the program view, grounded"
    assert len(walking.walk.frames) == 5
    assert answers(walking, "guide forced")[0] == "imagining in the program view, forced"
    assert answers(walking, "view history")[0].startswith("Frames of the two views differ")
    assert answers(walking, "guide cfg; continue")[-1] == "over: returned [1, 3]"


def test_real_shows_both_runs_and_marks_the_first_divergence() -> None:
    walking = debugger(NoisyOracle(exact(), Rates(state=1.0), "systematic", 3))
    answers(walking, "continue")
    shown = answers(walking, "real")
    [marked] = [line for line in shown if "first divergence" in line]
    assert "step 2 (" in marked or "step" in marked
    assert sum(line.startswith("!") for line in shown) == 2, "the imagined and the real step"
    assert any("the real run is over: returned [1, 3]" in line for line in shown)


def test_real_shows_the_steps_around_the_divergence_of_a_long_walk_or_all() -> None:
    walking = debugger(source="def f(n):\n    x = 0\n    for i in range(60):\n        x += n\n    return x\n")
    answers(walking, "step 100; set x = -1; step 50")
    short, whole = answers(walking, "real"), answers(walking, "real all")
    assert any("first divergence, step 100" in line for line in short)
    assert "60 steps equal to the real run" in short[0]
    assert len(short) < 70 < len(whole)
    assert answers(walking, "real some") == ["real takes no argument 'some'. Write real, or real all for every step."]


def test_long_values_are_cut_in_rows_and_whole_in_print() -> None:
    walking = debugger(source="def f(n):\n    x = 'a' * 500\n    return x\n", real=False)
    walking.do("until 3")
    assert "..." in walking.where()
    assert answers(walking, "print x") == [f"x = '{'a' * 500}'"]


def test_real_reports_that_nothing_differs() -> None:
    walking = debugger()
    assert answers(walking, "next; real")[-1] == " no divergence so far"


@pytest.mark.parametrize("view", ["local", "history"])
def test_an_export_holds_every_step_and_the_comparison_with_reality(tmp_path: Path, view: View) -> None:
    walking = debugger(view=view)
    out = tmp_path / "walk.json"
    answers(walking, f"step 3; real; set n = 5; export {out}")
    row = json.loads(out.read_text())
    assert (row["version"], row["kind"], row["view"], row["call"]) == (1, "debug", view, "f(2)")
    assert [step["mark"] for step in row["steps"]][-1] == "set"
    assert row["compared_with_reality"]
    assert row["divergence"]["step"] == 3


def test_an_answer_that_the_oracle_cannot_give_stops_imagination_but_not_the_debugger() -> None:
    walking = debugger(NoisyOracle(exact(), Rates(), "iid"), source="def f(n):\n    return (i for i in range(n))\n")
    answers(walking, "continue")
    assert walking.walk.problem or walking.walk.outcome
    assert answers(walking, "back; print n")[-1] == "n = 2"


@pytest.fixture
def walking() -> Debugger:
    return debugger(real=False)


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("nxt", "No command 'nxt'. Did you mean 'next'?"),
        ("zzz", "No command 'zzz'. `help` shows all commands."),
        ("until 99", "The program has no line 99. `list` shows its lines."),
        ("until x", "until needs a number of at least 1, not 'x'."),
        ("break 99", "The program has no line 99; its last line is 9. `list` shows its lines."),
        ("set n", "set 'n' has no value. Write set NAME = VALUE, as in: set x = [1, 2]"),
        (
            "set n = open('x')",
            "\"open('x')\" is neither a literal nor a variable of this step. Write a literal, as in: set x = 3",
        ),
        ("print zz", "zz has no value here"),
        ("view sideways", "No view 'sideways'. Choose one of: local, program, history."),
        (
            "guide anchored:3",
            "anchored works on whole rollouts only. Use guide forced, or change a variable with set.",
        ),
        ("export", "export needs a file. Write export FILE.json."),
    ],
)
def test_a_command_that_cannot_be_executed_is_answered_with_the_reason(
    walking: Debugger, command: str, answer: str
) -> None:
    before = list(walking.walk.frames)
    assert walking.do(command)[0] == answer
    assert walking.walk.frames == before


def test_an_empty_line_does_nothing_and_quit_ends(walking: Debugger) -> None:
    assert walking.do("  ") == []
    walking.do("quit")
    assert walking.done


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("f(3)", ("f", "3")),
        ("g('a;b', k=[1])", ("g", "'a;b', k=[1]")),
        (" f() ", ("f", "")),
        ("f(*[1], **{})", ("f", "*[1], **{}")),
    ],
)
def test_a_call_is_split_into_name_and_arguments(call: str, expected: tuple[str, str]) -> None:
    assert split_call(call) == expected


@pytest.mark.parametrize("call", ["f", "1 + 1", "f(", "a.b(3)"])
def test_text_that_is_no_call_is_refused(call: str) -> None:
    with pytest.raises(BadCall, match="is no call of a function"):
        split_call(call)
