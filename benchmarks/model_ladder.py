"""One rung of a ladder of history models: trains one size with checkpoints, and measures each checkpoint.

    python -m benchmarks.model_ladder --size 6 --out runs/ladder-6 --deadline 570
    python -m benchmarks.model_ladder --size 6 --out runs/ladder-6 --measure-only --distances 1,2,3,4,6,8

Within --deadline seconds in all it trains on branching and straight swap programs, and then measures of each
checkpoint, the last one first: errors in actions and in states per frame (each frame given the real ones before it),
whole traces free and forced by length, and the share of plans that work at their first real run by distance of the
goal. Counts go to OUT/ladder.json as they come, and as a table to the terminal. Checkpoints that the time does not
suffice for are named in the result; --measure-only measures these, and goes on where a stopped measurement ended.
Needs torch, numpy and safetensors only; intervals and figures need scipy and matplotlib, and are made of ladder.json
elsewhere.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.output.atomic_file import write_file

if TYPE_CHECKING:
    from cwm_agent.studies.workbench import Workbench
    from tasks.task import Style

SOURCES = (
    "branching=cwm_agent.training.steps.history_examples:branching_histories:0.65",
    "swaps=cwm_agent.training.steps.history_examples:swap_histories:0.35",
)
SHARES = "0.05,0.1,0.2,0.35,0.5,0.65,0.75,0.85,0.95"
"""Checkpoints: more in the last third, where comparisons are learnt."""
MEASURING = 0.4
"""Share of the deadline that is kept for measuring."""
FILE = "ladder.json"
FORMS = ("straight", "branching")
"""Programs of a plan: without and with comparisons."""


def parser() -> argparse.ArgumentParser:
    """The options of this command."""
    assert __doc__ is not None
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = made.add_argument
    add("--out", type=Path, required=True, help="folder of the checkpoints and of ladder.json")
    add("--size", default="6", help="depth of the network or a name of `train --size` (default: %(default)s)")
    add("--deadline", type=float, default=570.0, help="seconds for everything (default: %(default)g)")
    add("--seed", type=int, default=0)
    add("--workers", type=int, default=14, help="processes that generate examples (default: %(default)s)")
    add("--length", type=int, default=4096, help="tokens of a row (default: %(default)s)")
    add("--batch", type=int, default=32, help="rows of a step (default: %(default)s)")
    add("--swaps", default="4,8,16,20,24,32,48", help="lengths of programs (default: %(default)s)")
    add("--programs", type=int, default=40, help="programs of each length (default: %(default)s)")
    add("--distances", default="1,2,3,4,6,8", help="commands to the goal of a plan (default: %(default)s)")
    add("--problems", type=int, default=20, help="plans of each distance (default: %(default)s)")
    add(
        "--runs",
        type=int,
        default=10,
        help="real runs of a plan at most; 1: the first only (default: %(default)s)",
    )
    add("--measure-only", action="store_true", help="train nothing; measure the checkpoints in OUT")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, measure, write."""
    options = parser().parse_args(arguments)
    started = time.monotonic()
    until = started + options.deadline
    if not options.measure_only and (code := _train(options)):
        return code
    folders = checkpoints(options.out)
    if not folders:
        print(f"error: {options.out} holds no checkpoint. Leave --measure-only out to train some.", file=sys.stderr)
        return 2
    lengths, distances = (_numbers(text) for text in (options.swaps, options.distances))
    rows = known(options.out)
    for folder in folders:
        if time.monotonic() > until:
            break
        known_row = rows.get(folder.name, {})
        for row in measured(folder, lengths, distances, options, row=known_row, until=until):
            rows[folder.name] = row
            _write(options, rows, folders)
    _write(options, rows, folders)
    print(table(rows))
    return 0


def _train(options: argparse.Namespace) -> int:
    """Train with what the deadline leaves; the exit status of `train`."""
    from cwm_agent import train

    command = ["--view", "history", "--size", options.size, "--out", str(options.out), "--seed", str(options.seed)]
    for source in SOURCES:
        command += ["--source", source]
    seconds = options.deadline * (1 - MEASURING)
    command += ["--evaluate", f"{SOURCES[0].rpartition(':')[0]}:300", "--seconds", f"{seconds:g}"]
    command += ["--deadline", f"{seconds:g}", "--checkpoints", SHARES, "--swaps", ""]
    command += ["--workers", str(options.workers), "--length", str(options.length), "--batch", str(options.batch)]
    return train.main(command)


def checkpoints(out: Path) -> list[Path]:
    """The folders with weights: the end of the run, then its checkpoints, the latest first."""
    found = sorted(out.glob("checkpoint-*"), key=lambda path: -float(path.name.partition("-")[2]))
    return [path for path in (out, *found) if (path / "model.json").is_file()]


def known(out: Path) -> dict[str, Any]:
    """What an earlier call measured, by checkpoint."""
    path = out / FILE
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["checkpoints"] if path.is_file() else {}
    return found


def measured(
    folder: Path,
    lengths: Sequence[int],
    distances: Sequence[int],
    options: argparse.Namespace,
    *,
    row: dict[str, Any],
    until: float,
) -> Iterator[dict[str, Any]]:
    """Counts of one checkpoint as they grow, beyond those of `row`; they end where the time does."""
    from cwm_agent.studies.workbench import Workbench

    missing = _missing_plans(row, distances)
    if not row:
        row = _survival(folder, lengths, options.programs)
        yield row
    if not missing:
        return
    with Workbench(f"embedded:{folder}", options.seed) as bench:
        for distance, form in missing:
            found = planned(bench, form, distance, options.problems, until=until, runs=options.runs)
            if found is None:
                return
            row["plans"].append({"form": form, "distance": distance, **found})
            yield row


def _missing_plans(row: dict[str, Any], distances: Sequence[int]) -> list[tuple[int, str]]:
    """The distances and forms of which a row has no plans, short distances first."""
    made = {(each["distance"], each["form"]) for each in row.get("plans", [])}
    return [each for each in product(distances, FORMS) if each not in made]


def _survival(folder: Path, lengths: Sequence[int], programs: int) -> dict[str, Any]:
    """Errors of one checkpoint and its whole traces, and no plans yet."""
    import torch

    from cwm_agent.engine import weights
    from cwm_agent.engine.network import count_parameters
    from cwm_agent.training.steps.history_accuracy import measure_swaps

    model = weights.load(folder, device="cuda" if torch.cuda.is_available() else "cpu")
    survival = [
        row.describe()
        for conditional in (False, True)
        for row in measure_swaps(model.network, lengths=lengths, programs=programs, conditional=conditional)
    ]
    return {"parameters": count_parameters(model.network), "survival": survival, "plans": []}


def planned(
    bench: "Workbench", form: str, distance: int, count: int, *, until: float, runs: int = 10
) -> dict[str, Any] | None:
    """Plans of one distance, imagined freely in the history view; None where no time is left."""
    from cwm_agent.studies.experiments.planning_depth import GENERATORS, HISTORY_TOKENS
    from cwm_agent.studies.experiments.planning_problems import attempt, problems

    if time.monotonic() > until:
        return None
    style: Style = "straight" if form == "straight" else "branching"
    drawn = problems(GENERATORS, 5, distance, count=count, seed=bench.seed, style=style)
    rows = [
        attempt(
            each,
            bench,
            oracle=bench.oracle,
            view="history",
            guide="free",
            planner="beam",
            tokens=HISTORY_TOKENS,
            runs=runs,
        )
        for each in drawn
    ]
    return {
        "problems": len(rows),
        "first": sum(bool(row["first"]) for row in rows),
        "runs": sum(int(row["runs"]) for row in rows),
        "programs": [[row["program"], bool(row["first"])] for row in rows],
    }


def error_rates(row: dict[str, Any], form: str, most: int = 20) -> tuple[float, float]:
    """Errors per frame in actions and in states, over programs of trained length."""
    chosen = [each for each in row["survival"] if each["form"] == form and each["swaps"] <= most]
    frames = sum(each["frames"] for each in chosen) or 1
    action, state = (sum(each[what] for each in chosen) for what in ("action_errors", "state_errors"))
    return action / frames, state / frames


def table(rows: dict[str, Any]) -> str:
    """One line for each checkpoint and form, as Markdown."""
    head = (
        "checkpoint",
        "programs",
        "action errors a frame",
        "state errors a frame",
        "free",
        "forced",
        "plans by distance",
    )
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, row in rows.items():
        for form in FORMS:
            action, state = error_rates(row, form)
            chosen = [each for each in row["survival"] if each["form"] == form]
            free, forced = (", ".join(f"{e['swaps']}: {e[what]}" for e in chosen) for what in ("free", "forced"))
            plans = [each for each in row["plans"] if each["form"] == form]
            worked = ", ".join(f"{each['distance']}: {each['first']}/{each['problems']}" for each in plans)
            lines.append(f"| {name} | {form} | {action:.4f} | {state:.4f} | {free} | {forced} | {worked or '-'} |")
    return "\n".join(lines)


def _write(options: argparse.Namespace, rows: dict[str, Any], folders: Sequence[Path]) -> None:
    missing = [folder.name for folder in folders if folder.name not in rows]
    result = {"options": {key: str(value) for key, value in vars(options).items()}, "missing": missing}
    write_file(options.out / FILE, json.dumps({**result, "checkpoints": rows}, indent=1) + "\n")


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part]


if __name__ == "__main__":
    sys.exit(main())
