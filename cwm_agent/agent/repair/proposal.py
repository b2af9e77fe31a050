"""A candidate that no search asked for: what the agent thinks of beside its planner."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from envs.domains.repair_core import RepairCore, RepairState
from envs.editing.edit import Edit
from envs.editing.edit_spans import EditSpan, moved, spans_of


@dataclass(frozen=True, slots=True)
class Proposal:
    """An edit to be imagined."""

    edit: Edit
    prior: float
    first: tuple[int, ...] = ()
    """The tests to imagine first; nothing for those that the program fails."""
    state: RepairState | None = None
    """The program that is edited; nothing for the buggy one."""
    edits: tuple[Edit, ...] = ()
    """The edits of the buggy program that were joined, where several were."""


def joined(core: RepairCore, edits: Sequence[Edit], prior: float) -> Proposal | None:
    """Several edits of the buggy program, one after the other; None where two want the same place."""
    spans = spans_of(core.source, edits)
    if any(one.clashes(other) for one, other in combinations(spans, 2)):
        return None
    state, made = core.initial(), list[EditSpan]()
    *before, (last, place) = zip(edits, spans, strict=True)
    for edit, span in before:
        state = core.transition(state, moved(edit, span, made, state.source))
        made.append(span)
    return Proposal(moved(last, place, made, state.source), prior, state=state, edits=tuple(edits))
