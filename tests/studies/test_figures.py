"""Figures and tables show what they are given, and nothing else."""

import builtins
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from typing import Any

import pytest

from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.study_figures import (
    Curve,
    NoFigures,
    Panel,
    PointMark,
    StudyFigure,
    named,
    powers_of,
    share_scale,
    svg_of,
)

NAMES = named("n", ["a", "b"])


def texts(drawn: str) -> list[str]:
    root = ElementTree.fromstring(drawn)  # noqa: S314  # our own text
    return ["".join(element.itertext()).strip() for element in root.iter() if element.tag.endswith("}text")]


def test_a_figure_is_svg_with_one_panel_per_title_and_one_legend_entry_per_label() -> None:
    marks = (PointMark(1, 0.5, 0.4, 0.6), PointMark(64, 1.0))
    panels = [Panel("a < b", (Curve("x & y", marks), Curve("z $1$", (PointMark(8, 0.0),), True)))] * 4
    drawn = svg_of(StudyFigure("T", panels, powers_of("n", [1, 64]), share_scale("s")))
    found = texts(drawn)
    assert [found.count(each) for each in ("a < b", "x & y", "z $1$", "T")] == [4, 1, 1, 1]
    assert drawn == svg_of(StudyFigure("T", panels, powers_of("n", [1, 64]), share_scale("s")))


def test_a_cell_of_few_programs_is_hollow_and_the_legend_says_so() -> None:
    many, few = (
        svg_of(StudyFigure("T", [Panel("p", (Curve("x", (PointMark(0, 1.0, programs=count),)),))], NAMES, NAMES))
        for count in (20, 19)
    )
    assert not any("hollow" in each for each in texts(many))
    assert "hollow: under 20 programs" in texts(few)


def test_an_empty_panel_says_so_and_a_figure_of_nothing_comes_out() -> None:
    """Nothing measured is not nothing found."""
    line = Curve("as predicted", (PointMark(0, 0.0), PointMark(1, 1.0)), dashed=True, marked=False)
    drawn = svg_of(StudyFigure("T", [Panel("p", ()), Panel("q", (line,))], NAMES, share_scale("s")))
    assert texts(drawn).count("not measured") == 1
    assert "T" in texts(svg_of(StudyFigure("T", [], NAMES, share_scale("s"))))


def test_marks_on_an_axis_of_numbers_stand_at_their_numbers() -> None:
    """Marks of several labels at one place are moved aside on an axis of names only."""
    curves = tuple(Curve(str(number), (PointMark(2, 0.5), PointMark(4, 0.5))) for number in range(3))
    for scale, places in ((powers_of("n", [1, 8]), 2), (named("n", list("abcde")), 6)):
        drawn = svg_of(StudyFigure("T", [Panel("p", curves)], scale, share_scale("s")))
        lines = re.findall(r'<path d="M ([\d.]+) [\d.]+ \nL ([\d.]+) [\d.]+ \n" clip-path[^>]*stroke-width: 1.6', drawn)
        assert len({at for line in lines for at in line}) == places


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = builtins.__import__

    def importing(name: str, *rest: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", importing)
    with pytest.raises(NoFigures, match=r"pip install 'cwm-agent\[study\]'"):
        svg_of(StudyFigure("T", [], NAMES, NAMES))


def test_scales_hold_their_values_and_clip_others() -> None:
    scale = powers_of("n", [8, 1024])
    assert list(scale.ticks) == [8, 16, 32, 64, 128, 256, 512, 1024]
    assert (scale.within(8), scale.within(2000), scale.within(1)) == (8, 1024, 8)


def test_a_table_is_markdown() -> None:
    assert markdown(("a", "b"), [(1, None), (0.12345, "x")]) == "| a | b |\n| --- | --- |\n| 1 | - |\n| 0.123 | x |\n"
