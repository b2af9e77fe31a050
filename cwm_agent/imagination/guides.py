"""Guides: how much of the next line the oracle decides.

    free       the oracle decides
    cfg        the oracle decides among the lines that can follow
    grounded   a rule decides, from the imagined values
    forced     the real run decides
    anchored:k grounded, and the real state replaces the imagined one every k steps
    unsure:p   grounded, and the real state replaces a step to which the oracle gave a probability below p, or a
               malformed answer

`forced`, `anchored` and `unsure` need the real run: they are for verification and studies.
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
    below: float | None = None
    """Probability of a step's answers below which the real state is looked at; None for never."""

    def __post_init__(self) -> None:
        if self.below is not None and (self.every is not None or not 0 < self.below <= 1):
            raise BadGuide(
                f"unsure:{self.below:g} makes no sense; give a probability above 0, and no anchor beside it."
            )
        if self.every is not None and self.every < 1:
            raise BadGuide(f"anchored:{self.every} makes no sense; give a number of steps of at least 1.")

    @property
    def name(self) -> str:
        if not self.looks:
            return self.freedom
        anchor = f"anchored:{self.every}" if self.below is None else f"unsure:{self.below:g}"
        return anchor if self.freedom == "grounded" else f"{self.freedom}+{anchor}"

    @property
    def needs_reality(self) -> bool:
        return self.freedom == "forced" or self.looks

    @property
    def looks(self) -> bool:
        """Whether the real state replaces the imagined one at some steps."""
        return self.every is not None or self.below is not None

    @property
    def asks_line(self) -> bool:
        return self.freedom in ("free", "cfg")


GROUNDED = Guide()


def parse_guide(text: str) -> Guide:
    """Return a guide by name: `free`, `cfg`, `grounded`, `forced`, `anchored:8`, `free+anchored:8`, `unsure:0.9`."""
    freedom, _, anchor = text.rpartition("+") if "+" in text else ("", "", text)
    if anchor.partition(":")[0] not in ("anchored", "unsure"):
        freedom, anchor = text, ""
    elif "+" not in text:
        freedom = "grounded"
    if freedom not in get_args(Freedom):
        known = [*get_args(Freedom), "anchored:K", "unsure:P"]
        choices = f"Choose one of: {', '.join(known)}."
        raise BadGuide(f"No guide named {text!r}. {did_you_mean(freedom, known, otherwise=choices)}")
    if not anchor:
        return Guide(freedom)  # type: ignore[arg-type]  # checked just above
    kind, _, number = anchor.partition(":")
    if kind == "unsure":
        return Guide(freedom, below=_probability(number))  # type: ignore[arg-type]
    if not number.isdecimal():
        raise BadGuide(f"Write anchored:K with a number of steps K, not {anchor!r}.")
    return Guide(freedom, int(number))  # type: ignore[arg-type]


def _probability(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadGuide(f"Write unsure:P with a probability P from 0 to 1, not 'unsure:{text}'.") from None
