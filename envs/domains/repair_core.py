"""Programs and their edits: the pure core of the repair environment.

A state is a program with the edits made so far; an action is an edit. Nothing is run here: planners walk the core
freely; `evaluation.py` runs candidates for real. Knows no Gymnasium, no sandbox and no hidden test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from envs.editing.class_priors import class_priors, prior_of
from envs.editing.edit import Edit
from envs.editing.edit_generation import edits, uncompiled_edits, unlikely_edits
from envs.execution.decompose.decomposition import DecomposeError, decompose
from tasks.task import CallTest, RepairTask, Test
from tasks.value import read_value

_SHORT = 6
"""Characters of a constant that is taken from a test: 0, None, -1, [], 'x', False."""
_CONTAINERS = (list, tuple, dict, set, frozenset)
_MOST_WANTED = 4


@dataclass(frozen=True, slots=True)
class RepairState:
    """A program on its way to repair; equal programs are equal states, whatever edits led there."""

    source: str
    patch: tuple[Edit, ...] = field(default=(), compare=False)
    """The edits made so far, each on the program before it."""


@dataclass(frozen=True, slots=True)
class RepairCore:
    """What may be done to the program of one task."""

    source: str
    entry: str
    tests: tuple[Test, ...]
    """The visible ones."""
    most_edits: int | None = None
    """Edits that a patch may have; None for any number."""
    proposed: tuple[Edit, ...] = ()
    """Edits of the buggy program from elsewhere, such as a language model: tried beside those of the families."""

    @classmethod
    def of_task(cls, task: RepairTask, *, most_edits: int | None = None) -> RepairCore:
        """The core of a task, without what planners must not see."""
        return cls(task.source, task.entry, task.tests, most_edits)

    def initial(self) -> RepairState:
        """The buggy program."""
        return RepairState(self.source)

    def actions(self, state: RepairState) -> tuple[Edit, ...]:
        """The edits of a state in a stable order: likely classes first, then by class and place."""
        if self.most_edits is not None and len(state.patch) >= self.most_edits:
            return ()
        return (*(() if state.patch else self.proposed), *ranked_edits(state.source, expected_constants(self.tests)))

    def actions_unchecked(self, state: RepairState) -> tuple[Edit, ...]:
        """The same for a tenth of the time beyond the first edit, where some edits may then make no program."""
        if not state.patch or len(state.patch) >= (self.most_edits or len(state.patch) + 1):
            return self.actions(state)
        return ranked_edits(state.source, expected_constants(self.tests), compiled=False)

    def transition(self, state: RepairState, edit: Edit) -> RepairState:
        """The state after one edit; BadEdit where it does not fit."""
        return RepairState(edit.apply(state.source), (*state.patch, edit))

    def priors(self, actions: Sequence[Edit]) -> tuple[float, ...]:
        """The learnt probability of each edit, summing to 1: the share of its class in what repaired other tasks."""
        weights = [prior_of(edit.operator) for edit in actions]
        total = sum(weights)
        return tuple(weight / total for weight in weights)

    def key(self, state: RepairState) -> str:
        """The decomposed program: equal for states that run the same steps, one operation a line."""
        return decomposed_text(state.source, self.entry)


@lru_cache(maxsize=64)
def expected_constants(tests: tuple[Test, ...]) -> tuple[str, ...]:
    """Small constants that visible tests want, the commonest first: a base case often gives back one of these.

    Plain values and empty containers only: `return [7, 8]` repeats one test and says nothing of others.
    """
    texts = Counter(test.expected for test in tests if isinstance(test, CallTest) and _is_plain(test.expected))
    return tuple(text for text, _ in texts.most_common(_MOST_WANTED))


def _is_plain(text: str) -> bool:
    """Whether a result is short, and a plain value or an empty container."""
    return len(text) <= _SHORT and not (isinstance(value := read_value(text), _CONTAINERS) and value)


@lru_cache(maxsize=512)
def ranked_edits(source: str, wanted: tuple[str, ...] = (), *, compiled: bool = True) -> tuple[Edit, ...]:
    """All edits of a program, those of likely classes first; some may make no program unless they were compiled."""
    priors = class_priors()
    listed = (edits if compiled else uncompiled_edits)(source, wanted)
    return tuple(sorted(listed, key=lambda edit: -priors.get(edit.operator, 0.0)))


def unlikely_edits_of(core: RepairCore) -> tuple[Edit, ...]:
    """Edits of the buggy program beyond those that `actions` lists: many, and each unlikely."""
    return unlikely_edits(core.source, expected_constants(core.tests))


@lru_cache(maxsize=4096)
def decomposed_text(source: str, entry: str) -> str:
    """The program as one operation a line; the source itself where it cannot be decomposed."""
    try:
        return decompose(source, entry).source
    except DecomposeError:
        return source
