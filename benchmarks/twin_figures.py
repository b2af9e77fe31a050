"""Tables and a figure of `benchmarks.model_twins`: tokens, sparse traces and architecture by depth of composition.

    python -m benchmarks.twin_figures twins.json --out figures

Writes `twins.svg` (extra `study`) and `twins.md`: whole answers by kind and depth beside what the single operations
predict, failures by operation, and what each twin writes and keeps. Two twins are compared on the same chains by
McNemar's exact test; a file without answers chain by chain has Fisher's test in its place. Trains nothing.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.twin_parts.operation_chains import DEPTHS, KINDS, held_out
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.study_figures import (
    Curve,
    NoFigures,
    Panel,
    PointMark,
    Scale,
    StudyFigure,
    share_scale,
    svg_of,
)
from cwm_agent.verification.statistics.exact_intervals import FEWEST, binomial_interval, marked, paired_test
from tasks.output.atomic_file import write_file

REFERENCE = "bytes"
"""The arm that the others are compared with."""
Cells = Mapping[tuple[str, int], Mapping[str, Any]]


class BadTwins(ValueError):
    """A file that holds no results of the twins; the message says what to do."""


def read_arms(path: Path) -> dict[str, dict[str, Any]]:
    """The arms of a file, each with its cells by kind and depth."""
    try:
        found = json.loads(path.read_text())
        arms = {name: {**arm, "cells": _cells(arm)} for name, arm in found["arms"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadTwins(f"{path} cannot be read as results of `python -m benchmarks.model_twins`: {error!r}") from error
    return arms


def _cells(arm: Mapping[str, Any]) -> dict[tuple[str, int], Mapping[str, Any]]:
    return {(cell["kind"], cell["depth"]): cell for cell in arm["cells"]}


def figure(arms: Mapping[str, Mapping[str, Any]]) -> StudyFigure:
    """Whole answers by depth, a panel for each kind of value."""
    panels = []
    for kind in KINDS:
        curves = []
        for name, arm in arms.items():
            chosen = [cell for (each, _), cell in arm["cells"].items() if each == kind]
            if chosen:
                curves.append(Curve(name, tuple(map(_mark, chosen))))
        panels.append(Panel(kind, tuple(curves)))
    x = Scale("operations of a chain", 0.7, DEPTHS[-1] + 0.3, tuple(map(float, DEPTHS)))
    return StudyFigure("Chains whose whole answer is right", panels, x, share_scale("share of chains"))


def _mark(cell: Mapping[str, Any]) -> PointMark:
    right, trials = cell["whole"], cell["programs"]
    interval = binomial_interval(right, trials)
    return PointMark(cell["depth"], right / trials, interval.low, interval.high, programs=trials)


def composition_table(arms: Mapping[str, Mapping[str, Any]]) -> str:
    """Whole answers by depth, and what the share of single operations predicts of the longest chains."""
    rows = []
    for name, arm in arms.items():
        for kind in KINDS:
            cells = [arm["cells"].get((kind, depth)) for depth in DEPTHS]
            shares = [None if cell is None else _share(cell["whole"], cell["programs"]) for cell in cells]
            first = cells[0]
            power = None if first is None else f"{(first['whole'] / first['programs']) ** DEPTHS[-1]:.2f}"
            rows.append((name, kind, *shares, power))
    head = ("twin", "kind", *(f"depth {depth}" for depth in DEPTHS))
    return markdown((*head, f"depth 1 to the power of {DEPTHS[-1]}"), rows)


def comparison_table(arms: Mapping[str, Mapping[str, Any]]) -> str:
    """Each twin beside the reference on the same chains."""
    rows = []
    for name, arm in arms.items():
        if name == REFERENCE or REFERENCE not in arms:
            continue
        for kind in KINDS:
            cells = [(arm["cells"].get((kind, depth)), arms[REFERENCE]["cells"].get((kind, depth))) for depth in DEPTHS]
            rows.append((name, kind, *(_gap(one, other) for one, other in cells)))
    return markdown((f"less {REFERENCE}", "kind", *(f"depth {depth}" for depth in DEPTHS)), rows)


def _gap(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> str | None:
    """The difference of two shares with the p value of the exact test."""
    if one is None or other is None:
        return None
    return f"{one['whole'] / one['programs'] - other['whole'] / other['programs']:+.2f} (p {_p(one, other):.2g})"


def _p(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """McNemar's exact test where the answers of each chain are known, else Fisher's."""
    if "rights" in one and "rights" in other and len(one["rights"]) == len(other["rights"]):
        return paired_test(*([float(each) for each in cell["rights"]] for cell in (one, other)))
    from scipy.stats import fisher_exact

    counts = np.array([[cell["whole"], cell["programs"] - cell["whole"]] for cell in (one, other)])
    return float(fisher_exact(counts).pvalue)


def failure_table(arms: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> str:
    """First wrong operations of all those that the chains hold, by kind and operation."""
    shown = [name for name in names if name in arms]
    if not shown:
        return "Not measured.\n"
    rows = []
    for kind in KINDS:
        occurring, failed = Counter[str](), {name: Counter[str]() for name in shown}
        for depth in DEPTHS:
            cells = [arms[name]["cells"].get((kind, depth)) for name in shown]
            if any(cell is None for cell in cells):
                continue
            programs = max(cell["programs"] for cell in cells if cell is not None)
            occurring.update(op for chain in held_out(kind, depth, programs) for op in chain.names)
            for name, cell in zip(shown, cells, strict=True):
                failed[name].update(cell["failures"] if cell is not None else {})
        for op, count in occurring.most_common():
            rows.append((kind, op, count, *(marked(_share(failed[name][op], count), count) for name in shown)))
    return markdown(("kind", "operation", "in the chains", *(f"{name}: first wrong there" for name in shown)), rows)


def cost_table(arms: Mapping[str, Mapping[str, Any]]) -> str:
    """What each twin writes and keeps, and how often its last frame is right given the real ones before it."""
    rows = []
    for name, arm in arms.items():
        for kind in KINDS:
            cells = [arm["cells"][kind, depth] for depth in (DEPTHS[0], DEPTHS[-1]) if (kind, depth) in arm["cells"]]
            tokens = " to ".join(f"{cell['tokens']:.0f}" for cell in cells)
            kept = " to ".join(f"{cell['kept']:,}" for cell in cells)
            last = " to ".join(_share(cell["last"], cell["programs"]) for cell in cells)
            rows.append((name, f"{arm['parameters']:,}", f"{arm['tokens'] / 1e6:.1f} M", kind, tokens, kept, last))
    head = ("twin", "parameters", "tokens of training", "kind", f"tokens of a chain, depth {DEPTHS[0]} to {DEPTHS[-1]}")
    return markdown((*head, "numbers kept", "last frame right, given the real ones"), rows)


def remarks(arms: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Sentences about arms that figures hide."""
    if not arms:
        yield "No twin was measured."
    for name, arm in arms.items():
        cells = arm["cells"].values()
        right, trials = (sum(cell[what] for cell in cells) for what in ("whole", "programs"))
        if not right:
            yield f"`{name}` is right about no chain: nothing can be said about depth or operations."
        elif right == trials:
            yield f"`{name}` is right about every chain: no limit of depth was seen."
        if any(cell["programs"] < FEWEST for cell in cells):
            yield f"Cells of `{name}` have fewer than {FEWEST} chains and carry no sentence."


def _share(right: int, trials: int) -> str:
    interval = binomial_interval(right, trials)
    return f"{right / trials:.2f} ({interval.low:.2f} to {interval.high:.2f})"


def page(arms: Mapping[str, Mapping[str, Any]]) -> str:
    """All tables, with what must be said beside them."""
    said = "".join(f"{line}\n\n" for line in remarks(arms))
    parts = (
        ("Whole answers right, by depth", composition_table(arms)),
        ("Beside the reference, same chains", comparison_table(arms)),
        ("Failures by operation", failure_table(arms, (REFERENCE, "pairs", "recurrence"))),
        ("What is written and kept", cost_table(arms)),
    )
    return said + "\n".join(f"### {title}\n\n{table}" for title, table in parts) if arms else said


def main(arguments: Sequence[str] | None = None) -> int:
    """Read, draw and write."""
    assert __doc__ is not None
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("twins", type=Path, metavar="FILE", help="what `benchmarks.model_twins` wrote")
    made.add_argument("--out", type=Path, required=True, help="folder of twins.svg and twins.md")
    options = made.parse_args(arguments)
    try:
        arms = read_arms(options.twins)
        options.out.mkdir(parents=True, exist_ok=True)
        write_file(options.out / "twins.md", page(arms))
        write_file(options.out / "twins.svg", svg_of(figure(arms)))
    except (BadTwins, NoFigures) as error:
        made.error(str(error))
    print(f"{len(arms)} twins; wrote twins.md and twins.svg to {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
