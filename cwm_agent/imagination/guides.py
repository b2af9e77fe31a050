"""Guides: how much of the next line the oracle decides.

    free       the oracle decides
    cfg        the oracle decides among the lines that can follow
    grounded   a rule decides, from the imagined values
    forced     the real run decides
    anchored:k grounded, and the real state replaces the imagined one every k steps

`forced` and `anchored` need the real run: they are for verification and studies.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from tasks.errors import did_you_mean

Freedom = Literal["free", "cfg", "grounded", "forced"]


class BadGuide(ValueError):
    """A guide that does not exist, or that this view, program or command cannot use; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Guide:
    """What decides the next line, and how often the real state replaces the imagined one."""

    freedom: Freedom = "grounded"
    every: int | None = None
    """Steps between real states; None for never."""

    def __post_init__(self) -> None:
        if self.every is not None and self.every < 1:
            raise BadGuide(f"anchored:{self.every} makes no sense; give a number of steps of at least 1.")

    @property
    def name(self) -> str:
        anchor = f"anchored:{self.every}"
        if self.every is None:
            return self.freedom
        return anchor if self.freedom == "grounded" else f"{self.freedom}+{anchor}"

    @property
    def needs_reality(self) -> bool:
        return self.freedom == "forced" or self.every is not None

    @property
    def asks_line(self) -> bool:
        return self.freedom in ("free", "cfg")


GROUNDED = Guide()


def parse_guide(text: str) -> Guide:
    """Return a guide by name: `free`, `cfg`, `grounded`, `forced`, `anchored:8`, `free+anchored:8`."""
    freedom, _, anchor = text.rpartition("+") if "+" in text else ("", "", text)
    if anchor.partition(":")[0] != "anchored":
        freedom, anchor = text, ""
    elif "+" not in text:
        freedom = "grounded"
    if freedom not in get_args(Freedom):
        known = [*get_args(Freedom), "anchored:K"]
        choices = f"Choose one of: {', '.join(known)}."
        raise BadGuide(f"No guide named {text!r}. {did_you_mean(freedom, known, otherwise=choices)}")
    if not anchor:
        return Guide(freedom)  # type: ignore[arg-type]  # checked just above
    number = anchor.partition(":")[2]
    if not number.isdecimal():
        raise BadGuide(f"Write anchored:K with a number of steps K, not {anchor!r}.")
    return Guide(freedom, int(number))  # type: ignore[arg-type]
