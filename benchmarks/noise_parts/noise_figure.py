"""The figure of the noise benchmark: promised against measured depth, as SVG written by hand; computes nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.noise import ReachPoint

_SIDE, _LEFT, _TOP = 380, 60, 40
_LOW, _HIGH = 1.0, 1000.0
_COLOURS = {"straight": "#1f6fb2", "branching": "#c2571a"}


def figure(points: Sequence[ReachPoint]) -> str:
    """Promised d50 across, measured d50 up, by powers of ten; they agree on the diagonal; bars are 95 % intervals."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _SIDE + 170}" height="{_TOP + _SIDE + 60}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">Depth that half of the rollouts reach: promised by the hazard, and '
        "measured</text>",
        *_axes(),
        _line(_LOW, _LOW, _HIGH, _HIGH, "#999", "4 4"),
        *[_mark(point) for point in points if point.measured is not None],
        *_legend(),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _place(value: float) -> float:
    """Share of the way along an axis."""
    clipped = min(max(value, _LOW), _HIGH)
    return math.log(clipped / _LOW) / math.log(_HIGH / _LOW)


def _x(value: float) -> float:
    return round(_LEFT + _SIDE * _place(value), 1)


def _y(value: float) -> float:
    return round(_TOP + _SIDE * (1 - _place(value)), 1)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, dashes: str = "") -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<line x1="{_x(x1)}" y1="{_y(y1)}" x2="{_x(x2)}" y2="{_y(y2)}" stroke="{colour}"{dashed}/>'


def _axes() -> list[str]:
    parts = []
    for power in range(4):
        value = 10.0**power
        parts += [_line(value, _LOW, value, _HIGH, "#e5e5e5"), _line(_LOW, value, _HIGH, value, "#e5e5e5")]
        parts.append(f'<text x="{_x(value)}" y="{_TOP + _SIDE + 18}" text-anchor="middle">{value:g}</text>')
        parts.append(f'<text x="{_LEFT - 8}" y="{_y(value) + 4}" text-anchor="end">{value:g}</text>')
    middle = _TOP + _SIDE / 2
    parts.append(
        f'<text x="{_LEFT + _SIDE / 2}" y="{_TOP + _SIDE + 42}" text-anchor="middle">promised d50, steps</text>'
    )
    parts.append(
        f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">measured d50, steps</text>'
    )
    return parts


def _mark(point: ReachPoint) -> str:
    """A disc for noise that errs anew each time, a square for noise that errs the same way."""
    assert point.measured is not None
    x, y, colour = _x(point.predicted), _y(max(point.measured, _LOW)), _COLOURS[point.shape]
    title = f"<title>{point.shape}, {point.kind}, {point.predicted:.1f} promised, {point.measured} measured</title>"
    bar = (
        f'<line x1="{x}" y1="{_y(max(point.low, _LOW))}" x2="{x}" y2="{_y(max(point.high, _LOW))}" stroke="{colour}"/>'
    )
    if point.kind == "iid":
        return f'{bar}<circle cx="{x}" cy="{y}" r="5" fill="{colour}" fill-opacity="0.8">{title}</circle>'
    return bar + _square(x, y, colour, title)


def _square(x: float, y: float, colour: str, title: str = "") -> str:
    frame = f'width="10" height="10" fill="none" stroke="{colour}" stroke-width="2"'
    return f'<rect x="{x - 5}" y="{y - 5}" {frame}>{title}</rect>'


def _legend() -> list[str]:
    left, parts = _LEFT + _SIDE + 20, []
    for row, (shape, colour) in enumerate(_COLOURS.items()):
        top = _TOP + 20 + row * 44
        parts.append(f'<circle cx="{left}" cy="{top}" r="5" fill="{colour}"/>')
        parts.append(f'<text x="{left + 12}" y="{top + 4}">{shape}, iid</text>')
        parts.append(_square(left, top + 20, colour))
        parts.append(f'<text x="{left + 12}" y="{top + 24}">{shape}, systematic</text>')
    return parts
