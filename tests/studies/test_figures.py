"""Figures and tables show what they are given, and nothing else."""

import re
import xml.etree.ElementTree as ElementTree

from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.svg_figures import Curve, Panel, PointMark, figure, named, powers_of, share_scale


def test_a_figure_is_svg_with_one_panel_per_title_and_one_mark_per_point() -> None:
    panels = [
        Panel(
            "a < b",
            (Curve("x & y", (PointMark(1, 0.5, 0.4, 0.6), PointMark(64, 1.0))), Curve("z", (PointMark(8, 0.0),), True)),
        )
    ] * 4
    root = ElementTree.fromstring(figure("T", panels, powers_of("n", [1, 64]), share_scale("s")))  # noqa: S314
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert texts.count("a < b") == 4
    assert len([element for element in root.iter() if element.tag.endswith("circle")]) == 12


def test_marks_of_many_labels_stay_at_their_place() -> None:
    """Marks at one place never reach the next place and never leave the panel."""
    lines = tuple(Curve(str(number), (PointMark(0, 1.0), PointMark(7, 1.0))) for number in range(9))
    drawn = figure("T", [Panel("p", lines)], named("n", list("abcdefgh")), share_scale("s"))
    places = [float(at) for at in re.findall(r'cx="([-0-9.]+)"', drawn)]
    between = 230 / 8
    assert all(0 < at < between or 7 * between < at < 230 for at in places)
    assert len(set(places)) == 18


def test_an_empty_panel_says_so_and_a_reference_line_has_no_marks() -> None:
    """Nothing measured is not nothing found, and the ends of a reference are no results."""
    line = Curve("as predicted", (PointMark(0, 0.0), PointMark(1, 1.0)), dashed=True, marked=False)
    drawn = figure("T", [Panel("p", ()), Panel("q", (line,))], named("n", ["a", "b"]), share_scale("s"))
    assert drawn.count("not measured") == 1
    assert "<polyline" in drawn
    assert "<circle" not in drawn


def test_long_names_of_neighbouring_ticks_are_drawn_in_two_rows() -> None:
    """And short ones in one: names never run into each other."""
    for labels, rows in ((("control-state", "malformed", "outcome", "x", "y", "z"), 2), (tuple("abcdef"), 1)):
        drawn = figure("T", [Panel("p", ())], named("n", labels), share_scale("s"))
        found = re.findall(rf'y="(\d+)"[^>]*>(?:{"|".join(labels)})<', drawn)
        assert len(found) == 6
        assert len(set(found)) == rows


def test_scales_hold_their_values_and_clip_others() -> None:
    scale = powers_of("n", [8, 1024])
    assert list(scale.ticks) == [8, 16, 32, 64, 128, 256, 512, 1024]
    assert (scale.place(8), scale.place(1024), scale.place(1)) == (0.0, 1.0, 0.0)
    assert named("x", ["a", "b"]).place(0.5) == 0.5


def test_a_table_is_markdown() -> None:
    assert markdown(("a", "b"), [(1, None), (0.12345, "x")]) == "| a | b |\n| --- | --- |\n| 1 | - |\n| 0.123 | x |\n"
