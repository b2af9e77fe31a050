"""Pure core of the repair problem: programs as states, edits as actions.

Nothing runs here, so planners can explore the core at no cost; `evaluation.py` runs candidates for real. Knows no
Gymnasium, no sandbox and no hidden test.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from envs.bounded_cache import MIB, bounded_cache
from envs.editing.class_priors import class_priors
from envs.editing.edit import Edit
from envs.editing.edit_generation import edits, uncompiled_edits, uncompiled_unlikely_edits, unlikely_edits
from tasks.task import CodeTest, RepairTask, Test
from tasks.value import read_value

_MAX_CHARACTERS = 6
"""Length of a constant that is taken from a test, such as 0, None, -1, [], 'x' and False."""
_CONTAINERS = (list, tuple, dict, set, frozenset)
_MAX_CONSTANTS = 4


@dataclass(frozen=True, slots=True)
class RepairState:
    """An edited program. States with equal source are equal, whatever their patches."""

    source: str
    patch: tuple[Edit, ...] = field(default=(), compare=False)
    """The edits so far, each made on the result of the one before."""


@dataclass(frozen=True, slots=True)
class RepairCore:
    """The repair problem of one task."""

    source: str
    entry: str
    tests: tuple[Test, ...]
    """The visible tests."""
    most_edits: int | None = None
    """Largest number of edits in a patch; None for no limit."""
    proposed: tuple[Edit, ...] = ()
    """Additional edits of the buggy program, such as those a language model proposes."""

    @classmethod
    def of_task(cls, task: RepairTask, *, most_edits: int | None = None) -> RepairCore:
        """The core of a task, without the parts that planners must not see."""
        return cls(task.source, task.entry, task.tests, most_edits)

    def initial(self) -> RepairState:
        """The buggy program."""
        return RepairState(self.source)

    def actions(self, state: RepairState) -> tuple[Edit, ...]:
        """The edits of a state in a stable order: by prior of the class, then by family and place."""
        if self.most_edits is not None and len(state.patch) >= self.most_edits:
            return ()
        return (*(() if state.patch else self.proposed), *ranked_edits(state.source, expected_constants(self.tests)))

    def actions_unchecked(self, state: RepairState) -> tuple[Edit, ...]:
        """As `actions`; beyond the first edit ten times as fast, but some edits may not compile."""
        if not state.patch or len(state.patch) >= (self.most_edits or len(state.patch) + 1):
            return self.actions(state)
        return ranked_edits(state.source, expected_constants(self.tests), compiled=False)

    def transition(self, state: RepairState, edit: Edit) -> RepairState:
        """The state after one edit; BadEdit if it does not fit."""
        return RepairState(edit.apply(state.source), (*state.patch, edit))


@lru_cache(maxsize=64)
def expected_constants(tests: tuple[Test, ...]) -> tuple[str, ...]:
    """Short constants that visible tests expect, the most frequent first; a base case often returns one of them.

    Only plain values and empty containers count: an edit with `return [7, 8]` would fit one test only.
    """
    texts = Counter(test.expected for test in tests if not isinstance(test, CodeTest) and _is_plain(test.expected))
    return tuple(text for text, _ in texts.most_common(_MAX_CONSTANTS))


def _is_plain(text: str) -> bool:
    """Whether an expected result is short, and a plain value or an empty container."""
    return len(text) <= _MAX_CHARACTERS and not (isinstance(value := read_value(text), _CONTAINERS) and value)


@bounded_cache(64 * MIB, per_character=1_100)
def ranked_edits(source: str, expected: tuple[str, ...] = (), *, compiled: bool = True) -> tuple[Edit, ...]:
    """The likely edits of a program by prior of the class; with `compiled=False` some may not compile."""
    priors = class_priors()
    listed = (edits if compiled else uncompiled_edits)(source, expected)
    return tuple(sorted(listed, key=lambda edit: -priors.get(edit.operator, 0.0)))


def unlikely_edits_of(core: RepairCore, *, compiled: bool = True) -> tuple[Edit, ...]:
    """The unlikely edits of the buggy program, which `actions` does not list.

    With `compiled=False` they are listed many times as fast, but some do not compile, or make a program twice.
    """
    listed = unlikely_edits if compiled else uncompiled_unlikely_edits
    return listed(core.source, expected_constants(core.tests))
