"""A candidate that is proposed beside the planner's search: one edit, or several edits joined."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from envs.domains.repair_core import RepairCore, RepairState
from envs.editing.edit import Edit
from envs.editing.edit_spans import EditSpan, moved, spans_of


@dataclass(frozen=True, slots=True)
class Proposal:
    """An edit to imagine."""

    edit: Edit
    prior: float
    first_tests: tuple[int, ...] = ()
    """The tests to imagine first; empty for those that the edited program's base fails."""
    state: RepairState | None = None
    """The program that is edited; None for the buggy one."""
    edits: tuple[Edit, ...] = ()
    """The edits of the buggy program that were joined; empty for a single edit."""


def joined(core: RepairCore, edits: Sequence[Edit], prior: float) -> Proposal | None:
    """A proposal that makes several edits of the buggy program; None where two of them overlap."""
    spans = spans_of(core.source, edits)
    if any(one.clashes(other) for one, other in combinations(spans, 2)):
        return None
    state, made = core.initial(), list[EditSpan]()
    *before, (last, place) = zip(edits, spans, strict=True)
    for edit, span in before:
        state = core.transition(state, moved(edit, span, made, state.source))
        made.append(span)
    return Proposal(moved(last, place, made, state.source), prior, state=state, edits=tuple(edits))
