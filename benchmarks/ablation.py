"""What each part of the agent is worth for repair: each is removed alone, on the same tasks with the same budget.

    python -m benchmarks.ablation --split dev --rows whole,no-imagination,blind --json OUT.json
    python -m benchmarks.ablation humanevalfix_dev.jsonl --json OUT.json

Rows: `whole` (the agent as it is); `no-policy`; `no-unlikely` (without unlikely edits and the policy's own edits);
`no-combination` (candidates are neither combined nor extended); `no-imagination` (the fair control, `--oracle none`:
the same sources of candidates in the same order, chosen by priors and by the real verdicts of candidates that were
run); `blind` (neither imagination nor any source beside the likely edits: the control of earlier versions). The table
has exact 95 % intervals of the share solved, and the exact McNemar test against `whole` on the same tasks, or against
the first row where `whole` is left out. Runs lie in --out, one folder a row, and the same command continues them.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode, read
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import CANDIDATE_SOURCES, Settings
from cwm_agent.jobs.placement import Placement
from cwm_agent.verification.statistics.exact_intervals import binomial_interval, marked, paired_test
from tasks import RepairTask, load

_REMOVED: dict[str, dict[str, Any]] = {
    "whole": {},
    "no-policy": {"policy": "none"},
    "no-unlikely": {"without": ("unlikely",)},
    "no-combination": {"without": ("combination", "extension")},
    "no-imagination": {"oracle": "none"},
    "blind": {"oracle": "none", "without": CANDIDATE_SOURCES},
}
ROWS = tuple(_REMOVED)


def settings_of(row: str, oracle: str, budget: Budget, seed: int) -> Settings:
    """The settings of a row; an oracle that runs programs is not charged, since the table asks what it is worth."""
    changed = {"oracle": oracle, **_REMOVED[row]}
    return Settings(budget=budget, seed=seed, ceiling=oracle.partition(":")[0] in ("exact", "noisy"), **changed)


def compared(found: Mapping[str, Sequence[Episode]], base: str) -> list[dict[str, Any]]:
    """Figures of each row, and its paired test against the base row on the tasks that both have ended."""
    return [_figures(name, {each.task: each for each in episodes}, found[base]) for name, episodes in found.items()]


def _figures(name: str, episodes: Mapping[str, Episode], base: Sequence[Episode]) -> dict[str, Any]:
    solved = [each for each in episodes.values() if each.solved]
    shared = [(episodes[each.task].solved, each.solved) for each in base if each.task in episodes]
    count, trials = len(solved), len(episodes)
    interval = binomial_interval(count, trials) if trials else None
    spent = sorted(each.executions for each in solved)
    half = -(-trials // 2)
    return {
        "row": name,
        "tasks": trials,
        "solved": count,
        "interval": None if interval is None else [interval.low, interval.high],
        "right": sum(each.right is True for each in solved) if any(each.right is not None for each in solved) else None,
        "first": sum(each.executions <= 2 for each in solved),
        "half_of_all_at": spent[half - 1] if 0 < half <= len(spent) else None,
        "shared": len(shared),
        "p": paired_test([one for one, _ in shared], [two for _, two in shared]),
    }


def table(rows: Sequence[Mapping[str, Any]], base: str) -> str:
    """The rows as Markdown."""
    head = ("", "solved", "95 %", "hidden tests pass", "first candidate", "half of all at", f"p against {base}")
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for row in rows:
        low, high = row["interval"] or (0.0, 1.0)
        cells = (
            row["row"],
            marked(f"{row['solved']} of {row['tasks']}", row["tasks"]),
            f"{low:.2f} to {high:.2f}",
            "-" if row["right"] is None else str(row["right"]),
            str(row["first"]),
            "-" if row["half_of_all_at"] is None else str(row["half_of_all_at"]),
            "-" if row["row"] == base else f"{row['p']:.3f}" if row["p"] >= 0.001 else "< 0.001",
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    """The options of this command."""
    assert __doc__ is not None
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = made.add_argument
    add("path", nargs="?", default="repair", help="anything that tasks.load takes (default: %(default)s)")
    add("--split", choices=("dev", "test"), help="only tasks of this split")
    add("--limit", type=int, help="only the first so many tasks; a later call without it continues")
    add("--rows", default=",".join(ROWS), help="which rows, by name (default: all)")
    add("--oracle", default="embedded", help="what `whole` imagines with (default: %(default)s)")
    add("--executions", type=int, default=Budget().executions, help="real executions a task (default: %(default)s)")
    add("--seconds", type=float, default=Budget().seconds, help="of imagining a task (default: %(default)s)")
    add("--tokens", type=int, default=Budget().tokens, help="of the oracle a task (default: %(default)s)")
    add("--seed", type=int, default=0)
    add("--jobs", type=int, default=2, help="tasks solved side by side (default: %(default)s)")
    add("--out", type=Path, default=Path("runs/ablation"), help="folder of the runs (default: %(default)s)")
    add("--json", type=Path, help="where the figures go")
    return made


def main(argv: list[str] | None = None) -> None:
    """Solve every row and print the table."""
    made = parser()
    options = made.parse_args(argv)
    names = options.rows.split(",")
    if unknown := [name for name in names if name not in ROWS]:
        made.error(f"--rows: no row named {unknown[0]!r}; choose among {', '.join(ROWS)}")
    tasks = [each for each in load(options.path).tasks if isinstance(each, RepairTask)]
    tasks = [each for each in tasks if options.split in (None, each.split)][: options.limit]
    budget = Budget(options.executions, seconds=options.seconds, tokens=options.tokens)
    found: dict[str, list[Episode]] = {}
    for name in names:
        settings, out = settings_of(name, options.oracle, budget, options.seed), options.out / name
        run_tasks(RepairKind(), tasks, settings, out, placement=Placement(options.jobs))
        chosen = {task.id for task in tasks}
        found[name] = [each for each in read(out / "episodes.jsonl") if each.task in chosen]
    base = "whole" if "whole" in names else names[0]
    rows = compared(found, base)
    print(table(rows, base))
    if options.json:
        options.json.write_text(json.dumps({"options": vars(options), "rows": rows}, indent=2, default=str) + "\n")


if __name__ == "__main__":
    main()
