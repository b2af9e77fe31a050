"""Planning depth against errors per step, over all checkpoints of a ladder of models: figures and tables.

    python -m benchmarks.ladder_figures runs/ladder-3 runs/ladder-4 runs/ladder-6 --noise noise.json --out figures

Takes what `benchmarks.model_ladder` wrote (folders or files), and the curve of `benchmarks.ladder_noise`. Writes
`ladder-action.svg` and `ladder-state.svg` (extra `study`), and `ladder.md` with all tables. Planning depth is the
largest distance up to which at least half of the plans work at their first real run; its interval is of the distances
whose exact binomial intervals reach a half. Where plans still work at the last distance measured, and others were
measured farther, the interval is drawn up to the farthest distance of all. Runs nothing and loads no model.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.ladder_parts import ladder_tables
from benchmarks.ladder_parts.depth_law import depth_of
from benchmarks.ladder_parts.ladder_points import (
    FORMS,
    BadLadder,
    LadderPoint,
    NoisePoint,
    ladder_points,
    noise_points,
)
from cwm_agent.reports.study_figures import Curve, NoFigures, Panel, PointMark, Scale, StudyFigure, powers_of, svg_of
from tasks.output.atomic_file import write_file

AXES = {"action": "wrong actions per frame", "state": "wrong states per frame"}
NOISE = "oracle of known errors"


def figure(points: Sequence[LadderPoint], noise: Sequence[NoisePoint], part: str) -> StudyFigure:
    """Depth against the errors of one part; the oracle of known errors behind the checkpoints."""
    behind = [each for each in noise if each.part == part and each.plans]
    rates = [each.rate for each in behind] + [point.error(part).rate for point in points]
    plans = [each for point in points for each in point.plans] + [each for point in behind for each in point.plans]
    ticks = sorted({0, 1, *(each.distance for each in plans)})
    x = powers_of(AXES[part], rates, 10.0)
    y = Scale("depth, commands", -0.3, ticks[-1] + 0.3, tuple(map(float, ticks)))
    panels = [Panel(f"{form} commands", _curves(points, behind, form, part)) for form in FORMS]
    return StudyFigure(f"Planning depth by {AXES[part]}", panels, x, y, columns=2)


def _curves(points: Sequence[LadderPoint], noise: Sequence[NoisePoint], form: str, part: str) -> tuple[Curve, ...]:
    curves = []
    plans = [each for point in points for each in point.plans] + [each for point in noise for each in point.plans]
    farthest = max((each.distance for each in plans), default=0)
    marks = [_mark(each.rate, each, farthest) for each in noise if each.form == form]
    if marks:
        curves.append(Curve(NOISE, tuple(marks), dashed=True))
    for rung in dict.fromkeys(point.rung for point in points):
        own = [point for point in points if (point.rung, point.form) == (rung, form) and point.plans]
        if own:
            found = tuple(_mark(point.error(part).rate, point, farthest, part=part) for point in own)
            curves.append(Curve(f"{rung} parameters", found, joined=False))
    return tuple(curves)


def _mark(rate: float, point: LadderPoint | NoisePoint, farthest: int, *, part: str = "") -> PointMark:
    """A depth with its interval, which is open above where no plan failed often enough to end it."""
    depth = depth_of(point.plans)
    assert depth is not None
    least = min(each.problems for each in point.plans)
    is_bound = depth.depth == depth.farthest < farthest
    ends = (float(depth.low), float(farthest if is_bound else depth.high))
    if not isinstance(point, LadderPoint):
        return PointMark(rate, depth.depth, *ends, programs=least)
    error = point.error(part).interval
    return PointMark(rate, depth.depth, *ends, programs=least, left=error.low, right=error.high)


def page(points: Sequence[LadderPoint], noise: Sequence[NoisePoint]) -> str:
    """All tables, with what must be said beside them."""
    said = "".join(f"{line}\n\n" for line in ladder_tables.remarks(points))
    if not points:
        return said
    parts = (
        ("Checkpoints", ladder_tables.checkpoint_table(points)),
        ("What predicts planning depth", ladder_tables.predictor_table(points)),
        ("Whole traces by length", ladder_tables.length_table(points)),
        ("An oracle of known errors", ladder_tables.noise_table(noise) if noise else "Not measured.\n"),
    )
    return said + "\n".join(f"### {title}\n\n{table}" for title, table in parts)


def parser() -> argparse.ArgumentParser:
    """The options of this command."""
    assert __doc__ is not None
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = made.add_argument
    add("ladders", nargs="+", type=Path, metavar="LADDER", help="folders or files of `benchmarks.model_ladder`")
    add("--noise", type=Path, help="what `benchmarks.ladder_noise` wrote")
    add("--out", type=Path, required=True, help="folder of the figures and of ladder.md")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Read, draw and write."""
    made = parser()
    options = made.parse_args(arguments)
    try:
        points, noise = ladder_points(options.ladders), noise_points(options.noise)
        options.out.mkdir(parents=True, exist_ok=True)
        write_file(options.out / "ladder.md", page(points, noise))
        for part in AXES:
            write_file(options.out / f"ladder-{part}.svg", svg_of(figure(points, noise, part)))
    except (BadLadder, NoFigures) as error:
        made.error(str(error))
    print(f"{len(points)} points; wrote ladder.md, ladder-action.svg and ladder-state.svg to {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
