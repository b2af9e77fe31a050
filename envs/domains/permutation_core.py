"""Pure core of the permutation problem: arrangements, commands, and plans as Python programs.

States are tuples of items, so planners can merge equal states and need no copy of an environment. A plan is a sequence
of commands; `program` writes it as a Python function with the same effect, which any oracle can execute:

    straight          a, b = b, a                one line and one step per command
    branching         if a > b:  a, b = b, a     acts only if the items are in the wrong order
    loop              for i, j in [(0, 1), ...]:  items[i], items[j] = ...
    branching-loop    the same with the condition inside

Knows no Gymnasium, no oracle and no planner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal, NamedTuple, get_args

from envs.domains.arrangements import arrangement_from
from envs.domains.permutation_commands import Arrangement, Command, commands_of, place_names
from envs.errors import BadEnvOption
from tasks.errors import did_you_mean
from tasks.permutations import Generators
from tasks.task import PermutationTask

Style = Literal["straight", "branching", "loop", "branching-loop"]
ENTRY = "f"
Plan = Sequence[Command]


class PlanProgram(NamedTuple):
    """A plan as a program: the call `entry(arguments)` returns the final arrangement."""

    source: str
    entry: str
    arguments: str


@dataclass(frozen=True, slots=True)
class PermutationCore:
    """One permutation problem: start, goal and commands."""

    start: Arrangement
    goal: Arrangement
    generators: Generators = "swaps"
    style: Style = "straight"
    commands: tuple[Command, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.style not in get_args(Style):
            raise BadEnvOption(f"No style {self.style!r}. {did_you_mean(self.style, get_args(Style))}")
        if len(self.start) < 2 or len(set(self.start)) < len(self.start):
            raise BadEnvOption(f"start={self.start}: give two or more different items.")
        if sorted(self.start) != sorted(self.goal):
            raise BadEnvOption(f"goal={self.goal} is no arrangement of start={self.start}.")
        if self.conditional and list(self.goal) != sorted(self.goal):
            raise BadEnvOption(
                f"goal={self.goal}: conditional commands only sort; style {self.style!r} needs a sorted goal."
            )
        commands = commands_of(len(self.start), self.generators, conditional=self.conditional)
        object.__setattr__(self, "commands", commands)

    @classmethod
    def of_task(cls, task: PermutationTask) -> PermutationCore:
        """The core of a task."""
        return cls(task.start, task.goal, task.generators, task.style)

    @classmethod
    def drawn(
        cls,
        rng: Random,
        *,
        items: int = 5,
        generators: Generators = "swaps",
        style: Style = "straight",
        distance: int | None = None,
        goal: Arrangement | None = None,
    ) -> PermutationCore:
        """A random problem: any start except the goal, or one exactly `distance` commands from it."""
        goal = tuple(range(items)) if goal is None else goal
        conditional = style.startswith("branching")
        start = arrangement_from(rng, goal, generators, conditional=conditional, distance=distance)
        return cls(start, goal, generators, style)

    @property
    def conditional(self) -> bool:
        """Whether a command acts only if its items are in the wrong order."""
        return self.style.startswith("branching")

    @property
    def items(self) -> int:
        return len(self.start)

    def initial(self) -> Arrangement:
        """The start."""
        return self.start

    def actions(self, state: Arrangement) -> tuple[Command, ...]:
        """All commands, always in the same order; empty at the goal."""
        return () if state == self.goal else self.commands

    def transition(self, state: Arrangement, command: Command) -> Arrangement:
        """The state after one command."""
        return command.apply(state)

    def is_goal(self, state: Arrangement) -> bool:
        return state == self.goal

    def value(self, state: Arrangement) -> float:
        """Share of items that are at their place in the goal."""
        return sum(map(int.__eq__, state, self.goal)) / len(self.goal)

    def run(self, plan: Plan) -> Arrangement:
        """The state after all commands of a plan."""
        state = self.start
        for command in plan:
            state = command.apply(state)
        return state

    def program(self, plan: Plan) -> PlanProgram:
        """The plan as a Python function that takes the start and returns the final arrangement."""
        if self.style.endswith("loop"):
            return PlanProgram(_loop(self, plan), ENTRY, f"{list(self.start)!r}")
        names = place_names(self.items)
        arguments = ", ".join(names)
        body = [line for command in plan for line in command.lines(names)]
        lines = [f"def {ENTRY}({arguments}):", *(f"    {line}" for line in body), f"    return {arguments}"]
        return PlanProgram("\n".join(lines) + "\n", ENTRY, ", ".join(map(repr, self.start)))

    def command_line(self, number: int) -> int:
        """The line of the program where command `number` (from 0) begins; in a loop style all begin on line 2."""
        if self.style.endswith("loop"):
            return 2
        return 2 + number * (2 if self.conditional else 1)


def _loop(core: PermutationCore, plan: Plan) -> str:
    """The program as a loop over a list of moves."""
    rows: list[tuple[object, ...]]
    if isinstance(core.generators, tuple):
        head, rows = "i, j, move", [(*_ends(command), command.moves) for command in plan]
        move = "items = [items[place] for place in move]"
    elif core.generators == "reversals":
        head, rows = "i, j", [_ends(command) for command in plan]
        move = "items[i:j + 1] = items[i:j + 1][::-1]"
    else:
        head, rows = "i, j", [_ends(command) for command in plan]
        move = "items[i], items[j] = items[j], items[i]"
    body = ["    if items[i] > items[j]:", f"        {move}"] if core.conditional else [f"    {move}"]
    lines = [f"for {head} in {rows!r}:", *body, "return items"]
    return f"def {ENTRY}(items):\n" + "".join(f"    {line}\n" for line in lines)


def _ends(command: Command) -> tuple[int, int]:
    return command.places[0], command.places[-1]
