"""What to roll out, as one frozen value; imports nothing heavy, so that a command reads its defaults here."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from cwm_agent import defaults
from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.rollouts.errors import BadRolloutRun

if TYPE_CHECKING:
    from cwm_agent.oracles.protocol import MarkovView


@dataclass(frozen=True, slots=True)
class RolloutRun:
    """What to roll out; saved with every row."""

    env: str
    policy: str = "random"
    world: Literal["real", "imagined"] = "real"
    oracle: str = defaults.ORACLE
    """What imagines: the world, or a planner's plans."""
    view: MarkovView = defaults.VIEW
    guide: Guide = GROUNDED
    seed: int = 0
    options: tuple[tuple[str, Any], ...] = ()
    """Of the environment."""

    def __post_init__(self) -> None:
        if self.world not in ("real", "imagined"):
            raise BadRolloutRun(f"world={self.world!r}: choose 'real' or 'imagined'.")

    def described(self) -> dict[str, Any]:
        imagines = self.world == "imagined" or self.policy.startswith("planner:")
        unused = {} if imagines else {"oracle": None, "view": None, "guide": None}
        found = {**asdict(self), "guide": self.guide.name, "options": dict(self.options), **unused}
        plain: dict[str, Any] = json.loads(json.dumps(found))
        return plain
