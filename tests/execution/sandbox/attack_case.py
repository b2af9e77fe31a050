"""One attack as data: what a hostile program tries, and the wall that it must meet."""

from dataclasses import dataclass
from typing import Literal

Wall = Literal["kernel", "absent", "limit", "own", "judge"]


@dataclass(frozen=True, slots=True)
class Attack:
    """One program, as the body of a function without parameters."""

    name: str
    kind: str
    body: str
    wall: Wall
    close: bool = False
    """Whether the answer is compared with a tolerance."""


def attacks(kind: str, wall: Wall, bodies: dict[str, str]) -> list[Attack]:
    return [Attack(name, kind, body, wall) for name, body in bodies.items()]
