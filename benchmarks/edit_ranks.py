"""Ranks the right edit among all edits: by class rates, by the policy, by both, and by these and the real run.

    python -m benchmarks.edit_ranks repair --split dev
    python -m benchmarks.edit_ranks repair humanevalfix_dev.jsonl --split dev --policy FOLDER --wide
    python -m benchmarks.edit_ranks repair --split dev --complete 300      edits that the policy scores to their end

Uses tasks whose reference or known patch is one edit of the likely families; with --wide also of the unlikely ones. The
real run of the buggy program gives the suspicious lines and the values before each line; nothing else is executed.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import geometric_mean, mean, median

from cwm_agent.agent.repair import original_run
from cwm_agent.agent.repair.edit_ranking import by_policy, edit_priors
from cwm_agent.policy.edit_policy import EditPolicy
from envs.domains.evaluation import Evaluator
from envs.domains.fault_localisation import coverage, ochiai
from envs.domains.repair_core import RepairCore, unlikely_edits_of
from envs.editing.edit import Edit
from envs.editing.fingerprint import fingerprint
from envs.execution.sandbox.sandbox import Sandbox
from tasks import RepairTask, load


@dataclass(frozen=True, slots=True)
class EditPlaces:
    """Ranks of the right edit of one task, from 1."""

    task: str
    edits: int
    by_class: int
    by_policy: int
    by_both: int
    by_run: int
    """By both, and by which tests see another value or branch."""


def places_of(
    task: RepairTask, policy: EditPolicy, sandbox: Sandbox, *, wide: bool, complete: int | None = None
) -> EditPlaces | None:
    """The ranks in the four orders; None where no right edit is known.

    `complete` is how many edits the policy scores to their end, as many as usual if None.
    """
    core = RepairCore.of_task(task)
    edits = (*core.actions(core.initial()), *(unlikely_edits_of(core) if wide else ()))
    right = [at for at, edit in enumerate(edits) if _is_right(task, edit)]
    logprobs = policy.logprobs(task.source, edits, complete=complete) if right else None
    if logprobs is None:
        return None
    evaluator = Evaluator(task, sandbox)
    covered = coverage(sandbox, task.source, task.tests, entry=task.entry, limits=evaluator.limits)
    suspicion = ochiai(covered, evaluator.original.marks)
    traces = original_run.real_traces(task, sandbox)
    factors = original_run.run_evidence(task, traces, evaluator.original.marks).factors(edits)
    orders = (
        edit_priors(edits, suspicion),
        by_policy(edits, suspicion, logprobs),
        edit_priors(edits, suspicion, logprobs),
        edit_priors(edits, suspicion, logprobs, factors),
    )
    return EditPlaces(task.id, len(edits), *(_place(weights, right) for weights in orders))


def _is_right(task: RepairTask, edit: Edit) -> bool:
    if task.known_patch and task.known_patch == (str(edit),):
        return True
    return task.reference is not None and fingerprint(edit.apply(task.source)) == fingerprint(task.reference)


def _place(weights: Sequence[float], right: Sequence[int]) -> int:
    best = max(weights[at] for at in right)
    return 1 + sum(weight > best for weight in weights)


def _tasks(options: argparse.Namespace) -> Iterator[RepairTask]:
    for path in options.paths:
        for task in load(path).tasks:
            if isinstance(task, RepairTask) and (options.split is None or task.split in (options.split, None)):
                yield task


def _row(name: str, places: Sequence[int]) -> str:
    ordered = sorted(places)
    late = [ordered[min(len(ordered) - 1, math.floor(share * len(ordered)))] for share in (0.75, 0.9)]
    figures = (median(ordered), round(mean(ordered)), round(geometric_mean(ordered), 1), *late)
    return f"| {name} | " + " | ".join(str(figure) for figure in figures) + " |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the ranks; returns 0 if at least one task has a right edit."""
    command = argparse.ArgumentParser(
        prog="python -m benchmarks.edit_ranks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("paths", nargs="+", help="task folders or files")
    command.add_argument("--split", choices=("dev", "test"), help="only tasks of this split")
    command.add_argument("--policy", metavar="FOLDER", help="weights of the policy (default: those of the package)")
    command.add_argument("--wide", action="store_true", help="include unlikely edits")
    command.add_argument("--complete", type=int, metavar="N", help="edits that the policy scores to their end")
    options = command.parse_args(arguments)
    policy = EditPolicy.load(options.policy) if options.policy else EditPolicy.shipped()
    with Sandbox() as sandbox:
        ranked = [
            places_of(task, policy, sandbox, wide=options.wide, complete=options.complete) for task in _tasks(options)
        ]
    found = [each for each in ranked if each is not None]
    if not found:
        print("No task here whose repair is one of our edits.")
        return 1
    print(f"{len(found)} tasks, {sum(each.edits for each in found)} edits\n")
    print("| | median | mean | geometric mean | 75 % | 90 % |\n|---|---|---|---|---|---|")
    for name, places in (
        ("class rates and suspicion", [each.by_class for each in found]),
        ("policy and suspicion", [each.by_policy for each in found]),
        ("half and half", [each.by_both for each in found]),
        ("half and half, and the real run", [each.by_run for each in found]),
    ):
        print(_row(name, places))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
