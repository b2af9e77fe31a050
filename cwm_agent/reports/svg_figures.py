"""Figures as SVG text, without a plotting library: panels of curves with intervals and one legend. Computes nothing.

A label has the same colour in every panel of a figure; the title of a mark holds its numbers. Marks of several labels
at one place are drawn side by side, so that equal results stay visible.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

from tasks.output.terminal_text import visible_line

COLOURS = ("#c2410c", "#1d4ed8", "#15803d", "#9333ea", "#ca8a04", "#0891b2", "#be185d", "#475569", "#000000")
"""Neighbouring colours differ for most readers."""
_WIDTH, _HEIGHT = 230, 150
_LEFT, _TOP, _RIGHT, _BOTTOM = 46, 26, 14, 42
_HEAD = 30
_MARGIN, _NARROWEST = 12.0, 420
_LETTER = 5.2
"""Width of a letter in the name of a tick."""
_CROWDED = 0.7
"""Most of the distance between two ticks that the marks at one place may take."""


@dataclass(frozen=True, slots=True)
class PointMark:
    """A point with an optional interval and a note for its title."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    note: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of one label, joined in order; `dashed` for computed curves and references."""

    label: str
    marks: tuple[PointMark, ...]
    dashed: bool = False
    joined: bool = True
    """False where the x values have no order."""
    marked: bool = True
    """False for a reference line whose points are no results."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot with its title and curves."""

    title: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis: name, ends and ticks; logarithmic with `powers`."""

    name: str
    low: float
    high: float
    ticks: tuple[float, ...]
    powers: bool = False
    names: tuple[str, ...] = ()
    """Names of the ticks, in place of numbers."""

    def place(self, value: float) -> float:
        """Position on the axis from 0 to 1; values beyond an end are drawn at the end."""
        value = min(max(value, self.low), self.high)
        if self.powers:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def labels(self) -> Iterable[tuple[float, str]]:
        """Ticks with their text."""
        return zip(self.ticks, self.names or [f"{tick:,.6g}" for tick in self.ticks], strict=True)


SHARE = Scale("share", -0.05, 1.05, (0.0, 0.25, 0.5, 0.75, 1.0))
"""Slightly wider than 0 to 1, so that marks at the ends are drawn completely."""


def share_scale(name: str) -> Scale:
    """An axis for shares from 0 to 1."""
    return Scale(name, SHARE.low, SHARE.high, SHARE.ticks)


def powers_of(name: str, values: Iterable[float], base: float = 2.0) -> Scale:
    """A logarithmic axis for all values, with a tick at each power of `base`."""
    positive = [value for value in values if value > 0] or [1.0]
    first = math.floor(math.log(min(positive), base) + 1e-9)
    last = max(first + 1, math.ceil(math.log(max(positive), base) - 1e-9))
    return Scale(name, base**first, base**last, tuple(base**power for power in range(first, last + 1)), powers=True)


def named(name: str, labels: Sequence[str]) -> Scale:
    """An axis of names; the first name is at 0, the second at 1."""
    return Scale(name, -0.5, len(labels) - 0.5, tuple(map(float, range(len(labels)))), names=tuple(labels))


def figure(title: str, panels: Sequence[Panel], x: Scale, y: Scale, *, columns: int = 3, apart: float = 5.5) -> str:
    """The SVG of all panels, in rows, with one title and one legend.

    Marks of several labels at one place are `apart` pixels from each other, closer where they are many; use 0 where x
    is a measured value.
    """
    colours = _colours(panels)
    wide, high = _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BOTTOM
    width = max(wide * min(columns, len(panels)), _NARROWEST)
    legend, bottom = _legend(panels, colours, _HEAD + high * math.ceil(len(panels) / columns) + 14, width)
    height = bottom + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_MARGIN:.0f}" y="20" font-size="14">{_escaped(title)}</text>',
    ]
    for number, panel in enumerate(panels):
        left, top = wide * (number % columns) + _LEFT, _HEAD + high * (number // columns) + _TOP
        parts.append(f'<g transform="translate({left} {top})">')
        parts += [*_frame(panel.title, x, y), *_drawn(panel.curves, colours, x, y, apart=apart), "</g>"]
    return "\n".join([*parts, *legend, "</svg>"]) + "\n"


def _escaped(text: str) -> str:
    """Text as XML may contain it: a control character would make the file unreadable."""
    return escape(visible_line(text))


def _colours(panels: Sequence[Panel]) -> dict[str, str]:
    labels = dict.fromkeys(line.label for panel in panels for line in panel.curves)
    return {label: COLOURS[number % len(COLOURS)] for number, label in enumerate(labels)}


def _at(scale: Scale, value: float) -> float:
    return round(_WIDTH * scale.place(value), 1)


def _up(scale: Scale, value: float) -> float:
    return round(_HEIGHT * (1 - scale.place(value)), 1)


def _frame(title: str, x: Scale, y: Scale) -> list[str]:
    """Title of the panel, ticks and names of the axes."""
    parts = [f'<text x="0" y="-8" font-weight="bold">{_escaped(title)}</text>']
    lower = 10 if _names_meet(x) else 0
    for number, (value, label) in enumerate(x.labels()):
        at, down = _at(x, value), _HEIGHT + 14 + lower * (number % 2)
        parts.append(f'<line x1="{at}" y1="0" x2="{at}" y2="{_HEIGHT}" stroke="#eee"/>')
        parts.append(f'<text x="{at}" y="{down}" text-anchor="middle" font-size="9">{_escaped(label)}</text>')
    for value, label in y.labels():
        up = _up(y, value)
        parts.append(f'<line x1="0" y1="{up}" x2="{_WIDTH}" y2="{up}" stroke="#eee"/>')
        parts.append(f'<text x="-5" y="{up + 3}" text-anchor="end" font-size="9">{_escaped(label)}</text>')
    parts.append(f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#999"/>')
    parts.append(f'<text x="{_WIDTH / 2}" y="{_HEIGHT + 28 + lower}" text-anchor="middle">{_escaped(x.name)}</text>')
    middle = f'x="-34" y="{_HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 -34 {_HEIGHT / 2})"'
    parts.append(f"<text {middle}>{_escaped(y.name)}</text>")
    return parts


def _names_meet(x: Scale) -> bool:
    """Whether the names of neighbouring ticks would overlap in one row."""
    placed = [(_at(x, value), _LETTER * len(label) / 2) for value, label in x.labels()]
    return any(there - here < half + other for (here, half), (there, other) in pairwise(placed))


def _drawn(curves: Sequence[Curve], colours: dict[str, str], x: Scale, y: Scale, *, apart: float) -> list[str]:
    """All curves of a panel; dashed ones are on top, so that curves below stay visible."""
    if not curves:
        return [f'<text x="{_WIDTH / 2}" y="{_HEIGHT / 2}" text-anchor="middle" fill="#999">not measured</text>']
    middle = (len(curves) - 1) / 2
    apart = min(apart, _CROWDED * _WIDTH / len(x.ticks) / max(1, len(curves) - 1))
    placed = [(curve, apart * (number - middle)) for number, curve in enumerate(curves)]
    placed.sort(key=lambda each: each[0].dashed)
    return [_line(curve, colours[curve.label], x, y, aside=aside) for curve, aside in placed]


def _line(curve: Curve, colour: str, x: Scale, y: Scale, *, aside: float) -> str:
    """The points of one curve with their intervals, joined."""
    places = [round(_at(x, mark.x) + aside, 1) for mark in curve.marks]
    points = " ".join(f"{at},{_up(y, mark.y)}" for at, mark in zip(places, curve.marks, strict=True))
    dashes = ' stroke-dasharray="4 3"' if curve.dashed else ""
    drawn = f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"{dashes}/>'
    parts = [drawn] if curve.joined else []
    for at, mark in zip(places, curve.marks if curve.marked else (), strict=curve.marked):
        up = _up(y, mark.y)
        if mark.low is not None and mark.high is not None:
            ends = f'y1="{_up(y, mark.low)}" y2="{_up(y, mark.high)}"'
            parts.append(f'<line x1="{at}" x2="{at}" {ends} stroke="{colour}" stroke-opacity="0.45"/>')
        title = _escaped(f"{curve.label}: {mark.x:g}, {mark.y:.4g}{' ' + mark.note if mark.note else ''}")
        parts.append(f'<circle cx="{at}" cy="{up}" r="2.8" fill="{colour}"><title>{title}</title></circle>')
    return "".join(parts)


def _legend(panels: Sequence[Panel], colours: dict[str, str], top: float, width: float) -> tuple[list[str], float]:
    """The SVG parts of the legend from `top` on, and its lower end."""
    dashed = {line.label for panel in panels for line in panel.curves if line.dashed}
    parts, left = [], _MARGIN
    for label, colour in colours.items():
        needed = 36 + 6.2 * len(label)
        if left > _MARGIN and left + needed > width:
            left, top = _MARGIN, top + 16
        dashes = ' stroke-dasharray="4 3"' if label in dashed else ""
        line = f'x1="{left:.0f}" x2="{left + 18:.0f}" y1="{top - 4:.0f}" y2="{top - 4:.0f}"'
        parts.append(f'<line {line} stroke="{colour}" stroke-width="2.5"{dashes}/>')
        parts.append(f'<text x="{left + 22:.0f}" y="{top:.0f}">{_escaped(label)}</text>')
        left += needed
    return parts, top
