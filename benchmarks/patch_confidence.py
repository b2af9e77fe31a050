"""Fits the confidence of patches on faulty programs with hidden tests, and shows how well it is calibrated.

    python -m benchmarks.patch_confidence measure runs/faulty --count 480 --seed 0 --jobs 16 --seconds-total 380
    python -m benchmarks.patch_confidence fit runs/faulty            writes confidence.json, and its table
    python -m benchmarks.patch_confidence table runs/dev             of the confidences in another run
    python -m benchmarks.patch_confidence choice runs/faulty         first patch that passed beside the one kept

`measure` makes and solves faulty programs (`random_programs/faulty_programs.py`) and writes an episode for each as it
ends; the same command goes on where it stopped. A patch counts as right if all hidden tests pass.
"""

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.random_programs.faulty_programs import faulty_program
from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode, read
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.repair.selection.confidence import COEFFICIENTS, EVIDENCE, ConfidenceModel
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.defaults import ORACLE
from cwm_agent.jobs.job_loop import run_jobs
from cwm_agent.jobs.placement import Placement
from cwm_agent.jobs.protocol import LostItem, Runner, Tell
from cwm_agent.records.jsonl_file import JsonlFile
from envs.domains.evaluation import Evaluator
from envs.editing.edit import apply_patch
from envs.execution.sandbox.sandbox import Sandbox
from tasks.output.atomic_file import write_file

BUDGET = Budget(executions=15, tokens=8_000, steps=40_000, seconds=15.0)
"""Of one program."""
RIDGE = 10.0
"""Weight of the penalty on squared coefficients, in patches; of 0.3 to 300 the best by ten folds of the first 82."""
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)


@dataclass(frozen=True, slots=True)
class FaultySolves:
    """Makes and solves faulty programs, by their numbers; begins none after a time."""

    settings: Settings
    seed: int
    until: float
    """By the clock of the machine."""
    isolates: bool = True

    @contextmanager
    def opened(self, tell: Tell) -> Iterator[Runner[int, Episode]]:
        with Workplace(self.settings) as workplace:

            def run(numbers: Sequence[int]) -> Iterator[tuple[int, Episode]]:
                for place, number in enumerate(numbers):
                    if time.time() < self.until:
                        task = faulty_program(number, self.seed, workplace.sandbox)
                        yield place, replace(workplace.solve(RepairKind(), task), details={})

            yield run


def measure(folder: Path, numbers: range, work: FaultySolves, jobs: int) -> int:
    """Solve the faulty programs that the folder does not hold yet; returns how many it holds then."""
    with JsonlFile(folder / "episodes.jsonl") as file:
        known = {str(row["task"]) for row in file.rows()}
        left = [[number] for number in numbers if f"faulty-{number}" not in known]
        for found in run_jobs(work, left, Placement(jobs=jobs)):
            if isinstance(found, LostItem):
                print(f"faulty-{found.item}: {found}")
                continue
            file.append(asdict(found.value))
            known.add(found.value.task)
    return len(known)


def judged(folder: Path) -> list[Episode]:
    """The solved episodes of a run that have evidence and hidden tests."""
    episodes = read(folder / "episodes.jsonl")
    return [each for each in episodes if each.solved and each.patch and each.evidence and each.right is not None]


def first_and_kept(episodes: Sequence[Episode], seed: int, sandbox: Sandbox) -> Counter[tuple[bool, bool]]:
    """How often the first patch that passed and the one that was kept pass the hidden tests, of faulty programs."""
    found: Counter[tuple[bool, bool]] = Counter()
    for episode in episodes:
        first = next(run.patch for run in episode.runs if all(run.marks))
        task = faulty_program(int(episode.task.removeprefix("faulty-")), seed, sandbox)
        right = Evaluator(task, sandbox).passes_hidden(apply_patch(task.source, first))
        found[bool(right), bool(episode.right)] += 1
    return found


def choice_table(found: Counter[tuple[bool, bool]]) -> str:
    """The counts as a table."""
    rows = [
        ("first patch that passed", found[True, True] + found[True, False]),
        ("patch that was kept", found[True, True] + found[False, True]),
        ("right instead of wrong by the choice", found[False, True]),
        ("wrong instead of right by the choice", found[True, False]),
    ]
    return "\n".join(
        [f"| | right of {found.total()} |", "|---|---|", *(f"| {name} | {count} |" for name, count in rows)]
    )


def fitted(episodes: Sequence[Episode], ridge: float = RIDGE) -> ConfidenceModel:
    """The logistic model of most likelihood with a penalty, by Newton's method."""
    raw = np.array([[each.evidence[name] for name in EVIDENCE] for each in episodes])
    right = np.array([float(bool(each.right)) for each in episodes])
    means, scales = raw.mean(0), np.where(raw.std(0) > 0, raw.std(0), 1.0)
    rows = np.hstack([np.ones((len(raw), 1)), (raw - means) / scales])
    penalty = np.diag([0.0, *[ridge] * len(EVIDENCE)])
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (right - chance) - penalty @ weights
        curvature = (rows.T * (chance * (1 - chance))) @ rows + penalty
        weights = weights + np.linalg.solve(curvature + 1e-9 * np.eye(len(weights)), slope)
    return ConfidenceModel(
        float(weights[0]),
        *(dict(zip(EVIDENCE, map(float, each), strict=True)) for each in (weights[1:], means, scales)),
    )


def left_out_chances(episodes: Sequence[Episode], folds: int = 10) -> list[float]:
    """The chance of each patch by a model that was fitted to the other folds."""
    found = [0.0] * len(episodes)
    for fold in range(folds):
        model = fitted([each for at, each in enumerate(episodes) if at % folds != fold])
        for at in range(fold, len(episodes), folds):
            found[at] = model.chance(episodes[at].evidence)
    return found


def table(chances: Sequence[float], right: Sequence[bool]) -> str:
    """Reliability by bins of the chance, and the Brier score beside that of always saying the base rate."""
    lines = ["| confidence | patches | mean confidence | right |", "|---|---|---|---|"]
    for low, high in pairwise(BINS):
        rows = [(chance, ok) for chance, ok in zip(chances, right, strict=True) if low < chance <= high]
        if rows:
            mean, share = sum(chance for chance, _ in rows) / len(rows), sum(ok for _, ok in rows) / len(rows)
            lines.append(f"| {low:.2f} to {high:.2f} | {len(rows)} | {mean:.3f} | {share:.3f} |")
    count, rate = len(right), sum(right) / len(right)
    brier = sum((chance - ok) ** 2 for chance, ok in zip(chances, right, strict=True)) / count
    return "\n".join([*lines, f"{count} patches, {rate:.3f} right; Brier score {brier:.4f}, of the base rate "
                      f"{rate * (1 - rate):.4f}"])  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    if options.command == "measure":
        settings = Settings(oracle=options.oracle, seed=options.seed, budget=BUDGET)
        work = FaultySolves(settings, options.seed, time.time() + options.seconds_total - BUDGET.seconds)
        numbers = range(options.first, options.first + options.count)
        print(f"{measure(options.path, numbers, work, options.jobs)} faulty programs in {options.path}")
        return
    episodes = judged(options.path)
    right = [bool(each.right) for each in episodes]
    if options.command == "choice":
        with Sandbox() as sandbox:
            print(choice_table(first_and_kept(episodes, options.seed, sandbox)))
        return
    if options.command == "table":
        chances = [math.nan if each.confidence is None else each.confidence for each in episodes]
        if options.refit:
            row = json.loads(COEFFICIENTS.read_text(encoding="utf-8"))
            model = ConfidenceModel(row["intercept"], row["weights"], row["means"], row["scales"])
            chances = [model.chance(each.evidence) for each in episodes]
        print(table(chances, right))
        return
    model = fitted(episodes)
    row = {
        "made_by": "python -m benchmarks.patch_confidence fit",
        "patches": len(episodes),
        "right": sum(right),
        "intercept": model.intercept,
        "weights": dict(model.weights),
        "means": dict(model.means),
        "scales": dict(model.scales),
    }
    write_file(options.out, json.dumps(row, indent=2) + "\n")
    print("ten-fold, each patch by a model that was not fitted to it:\n" + table(left_out_chances(episodes), right))


def _parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(
        prog="python -m benchmarks.patch_confidence",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parts = command.add_subparsers(dest="command", required=True)
    measured = parts.add_parser("measure", help="make faulty programs and solve them")
    measured.add_argument("path", type=Path, help="folder of the run")
    measured.add_argument("--count", type=int, default=480, help="programs (default: %(default)s)")
    measured.add_argument("--first", type=int, default=0, help="number of the first program (default: %(default)s)")
    measured.add_argument("--seed", type=int, default=0, help="of programs and search (default: %(default)s)")
    measured.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    measured.add_argument("--oracle", default=ORACLE, help="as for solve (default: %(default)s)")
    measured.add_argument(
        "--seconds-total", type=float, default=600.0, help="no program takes longer (default: %(default)s)"
    )
    fit = parts.add_parser("fit", help="fit the coefficients to a run over such tasks")
    fit.add_argument("path", type=Path, help="folder of the run")
    fit.add_argument("--out", type=Path, default=COEFFICIENTS, help="the file of the coefficients")
    chosen = parts.add_parser("choice", help="the first patch that passed beside the one that was kept")
    chosen.add_argument("path", type=Path, help="folder of a run of measure")
    chosen.add_argument("--seed", type=int, default=0, help="of the programs (default: %(default)s)")
    shown = parts.add_parser("table", help="reliability of the confidences of a run")
    shown.add_argument("path", type=Path, help="folder of the run")
    shown.add_argument("--refit", action="store_true", help="by the coefficients as they are now, not as they were")
    return command


if __name__ == "__main__":
    main()
