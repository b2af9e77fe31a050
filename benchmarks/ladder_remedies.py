"""What each remedy gives back to a history model that loses its way: whole traces and right results by length.

    python -m benchmarks.ladder_remedies embedded:runs/ladder-3 --json OUT.json

Swap programs over 5 items, free, and then with each remedy: `cfg` (only lines that can follow), `decomposed` and
`grounded` (one operation a line, and the next line by rule), `forced` (the real actions given), `free+anchored:K` (a
real look at every K-th frame), and `local` (another model: the embedded one in the local view, which sees one line).
All remedies have the same programs; a row has exact intervals, and the looks that it cost. The oracle is a history
oracle by name, as `verify --view history` takes it.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cwm_agent import errors
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.view_adapters import Level
from cwm_agent.oracles.protocol import View
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.studies.experiments.measured_rollouts import measured_rows
from cwm_agent.studies.experiments.swap_programs import FORMS, Form, swap_programs
from cwm_agent.studies.intervals import gap, gap_text
from cwm_agent.studies.workbench import Workbench
from cwm_agent.verification.statistics.exact_intervals import binomial_interval, marked
from tasks.output.atomic_file import write_file


@dataclass(frozen=True, slots=True)
class Remedy:
    """A view, a guide and a level of decomposition."""

    guide: str
    view: View = "history"
    level: Level = "plain"


REMEDIES = {
    "free": Remedy("free"),
    "cfg": Remedy("cfg"),
    "decomposed": Remedy("free", level="operations"),
    "grounded": Remedy("grounded", level="operations"),
    "forced": Remedy("forced"),
    "free+anchored:16": Remedy("free+anchored:16"),
    "free+anchored:8": Remedy("free+anchored:8"),
    "free+anchored:4": Remedy("free+anchored:4"),
    "local": Remedy("grounded", "local", "operations"),
}
"""The first one is what the others are compared with."""


def measured(
    remedy: Remedy, form: Form, swaps: int, *, count: int, benches: dict[View, Workbench]
) -> list[dict[str, Any]]:
    """One row per program: whether trace and result are right, and the looks it took."""
    bench = benches[remedy.view]
    written = swap_programs(form, 5, swaps, count=count, seed=bench.seed)
    runs = [each.run(bench, remedy.view, remedy.level) for each in written]
    every = parse_guide(remedy.guide).every
    rows = measured_rows(runs, bench.under_study(remedy.view), remedy.view, remedy.guide)
    return [{**row, "looks": row["steps"] // every if every else 0} for row in rows]


def table(found: dict[tuple[str, int], dict[str, list[dict[str, Any]]]]) -> str:
    """One line for each form, length and remedy; differences are from the first remedy, on the same programs."""
    rows = []
    for (form, swaps), remedies in found.items():
        base = remedies[next(iter(remedies))]
        for name, cells in remedies.items():
            looks = sum(row["looks"] for row in cells) / len(cells)
            less = None if cells is base else gap_text(gap(cells, base, "final"))
            rows.append((form, swaps, name, _share(cells, "complete"), _share(cells, "final"), less, f"{looks:.1f}"))
    head = ("programs", "swaps", "remedy", "whole traces right", "results right", "results, more than free")
    return markdown((*head, "looks per program"), rows)


def _share(rows: Sequence[dict[str, Any]], what: str) -> str:
    right, trials = sum(bool(row[what]) for row in rows), len(rows)
    interval = binomial_interval(right, trials)
    return marked(f"{right} of {trials} ({interval.low:.2f} to {interval.high:.2f})", trials)


def parser() -> argparse.ArgumentParser:
    """The options of this command."""
    assert __doc__ is not None
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = made.add_argument
    add("oracle", help="a history oracle: embedded:FOLDER, exact, none, noisy:systematic:action=0.1, hf:FOLDER")
    add("--swaps", default="8,16,32", help="lengths of programs (default: %(default)s)")
    add("--programs", type=int, default=20, help="of each form and length (default: %(default)s)")
    add("--remedies", default=",".join(REMEDIES), help="by name (default: all)")
    add("--seed", type=int, default=0)
    add("--json", type=Path, metavar="OUT", help="write all rows to a file")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every remedy on every length, and print the table."""
    made = parser()
    options = made.parse_args(arguments)
    names = options.remedies.split(",")
    if unknown := [name for name in names if name not in REMEDIES]:
        made.error(f"--remedies: no remedy named {unknown[0]!r}; choose among {', '.join(REMEDIES)}.")
    found: dict[tuple[str, int], dict[str, list[dict[str, Any]]]] = {}
    with Workbench(options.oracle, options.seed) as model, Workbench(seed=options.seed) as markov:
        benches: dict[View, Workbench] = {"history": model, "local": markov}
        try:
            for form in FORMS:
                for swaps in map(int, options.swaps.split(",")):
                    found[form, swaps] = {
                        name: measured(REMEDIES[name], form, swaps, count=options.programs, benches=benches)
                        for name in names
                    }
        except errors.USER_ERRORS as error:
            made.error(str(error))
    print(table(found))
    if options.json:
        rows = [{"form": form, "swaps": swaps, **cells} for (form, swaps), cells in found.items()]
        write_file(options.json, json.dumps(rows) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
