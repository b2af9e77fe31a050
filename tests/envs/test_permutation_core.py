"""Claims about arrangements, commands and plans as programs."""

from collections import deque
from random import Random
from typing import get_args

import pytest

from envs.check import check_core
from envs.domains.arrangements import arrangement_from
from envs.domains.permutation_commands import Command, commands_of, place_names
from envs.domains.permutation_core import PermutationCore, Style
from envs.execution.decompose.decomposition import decompose
from tasks import PermutationTask, load

CYCLE = ((1, 2, 0, 3), (0, 1, 3, 2))
GENERATORS = ["swaps", "adjacent", "reversals", CYCLE]


def run(program):
    namespace: dict = {}
    exec(program.source, namespace)
    return tuple(eval(f"{program.entry}({program.arguments})", namespace))


@pytest.mark.parametrize("style", get_args(Style))
@pytest.mark.parametrize("generators", GENERATORS, ids=str)
def test_a_plan_program_returns_the_final_arrangement(style, generators):
    for seed in range(5):
        rng = Random(seed)
        core = PermutationCore.drawn(rng, items=4, generators=generators, style=style)
        plan = [rng.choice(core.commands) for _ in range(6)]
        assert run(core.program(plan)) == core.run(plan)


@pytest.mark.parametrize("style", ["straight", "branching"])
def test_command_line_is_the_line_of_the_command(style):
    core = PermutationCore.drawn(Random(1), style=style)
    plan = [core.commands[k] for k in (0, 3, 7)]
    lines = core.program(plan).source.splitlines()
    names = place_names(core.items)
    for number, command in enumerate(plan):
        assert lines[core.command_line(number) - 1].strip() == command.lines(names)[0]


def test_a_straight_swap_is_one_step_after_decomposing():
    core = PermutationCore.drawn(Random(0), items=5)
    program = core.program(core.commands)
    lines = decompose(program.source, program.entry).source.splitlines()
    assert sum("," in line and " = " in line and "(" not in line for line in lines) == len(core.commands)


@pytest.mark.parametrize("generators", GENERATORS, ids=str)
@pytest.mark.parametrize("conditional", [False, True])
def test_a_drawn_start_has_exactly_the_given_distance(generators, conditional):
    goal = (0, 1, 2, 3)
    start = arrangement_from(Random(3), goal, generators, conditional=conditional, distance=2)
    commands = commands_of(4, generators, conditional=conditional)
    assert breadth_first(start, goal, commands) == 2


def breadth_first(start, goal, commands):
    seen, pending = {start}, deque([(start, 0)])
    while pending:
        state, distance = pending.popleft()
        if state == goal:
            return distance
        for command in commands:
            after = command.apply(state)
            if after not in seen:
                seen.add(after)
                pending.append((after, distance + 1))
    return None


def test_before_undoes_apply():
    for command in commands_of(5, "reversals", conditional=False):
        assert command.before(command.apply((3, 1, 4, 0, 2))) == (3, 1, 4, 0, 2)


def test_every_shipped_task_makes_a_conforming_core():
    tasks = [task for task in load("permutation").tasks if isinstance(task, PermutationTask)]
    for task in tasks[::17]:
        core = PermutationCore.of_task(task)
        assert core.initial() == task.start
        check_core(core)


def test_value_is_the_share_of_items_in_place():
    core = PermutationCore((1, 0, 2, 3), (0, 1, 2, 3))
    assert core.value(core.start) == 0.5
    assert core.value(core.goal) == 1.0
    assert core.actions(core.goal) == ()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        pytest.param({"style": "brunching"}, "Did you mean 'branching'", id="unknown style"),
        pytest.param({"start": (0, 0, 1)}, "different items", id="an item twice"),
        pytest.param({"goal": (0, 1, 5)}, "no arrangement", id="other items"),
        pytest.param({"generators": "swop"}, "No generators named 'swop'", id="unknown commands"),
        pytest.param({"goal": (2, 1, 0), "style": "branching"}, "needs a sorted goal", id="unreachable goal"),
        pytest.param({"generators": ((0, 1, 2),)}, "moves nothing", id="a move that moves nothing"),
    ],
)
def test_an_impossible_problem_is_refused(options, complaint):
    given = {"start": (1, 0, 2), "goal": (0, 1, 2)} | options
    with pytest.raises(ValueError, match=complaint):
        PermutationCore(**given)


def test_an_impossible_distance_is_refused_with_advice():
    with pytest.raises(ValueError, match="Leave distance out"):
        PermutationCore.drawn(Random(0), items=12, generators="reversals", distance=3)
    with pytest.raises(ValueError, match="farthest start"):
        PermutationCore.drawn(Random(0), items=4, generators="reversals", distance=40)


def test_place_names_continue_after_the_letters_and_never_hide_the_plan_function():
    assert "f" not in place_names(25)
    assert place_names(30)[29] == "v29"
    assert isinstance(commands_of(30, "adjacent", conditional=True)[0], Command)
