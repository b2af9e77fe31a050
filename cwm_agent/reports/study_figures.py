"""Figures of studies: panels of curves with intervals and one legend, described as data and drawn by matplotlib.

A description needs no library, so a study can be measured on a machine without matplotlib; `svg_of` draws it (extra
`study`). A label has the same colour, marker and line in every panel of a figure, told apart without colour too. A
mark of fewer than `FEWEST` programs is hollow. On an axis of names, marks of several labels at one place stand side
by side; on an axis of numbers every mark stands at its number.
"""

import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from cwm_agent.verification.statistics.exact_intervals import FEWEST
from tasks.output.terminal_text import visible_line

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F", "#882255")
"""The palette of Okabe and Ito and two more: told apart with the common kinds of colour blindness."""
MARKERS = "osD^vPX*h"
INSTALL = "Figures need matplotlib. Install it with `pip install 'cwm-agent[study]'`."
_PANEL = (3.9, 2.9)
"""Width and height of a panel in inches: its text is readable at half the size."""
_FONT = 13.0
_CROWDED = 0.6
"""Most of the distance between two names that the marks at one place may take."""
_LEGEND_LETTERS = 34
"""Letters of a legend's entries that fit over one panel."""


class NoFigures(ImportError):
    """matplotlib is missing; the message says how to install it."""


@dataclass(frozen=True, slots=True)
class PointMark:
    """A point with an optional interval."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    programs: int | None = field(default=None, kw_only=True)
    """What the point rests on; None where that is not a number of programs."""
    left: float | None = field(default=None, kw_only=True)
    """Ends of the interval of x, where x was measured too."""
    right: float | None = field(default=None, kw_only=True)


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

    def within(self, value: float) -> float:
        """The value, or the end of the axis that it lies beyond."""
        return min(max(value, self.low), self.high)

    def labels(self) -> list[str]:
        """The text of each tick."""
        return list(self.names) or [f"{tick:,.6g}" for tick in self.ticks]


@dataclass(frozen=True, slots=True)
class StudyFigure:
    """All panels of one figure, in rows, with one title and one legend."""

    title: str
    panels: Sequence[Panel]
    x: Scale
    y: Scale
    columns: int = field(default=3, kw_only=True)


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


def svg_of(figure: StudyFigure) -> str:
    """The figure as SVG text, the same for the same figure; NoFigures where matplotlib is missing."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise NoFigures(INSTALL) from error
    columns = max(1, min(figure.columns, len(figure.panels)))
    rows = max(1, math.ceil(len(figure.panels) / columns))
    settings: dict[Any, Any] = {
        "font.size": _FONT,
        "font.sans-serif": ["DejaVu Sans"],
        "svg.hashsalt": "cwm-agent",
        "svg.fonttype": "none",
        "text.parse_math": False,
    }
    with mpl.rc_context(settings):
        width = max(_PANEL[0] * columns, 0.135 * len(figure.title))
        labels = {curve.label for panel in figure.panels for curve in panel.curves}
        height = (_PANEL[1] + 0.5 * _is_crowded(figure.x)) * rows + 0.8 + 0.26 * len(labels) / columns
        drawn = Figure(figsize=(width, height), layout="constrained")
        drawn.suptitle(visible_line(figure.title), fontsize=_FONT + 2)
        axes = drawn.subplots(rows, columns, squeeze=False).flat
        for panel, place in zip(figure.panels, axes, strict=False):
            _draw(place, panel, figure)
        for place in list(axes)[len(figure.panels) :]:
            place.set_axis_off()
        _legend(drawn, figure, columns)
        text = io.StringIO()
        drawn.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return _compact(text.getvalue())


def _compact(svg: str) -> str:
    """The same picture in fewer bytes: places to a hundredth of a point, no indentation, no rotation by nothing."""
    attributes = re.compile(r'(?<= )(d|x|y|transform)="([^"]*)"')
    numbers = re.compile(r"-?\d+\.\d+")

    def rounded(found: re.Match[str]) -> str:
        return f'{found[1]}="{numbers.sub(lambda number: f"{float(number[0]):.2f}", found[2])}"'

    plain = re.sub(r' transform="rotate\(-0 [^"]*"', "", svg)
    return re.sub(r"\n\s+", "\n", attributes.sub(rounded, plain))


def _styles(figure: StudyFigure) -> dict[str, dict[str, Any]]:
    """Colour and marker of each label."""
    labels = dict.fromkeys(curve.label for panel in figure.panels for curve in panel.curves)
    return {
        label: {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
        for number, label in enumerate(labels)
    }


def _draw(place: Any, panel: Panel, figure: StudyFigure) -> None:
    """One panel: axes, and all curves; dashed ones are on top, so that curves below stay visible."""
    place.set_title(visible_line(panel.title), fontsize=_FONT)
    for axis, scale in ((place.xaxis, figure.x), (place.yaxis, figure.y)):
        axis.set_label_text(visible_line(scale.name))
    if figure.x.powers:
        place.set_xscale("log", base=2)
    if figure.y.powers:
        place.set_yscale("log", base=2)
    place.set_xlim(*_ends(figure.x))
    place.set_ylim(*_ends(figure.y))
    names = [visible_line(each) for each in figure.x.labels()]
    crowded = _is_crowded(figure.x)
    place.set_xticks(figure.x.ticks, names, rotation=35 if crowded else 0, ha="right" if crowded else "center")
    place.set_yticks(figure.y.ticks, [visible_line(each) for each in figure.y.labels()])
    place.minorticks_off()
    place.grid(color="#e4e4e4", linewidth=0.8)
    place.set_axisbelow(True)
    if not panel.curves:
        place.text(0.5, 0.5, "not measured", ha="center", va="center", transform=place.transAxes, color="#666666")
    apart = _CROWDED / max(1, len(panel.curves)) if figure.x.names else 0.0
    styles, middle = _styles(figure), (len(panel.curves) - 1) / 2
    for number, curve in sorted(enumerate(panel.curves), key=lambda each: each[1].dashed):
        _draw_curve(place, curve, styles[curve.label], figure, apart * (number - middle))


def _is_crowded(scale: Scale) -> bool:
    """Whether the names of the ticks do not fit beside each other."""
    return sum(map(len, scale.labels())) > _LEGEND_LETTERS


def _ends(scale: Scale) -> tuple[float, float]:
    """The ends of an axis; a logarithmic one is a little wider than its ticks."""
    return (scale.low / 1.2, scale.high * 1.2) if scale.powers else (scale.low, scale.high)


def _draw_curve(place: Any, curve: Curve, style: dict[str, Any], figure: StudyFigure, aside: float) -> None:
    """The points of one curve with their intervals, joined."""
    x, y, colour = figure.x, figure.y, style["color"]
    places = [(x.within(mark.x) + aside, y.within(mark.y), mark) for mark in curve.marks]
    if curve.joined:
        line = "--" if curve.dashed else "-"
        place.plot([at for at, _, _ in places], [up for _, up, _ in places], line, color=colour, linewidth=1.6)
    if not curve.marked:
        return
    ends = [
        (at, y.within(mark.low), y.within(mark.high))
        for at, _, mark in places
        if mark.low is not None and mark.high is not None
    ]
    if ends:
        place.vlines(*zip(*ends, strict=True), color=colour, alpha=0.5, linewidth=1.4)
    across = [
        (up, x.within(mark.left), x.within(mark.right))
        for _, up, mark in places
        if mark.left is not None and mark.right is not None
    ]
    if across:
        place.hlines(*zip(*across, strict=True), color=colour, alpha=0.5, linewidth=1.4)
    for few, face in ((False, colour), (True, "white")):
        shown = [(at, up) for at, up, mark in places if _rests_on_few(mark) == few]
        if shown:
            edges: dict[str, Any] = {"markersize": 6.5, "markerfacecolor": face, "markeredgecolor": colour, **style}
            place.plot(*zip(*shown, strict=True), linestyle="", **edges)


def _rests_on_few(mark: PointMark) -> bool:
    return mark.programs is not None and mark.programs < FEWEST


def _entry(curve: Curve, style: dict[str, Any]) -> dict[str, Any]:
    """The style of a legend's entry: without a marker where the curve has none."""
    return style if curve.marked else {**style, "marker": ""}


def _legend(drawn: Any, figure: StudyFigure, columns: int) -> None:
    """One entry per label, and one for hollow marks where there are any."""
    from matplotlib.lines import Line2D

    curves = {curve.label: curve for panel in figure.panels for curve in panel.curves}
    styles = _styles(figure)
    entries = [
        Line2D(
            [], [], linestyle="--" if curve.dashed else "-", label=visible_line(label), **_entry(curve, styles[label])
        )
        for label, curve in curves.items()
    ]
    marks = [mark for panel in figure.panels for curve in panel.curves for mark in curve.marks]
    if any(map(_rests_on_few, marks)):
        hollow: dict[str, Any] = {"marker": "o", "markerfacecolor": "white", "color": "#666666", "linestyle": ""}
        entries.append(Line2D([], [], label=f"hollow: under {FEWEST} programs", **hollow))
    if entries:
        longest = max(len(str(each.get_label())) for each in entries) + 6
        across = max(1, min(len(entries), columns * _LEGEND_LETTERS // longest))
        drawn.legend(handles=entries, loc="outside lower center", ncols=across, frameon=False)
