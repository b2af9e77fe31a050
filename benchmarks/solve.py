"""Compares repair with and without an oracle: same tasks, candidates and budgets, in one table.

    python -m benchmarks.solve --split test --json OUT.json
    python -m benchmarks.solve humanevalfix_dev.jsonl --rows embedded,none,baseline --json OUT.json

Rows: `baseline` (round-robin over edit classes, suspicious lines first, imagining nothing), `climb` (the same, going on
from any program that really passes more tests), `blind` (the planner and its priors over likely edits), `none` (all
sources of candidates, priors and real verdicts, nothing imagined: the fair control), `embedded`, `noisy` (the
exact oracle made wrong, systematically, at --noise of the steps: give the rate that `verify --mutants` measured) and
`exact`. Looks of `noisy` and `exact` at reality are not charged here: they are what an oracle of such quality would
give. Runs lie in --out, one folder a row, and the same command continues them.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode, read
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import CANDIDATE_SOURCES, Settings
from cwm_agent.jobs.placement import Placement
from tasks import RepairTask, load

ROWS = ("baseline", "climb", "blind", "none", "embedded", "noisy", "exact")
_COLUMNS = ("solved", "right", "executions_at_50", "executions_at_60", "executions_median", "seconds", "tokens")


def settings_of(row: str, budget: Budget, seed: int, noise: float) -> Settings:
    """How a row of the table solves."""
    if row in ("baseline", "climb"):
        return Settings("baseline:climb" if row == "climb" else "baseline", "none", budget=budget, seed=seed)
    if row == "blind":
        return Settings(oracle="none", budget=budget, seed=seed, without=CANDIDATE_SOURCES)
    oracle = f"noisy:systematic:state={noise:g},seed={seed}" if row == "noisy" else row
    return Settings(oracle=oracle, budget=budget, seed=seed, ceiling=row in ("noisy", "exact"))


def by_tier(tasks: Sequence[RepairTask], episodes: Sequence[Episode]) -> dict[str, list[int]]:
    """Solved tasks and all tasks of each tier."""
    solved = {episode.task for episode in episodes if episode.solved}
    found: dict[str, list[int]] = {}
    for task in tasks:
        counts = found.setdefault(task.tier or "all", [0, 0])
        counts[0] += task.id in solved
        counts[1] += 1
    return found


def table(rows: dict[str, dict[str, Any]]) -> str:
    """The rows as Markdown."""
    lines = ["| | " + " | ".join(_COLUMNS) + " |", "|---" * (len(_COLUMNS) + 1) + "|"]
    for name, row in rows.items():
        cells = [f"{row[key]:,.0f}" if isinstance(row[key], int | float) else str(row[key]) for key in _COLUMNS]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    tiers = sorted({tier for row in rows.values() for tier in row["tiers"]})
    lines += ["", "| solved of | " + " | ".join(tiers) + " |", "|---" * (len(tiers) + 1) + "|"]
    for name, row in rows.items():
        counts = [row["tiers"].get(tier, (0, 0)) for tier in tiers]
        lines.append(f"| {name} | " + " | ".join(f"{some} of {all_}" for some, all_ in counts) + " |")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> None:
    """Solve every row and print the table."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("path", nargs="?", default="repair", help="anything that tasks.load takes (default: %(default)s)")
    add("--split", choices=("dev", "test", "all"), default="test", help="of tasks that have one")
    add("--rows", default=",".join(ROWS), help="which rows, by name (default: all)")
    add("--noise", type=float, default=0.02, help="share of wrong steps of the noisy row (default: %(default)s)")
    add("--seed", type=int, default=0)
    add("--jobs", type=int, default=2, help="tasks solved side by side (default: %(default)s)")
    add("--out", type=Path, default=Path("runs/benchmark-solve"), help="folder of the runs (default: %(default)s)")
    add("--json", type=Path, help="where the figures go")
    options = parser.parse_args(argv)
    names = options.rows.split(",")
    if unknown := [name for name in names if name not in ROWS]:
        parser.error(f"--rows: no row named {unknown[0]!r}; choose among {', '.join(ROWS)}")
    tasks = [each for each in load(options.path).tasks if isinstance(each, RepairTask)]
    tasks = [each for each in tasks if options.split == "all" or each.split in (options.split, None)]
    rows: dict[str, dict[str, Any]] = {}
    for name in names:
        settings = settings_of(name, Budget(), options.seed, options.noise)
        out = options.out / name
        found = run_tasks(RepairKind(), tasks, settings, out, placement=Placement(options.jobs), on_episode=_told(name))
        rows[name] = {**found, "tiers": by_tier(tasks, list(read(out / "episodes.jsonl")))}
        if options.json:
            options.json.write_text(json.dumps({"options": vars(options), "rows": rows}, indent=2, default=str) + "\n")
    print(table(rows))


def _told(name: str) -> Any:
    def told(episode: Episode, done: int, total: int) -> None:
        state = "solved" if episode.solved else "open"
        print(f"{name} [{done}/{total}] {episode.task} {state} after {episode.executions}", flush=True)

    return told


if __name__ == "__main__":
    main()
