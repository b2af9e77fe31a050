"""A domain of one's own in under 100 lines: a machine with buttons, solved by plans imagined in a code world model.

    cwm-agent solve numbers.jsonl --domain new_domain:kind --oracle exact --ceiling

`numbers.jsonl` has a row per task: {"id": "double-twice", "start": 3, "goal": 12}. A plan is a sequence of buttons;
each is one line of Python, and the oracle imagines what it does. The loop, the planners, budgets, resuming and episodes
come from the agent.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cwm_agent import Outcome, RealRun, Workplace, imagine_call
from cwm_agent.agent.budget import Spending
from planners import Leaf, Refused, Step

BUTTONS = {"double": "x * 2", "add three": "x + 3", "take one": "x - 1", "negate": "-x"}
"""What each button does to the number x, as Python says it."""


@dataclass(frozen=True)
class NumberMachine:
    """A task: make `goal` of `start`."""

    id: str
    start: int
    goal: int


@dataclass
class Pressing:
    """One open task: the five methods of a domain. A state is the number that the machine shows."""

    task: NumberMachine
    workplace: Workplace
    spending: Spending = field(default_factory=Spending)

    def start(self, spending: Spending) -> Step[int]:
        self.spending = spending
        return self._step(self.task.start)

    def actions(self, state: int) -> Sequence[str]:
        return list(BUTTONS)

    def imagine(self, new: Sequence[Leaf[int, str]]) -> list[tuple[Leaf[int, str], Step[int] | Refused]]:
        """Ask the oracle what the machine would show; an answer that is no number is refused."""
        return [(leaf, self._imagined(leaf.state, leaf.action)) for leaf in new]

    def act(self, path: Sequence[str], spending: Spending) -> RealRun:
        """Press the buttons for real; one execution is charged."""
        spending.executions += 1
        return RealRun(tuple(path), None, (True,), (self._pressed(path) == self.task.goal,))

    def learn(self, path: Sequence[str], real: RealRun) -> Step[int]:
        return self._step(self._pressed(path))

    def _imagined(self, number: int, button: str) -> Step[int] | Refused:
        source = f"def press(x):\n    x = {BUTTONS[button]}\n    return x\n"
        settings, call = self.workplace.settings, f"press({number})"
        rollout = imagine_call(source, call, self.workplace.oracle, view=settings.view, guide=settings.guide.name)
        outcome = None if isinstance(rollout, Outcome) else rollout.outcome
        self.spending.imagined += 1
        self.spending.tokens += 0 if isinstance(rollout, Outcome) else rollout.tokens  # so that the budget binds
        try:
            return self._step(int(str(outcome.value if outcome else "")))
        except ValueError:
            return Refused("imagined to show no number")

    def _pressed(self, path: Sequence[str]) -> int:
        number = self.task.start
        for button in path:
            number = {"double": number * 2, "add three": number + 3, "take one": number - 1, "negate": -number}[button]
        return number

    def _step(self, number: int) -> Step[int]:
        away = abs(number - self.task.goal)
        return Step(number, value=1 / (1 + away), end=None if away else "goal")


@dataclass(frozen=True)
class Machines:
    """The kind of domain that `--domain` names: it loads tasks and opens one."""

    name: str = "machines"

    def load(self, path: str) -> list[NumberMachine]:
        return [NumberMachine(**json.loads(line)) for line in Path(path).read_text().splitlines() if line.strip()]

    def open(self, task: NumberMachine, workplace: Workplace) -> Pressing:
        return Pressing(task, workplace)


def kind() -> Machines:
    """What `new_domain:kind` stands for."""
    return Machines()
