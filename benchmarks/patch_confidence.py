"""Fits the confidence of patches on faulty programs with hidden tests, and shows how well it is calibrated.

    python -m benchmarks.patch_confidence programs runs/faulty.jsonl --count 480 --seed 0
    python -m cwm_agent.solve runs/faulty.jsonl --out runs/faulty --jobs 16 --budget-tokens 8000 --budget-seconds 20
    python -m benchmarks.patch_confidence fit runs/faulty            writes confidence.json, and its table
    python -m benchmarks.patch_confidence table runs/dev             of the confidences in another run

The programs are made of the templates that the embedded model is trained with; the faults are those that the edit
policy learns to undo. A patch counts as right if all hidden tests pass.
"""

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np

from cwm_agent.agent.episode import Episode, read
from cwm_agent.agent.repair.selection.confidence import COEFFICIENTS, EVIDENCE, ConfidenceModel
from cwm_agent.training.policy.bug_injection import bugs_of
from cwm_agent.training.policy.policy_examples import with_bugs
from cwm_agent.training.program_writer.inputs import argument
from cwm_agent.training.program_writer.template import FAMILIES, FilledTemplate, fill
from envs.domains.evaluation import Evaluator
from envs.domains.task_tests import sandbox_test
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits
from tasks import BadTask, CallTest, RepairTask
from tasks.output.atomic_file import write_file
from tasks.rows import write_tasks

HIDDEN = 24
"""Hidden tests of a program."""
VISIBLE = (2, 3, 3, 4, 4, 5, 6)
"""Numbers of visible tests: people write few."""
BUGS = (1, 1, 1, 1, 2)
"""Numbers of faults in a program."""
SECONDS = 0.1
"""CPU seconds of the longest call."""
LONGEST = 120
"""Characters of the longest result: people write short ones into tests."""
RIDGE = 10.0
"""Weight of the penalty on squared coefficients, in patches; of 0.3 to 300 the best by ten folds of the first 82."""
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)


def faulty_programs(count: int, seed: int, sandbox: Sandbox) -> Iterator[RepairTask]:
    """Faulty programs with visible and hidden tests, at least one visible one failing."""
    rng, templates = Random(seed), [each for family in FAMILIES.values() for each in family]
    made = 0
    while made < count:
        task = _faulty(fill(rng.choice(templates), rng), f"faulty-{made}", rng, sandbox)
        if task is not None:
            made += 1
            yield task


def _faulty(program: FilledTemplate, name: str, rng: Random, sandbox: Sandbox) -> RepairTask | None:
    """The program with faults; None where its results are no plain values or no visible test fails."""
    inputs = {", ".join(_arguments(program, rng)) for _ in range(2 * HIDDEN)}
    tests = list(_tests(program, sorted(inputs), sandbox))
    visible = rng.choice(VISIBLE)
    tests.sort(key=lambda test: len(test.arguments))
    shown = set(rng.sample(tests[: len(tests) // 2], min(visible, len(tests) // 2)))  # people write short ones
    tests = [*(test for test in tests if test in shown), *(test for test in tests if test not in shown)]
    source = _with_faults(program.source, rng) if program.source.isascii() else None
    if source is None or len(tests) < visible + HIDDEN // 2 or len({test.expected for test in tests}) < 3:
        return None
    try:
        task = RepairTask(
            name,
            source,
            program.entry,
            tuple(tests[:visible]),
            hidden=tuple(tests[visible : visible + HIDDEN]),
            reference=program.source,
        )
    except BadTask:
        return None
    return None if Evaluator(task, sandbox).original.solved else task


def _arguments(program: FilledTemplate, rng: Random) -> Iterator[str]:
    for kind in program.parameters:
        yield argument(rng, kind.removesuffix("="))


def _tests(program: FilledTemplate, inputs: Sequence[str], sandbox: Sandbox) -> Iterator[CallTest]:
    """A test for each input on which the program returns a short plain value."""
    questions = [sandbox_test(CallTest(each, "None"), program.entry) for each in inputs]
    for at, answer in sandbox.iter_tests(program.source, questions, entry=program.entry):
        if answer.outcome not in ("returned", "raised"):
            return  # a program that does not end: each such call costs the whole limit
        if answer.outcome == "returned" and len(answer.value) <= LONGEST:
            try:
                yield CallTest(inputs[at], answer.value)
            except BadTask:
                continue


def _with_faults(source: str, rng: Random) -> str | None:
    """The program with one or two faults in different places; None where it has no place for them."""
    for _ in range(rng.choice(BUGS)):
        found = bugs_of(source, rng)
        if not found:
            return None
        source = with_bugs(source, [rng.choice(found[rng.choice(sorted(found))])])
        try:
            compile(source, "<faulty>", "exec")
        except (SyntaxError, ValueError):
            return None
    return source


def judged(folder: Path) -> list[Episode]:
    """The solved episodes of a run that have evidence and hidden tests."""
    episodes = read(folder / "episodes.jsonl")
    return [each for each in episodes if each.solved and each.patch and each.evidence and each.right is not None]


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
    if options.command == "programs":
        with Sandbox(limits=SandboxLimits(cpu_s=SECONDS)) as sandbox:
            write_tasks(options.path, faulty_programs(options.count, options.seed, sandbox))
        return
    episodes = judged(options.path)
    right = [bool(each.right) for each in episodes]
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
    programs = parts.add_parser("programs", help="write faulty programs as tasks")
    programs.add_argument("path", type=Path)
    programs.add_argument("--count", type=int, default=480, help="programs (default: %(default)s)")
    programs.add_argument("--seed", type=int, default=0)
    fit = parts.add_parser("fit", help="fit the coefficients to a run over such tasks")
    fit.add_argument("path", type=Path, help="folder of the run")
    fit.add_argument("--out", type=Path, default=COEFFICIENTS, help="the file of the coefficients")
    shown = parts.add_parser("table", help="reliability of the confidences of a run")
    shown.add_argument("path", type=Path, help="folder of the run")
    shown.add_argument("--refit", action="store_true", help="by the coefficients as they are now, not as they were")
    return command


if __name__ == "__main__":
    main()
