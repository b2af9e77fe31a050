"""A candidate that no search asked for: what the agent thinks of beside its planner."""

from dataclasses import dataclass

from envs.editing.edit import Edit
from envs.repair import RepairState


@dataclass(frozen=True, slots=True)
class Proposal:
    """An edit to be imagined."""

    edit: Edit
    prior: float
    first: tuple[int, ...] = ()
    """The tests to imagine first; nothing for those that the program fails."""
    state: RepairState | None = None
    """The program that is edited; nothing for the buggy one."""
