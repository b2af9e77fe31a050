"""Fills `known_patch` in files of repair tasks with the edits that repair each task.

    python -m benchmarks.known_patches tasks/repair/*.jsonl

One edit: every candidate is executed; of those that pass visible and hidden tests, the one that gives the reference is
recorded, else the one of the likeliest class. Several edits: first one edit for each place where the reference differs,
then a beam search over executed candidates. `()` is written where the full search of a one-edit tier found no patch;
tasks of several edits without a found patch stay null. Every recorded patch passed all tests for real.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from envs.domains.evaluation import Evaluator
from envs.domains.repair_core import RepairCore, RepairState, expected_constants, ranked_edits
from envs.editing.edit import Edit
from envs.editing.fingerprint import fingerprint
from envs.execution.sandbox.sandbox import Sandbox
from tasks import RepairTask, load, write_tasks

SEVERAL = {"two-edits": 2, "three-edits": 3}
Patch = tuple[Edit, ...]


def known_patch(task: RepairTask, sandbox: Sandbox, *, width: int) -> Patch | None:
    """The patch to record: edits, () where no single edit repairs a one-edit task, None where no patch was found."""
    evaluator = Evaluator(task, sandbox)
    guided = along_reference(task)
    if guided and _right(evaluator, guided):
        return guided
    most = SEVERAL.get(task.tier or "", 1)
    if most == 1:
        return by_one_edit(task, evaluator) or ()
    return by_beam(task, evaluator, most=most, width=width)


def along_reference(task: RepairTask) -> Patch | None:
    """One edit for each place where the reference differs, last place first; None where some place needs more."""
    source, patch = task.source, []
    for target in _towards(task.source, task.reference or task.source):
        wanted = fingerprint(target)
        listed = ranked_edits(source, expected_constants(task.tests))
        edit = next((each for each in listed if fingerprint(each.apply(source)) == wanted), None)
        if edit is None:
            return None
        patch.append(edit)
        source = edit.apply(source)
    return tuple(patch)


def _towards(source: str, reference: str) -> Iterator[str]:
    """The programs with one more place changed to the reference, from the last place to the first."""
    lines, wanted = source.splitlines(True), reference.splitlines(True)
    for tag, start, end, other, stop in reversed(SequenceMatcher(None, lines, wanted, False).get_opcodes()):
        pairs = [(start, end, other, stop)]
        if tag == "replace" and end - start == stop - other:
            pairs = [(start + k, start + k + 1, other + k, other + k + 1) for k in range(end - start)][::-1]
        for first, last, one, two in pairs:
            if tag != "equal":
                lines[first:last] = wanted[one:two]
                yield "".join(lines)


def by_one_edit(task: RepairTask, evaluator: Evaluator) -> Patch | None:
    """The likeliest single edit that passes all tests."""
    for edit in ranked_edits(task.source, expected_constants(task.tests)):
        if _right(evaluator, (edit,)):
            return (edit,)
    return None


def by_beam(task: RepairTask, evaluator: Evaluator, *, most: int, width: int) -> Patch | None:
    """A patch of up to `most` edits, found by keeping the `width` programs that pass the most tests."""
    core = RepairCore.of_task(task)
    beam = [core.initial()]
    for _ in range(most):
        scored: list[tuple[float, RepairState]] = []
        for state in beam:
            for edit in core.actions(state):
                after = core.transition(state, edit)
                found = evaluator.run(after.source)
                if found.solved and evaluator.passes_hidden(after.source) is not False:
                    return after.patch
                scored.append((found.share, after))
        scored.sort(key=lambda item: -item[0])
        beam = [state for share, state in scored[:width] if share > evaluator.original.share]
    return None


def _right(evaluator: Evaluator, patch: Patch) -> bool:
    source = evaluator.task.source
    for edit in patch:
        source = edit.apply(source)
    return evaluator.run(source, stop_early=True).solved and evaluator.passes_hidden(source) is not False


def main(argv: list[str] | None = None) -> None:
    """Write the patches into the files that the arguments name."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="JSONL files of repair tasks, rewritten in place")
    parser.add_argument("--width", type=int, default=3, help="programs that the beam keeps (default 3)")
    options = parser.parse_args(argv)
    with Sandbox() as sandbox:
        for path in options.files:
            loaded = load(path)
            if loaded.problems:
                sys.exit(f"{loaded.problems[0]}. Nothing was written; correct the file first.")
            rows = []
            for task in loaded.tasks:
                if isinstance(task, RepairTask):
                    patch = known_patch(task, sandbox, width=options.width)
                    task = replace(task, known_patch=None if patch is None else tuple(map(str, patch)))
                    print(task.id, task.tier, task.known_patch, flush=True)
                rows.append(task)
            write_tasks(path, rows)


if __name__ == "__main__":
    main()
