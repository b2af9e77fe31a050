"""Figures as SVG written by hand: panels of lines or of bars that open offline in any browser; computes nothing.

Colours go by label, the same in every panel of a figure; a mark's title says its numbers. Marks of several labels can
stand side by side, so that equal results are all seen.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

COLOURS = ("#c2410c", "#1d4ed8", "#15803d", "#9333ea", "#ca8a04", "#0891b2", "#be185d", "#475569", "#000000")
"""Neighbours are told apart by most eyes."""
_WIDTH, _HEIGHT = 230, 150
_LEFT, _TOP, _RIGHT, _BOTTOM = 46, 26, 14, 42
_HEAD = 30
_MARGIN, _NARROWEST = 12.0, 420
_LETTER = 5.2
"""Of a tick's name, with room to the next one."""
_CROWDED = 0.7
"""Of the way to the next place, the most that marks at one place may take."""


@dataclass(frozen=True, slots=True)
class PointMark:
    """A point, with its interval where there is one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of one label, joined in order; `dashed` for what is computed or a reference."""

    label: str
    marks: tuple[PointMark, ...]
    dashed: bool = False
    joined: bool = True
    """Not where the places have no order."""
    marked: bool = True
    """Not where the line is there to compare with and its points are no results."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot."""

    title: str
    lines: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis: its name, its ends and its ticks; by powers where `powers` says so."""

    name: str
    low: float
    high: float
    ticks: tuple[float, ...]
    powers: bool = False
    names: tuple[str, ...] = ()
    """Of the ticks, where numbers would say nothing."""

    def place(self, value: float) -> float:
        """Share of the way along the axis; what lies beyond an end is drawn on it."""
        value = min(max(value, self.low), self.high)
        if self.powers:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def labels(self) -> Iterable[tuple[float, str]]:
        return zip(self.ticks, self.names or [f"{tick:,.6g}" for tick in self.ticks], strict=True)


SHARE = Scale("share", -0.05, 1.05, (0.0, 0.25, 0.5, 0.75, 1.0))
"""A little wider than shares are, so that marks at the ends are whole."""


def share_scale(name: str) -> Scale:
    """From 0 to 1."""
    return Scale(name, SHARE.low, SHARE.high, SHARE.ticks)


def powers_of(name: str, values: Iterable[float], base: float = 2.0) -> Scale:
    """An axis by powers that holds all values, each power a tick."""
    positive = [value for value in values if value > 0] or [1.0]
    first = math.floor(math.log(min(positive), base) + 1e-9)
    last = max(first + 1, math.ceil(math.log(max(positive), base) - 1e-9))
    return Scale(name, base**first, base**last, tuple(base**power for power in range(first, last + 1)), True)


def named(name: str, labels: Sequence[str]) -> Scale:
    """An axis of names: the first stands at 0, the next at 1, and so on."""
    return Scale(name, -0.5, len(labels) - 0.5, tuple(map(float, range(len(labels)))), names=tuple(labels))


def figure(title: str, panels: Sequence[Panel], x: Scale, y: Scale, *, columns: int = 3, apart: float = 5.5) -> str:
    """The panels in rows under one title, with one legend.

    Marks of several labels at one place stand `apart` pixels from each other, closer where they are many; give 0 where
    x is measured.
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
        f'<text x="{_MARGIN:.0f}" y="20" font-size="14">{escape(title)}</text>',
    ]
    for number, panel in enumerate(panels):
        left, top = wide * (number % columns) + _LEFT, _HEAD + high * (number // columns) + _TOP
        parts.append(f'<g transform="translate({left} {top})">')
        parts += [*_frame(panel.title, x, y), *_drawn(panel.lines, colours, x, y, apart), "</g>"]
    return "\n".join([*parts, *legend, "</svg>"]) + "\n"


def _colours(panels: Sequence[Panel]) -> dict[str, str]:
    labels = dict.fromkeys(line.label for panel in panels for line in panel.lines)
    return {label: COLOURS[number % len(COLOURS)] for number, label in enumerate(labels)}


def _at(scale: Scale, value: float) -> float:
    return round(_WIDTH * scale.place(value), 1)


def _up(scale: Scale, value: float) -> float:
    return round(_HEIGHT * (1 - scale.place(value)), 1)


def _frame(title: str, x: Scale, y: Scale) -> list[str]:
    """Title, ticks and names of the axes."""
    parts = [f'<text x="0" y="-8" font-weight="bold">{escape(title)}</text>']
    lower = 10 if _names_meet(x) else 0
    for number, (value, label) in enumerate(x.labels()):
        at, down = _at(x, value), _HEIGHT + 14 + lower * (number % 2)
        parts.append(f'<line x1="{at}" y1="0" x2="{at}" y2="{_HEIGHT}" stroke="#eee"/>')
        parts.append(f'<text x="{at}" y="{down}" text-anchor="middle" font-size="9">{escape(label)}</text>')
    for value, label in y.labels():
        up = _up(y, value)
        parts.append(f'<line x1="0" y1="{up}" x2="{_WIDTH}" y2="{up}" stroke="#eee"/>')
        parts.append(f'<text x="-5" y="{up + 3}" text-anchor="end" font-size="9">{escape(label)}</text>')
    parts.append(f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#999"/>')
    parts.append(f'<text x="{_WIDTH / 2}" y="{_HEIGHT + 28 + lower}" text-anchor="middle">{escape(x.name)}</text>')
    middle = f'x="-34" y="{_HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 -34 {_HEIGHT / 2})"'
    parts.append(f"<text {middle}>{escape(y.name)}</text>")
    return parts


def _names_meet(x: Scale) -> bool:
    """Whether ticks are too near for their names to stand in one row."""
    placed = [(_at(x, value), _LETTER * len(label) / 2) for value, label in x.labels()]
    return any(there - here < half + other for (here, half), (there, other) in pairwise(placed))


def _drawn(lines: Sequence[Curve], colours: dict[str, str], x: Scale, y: Scale, apart: float) -> list[str]:
    """All lines of a panel, the dashed ones on top: what lies under them is seen between the dashes."""
    if not lines:
        return [f'<text x="{_WIDTH / 2}" y="{_HEIGHT / 2}" text-anchor="middle" fill="#999">not measured</text>']
    middle = (len(lines) - 1) / 2
    apart = min(apart, _CROWDED * _WIDTH / len(x.ticks) / max(1, len(lines) - 1))
    placed = [(line, apart * (number - middle)) for number, line in enumerate(lines)]
    placed.sort(key=lambda each: each[0].dashed)
    return [_line(line, colours[line.label], x, y, aside) for line, aside in placed]


def _line(line: Curve, colour: str, x: Scale, y: Scale, aside: float) -> str:
    """One label's points with their intervals, joined."""
    places = [round(_at(x, mark.x) + aside, 1) for mark in line.marks]
    points = " ".join(f"{at},{_up(y, mark.y)}" for at, mark in zip(places, line.marks, strict=True))
    dashes = ' stroke-dasharray="4 3"' if line.dashed else ""
    drawn = f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"{dashes}/>'
    parts = [drawn] if line.joined else []
    for at, mark in zip(places, line.marks if line.marked else (), strict=line.marked):
        up = _up(y, mark.y)
        if mark.low is not None and mark.high is not None:
            ends = f'y1="{_up(y, mark.low)}" y2="{_up(y, mark.high)}"'
            parts.append(f'<line x1="{at}" x2="{at}" {ends} stroke="{colour}" stroke-opacity="0.45"/>')
        title = escape(f"{line.label}: {mark.x:g}, {mark.y:.4g}{' ' + mark.note if mark.note else ''}")
        parts.append(f'<circle cx="{at}" cy="{up}" r="2.8" fill="{colour}"><title>{title}</title></circle>')
    return "".join(parts)


def _legend(panels: Sequence[Panel], colours: dict[str, str], top: float, width: float) -> tuple[list[str], float]:
    """The labels in rows from `top` on, and where they end."""
    dashed = {line.label for panel in panels for line in panel.lines if line.dashed}
    parts, left = [], _MARGIN
    for label, colour in colours.items():
        needed = 36 + 6.2 * len(label)
        if left > _MARGIN and left + needed > width:
            left, top = _MARGIN, top + 16
        dashes = ' stroke-dasharray="4 3"' if label in dashed else ""
        line = f'x1="{left:.0f}" x2="{left + 18:.0f}" y1="{top - 4:.0f}" y2="{top - 4:.0f}"'
        parts.append(f'<line {line} stroke="{colour}" stroke-width="2.5"{dashes}/>')
        parts.append(f'<text x="{left + 22:.0f}" y="{top:.0f}">{escape(label)}</text>')
        left += needed
    return parts, top
