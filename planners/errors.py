"""The errors that this library raises; knows no search.

The whole tree:

    PlannerError
    ├── BadOption      (also ValueError)  a limit or a planner's option that makes no sense
    ├── BadPlanner     (also ValueError)  a planner or its search broke the protocol in `planners.plan`
    ├── BadModel       (also ValueError)  the model broke its contract: a value, a prior, a state, a count
    ├── NoParticles    (also ValueError)  nothing that a belief holds explains an observation
    ├── BadGame        (also ValueError)  a game broke the protocol in `planners.players.game`
    ├── BadTicket      (also ValueError)  `tell` or `release` got a ticket that `ask` never issued
    ├── BadSnapshot    (also ValueError)  text that is no stored search, or a state that cannot be stored
    └── ModelFailed    the model raised in `step` or `actions`; `.plan` is the best plan until then
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planners.plan import Plan


class PlannerError(Exception):
    """Any error that this library raises on purpose."""


class BadOption(PlannerError, ValueError):
    """A limit or an option that makes no sense, such as a negative number of calls."""


class BadPlanner(PlannerError, ValueError):
    """A planner, or the search it makes, broke the protocol written in `planners.plan`."""


class BadModel(PlannerError, ValueError):
    """The model broke the contract written in `planners.model`."""


class BadGame(PlannerError, ValueError):
    """A game broke the protocol written in `planners.players.game`."""


class NoParticles(PlannerError, ValueError):
    """A belief ran out of particles: nothing that it holds explains what was seen."""


class BadTicket(PlannerError, ValueError):
    """An answer to a leaf that the search never asked for."""


class BadSnapshot(PlannerError, ValueError):
    """A search that cannot be stored as JSON, or JSON that is no stored search."""


class ModelFailed(PlannerError):
    """The model raised in `step` or `actions`; the work until then is in `.plan`."""

    def __init__(self, message: str, plan: Plan[Any, Any] | None = None) -> None:
        super().__init__(message)
        self.plan = plan


def require_at_least(least: float, **options: float | None) -> None:
    """Raise BadOption for the first option below `least`, or not a number; None passes."""
    for name, value in options.items():
        if value is not None and not value >= least:  # `not >=` catches NaN too
            raise BadOption(f"{name} is {value!r}; give a number of at least {least:g}.")
