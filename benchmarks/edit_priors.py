"""Learns the class priors of `envs.editing`: the rate at which edits of each class repair a program.

    python -m benchmarks.edit_priors repair repair_further --split dev --write envs/editing/learnt_priors.py

Executes every one-edit candidate of the tasks. A task that some edits repair (visible and hidden tests) gives one
point, shared among those edits; a task of several edits gives one point to each edit of its known patch. The rate of a
class is its points divided by its candidates, smoothed towards the rate of its family, and that towards the overall
rate, each with the weight of 1,000 candidates, since few tasks say little about sixty classes. Use tasks for which no
results are reported.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.repair_baseline import Searched, search
from envs.editing.edit import Edit
from envs.editing.edit_classes import FAMILY_CLASSES, FAMILY_OF
from envs.execution.sandbox.sandbox import Sandbox
from tasks import RepairTask, load

PSEUDO_CANDIDATES = 1000
"""Chosen among 50, 200 and 1,000 by leaving out one dev task at a time, with all HumanEvalFix dev rows."""
_HEAD = '''"""Rates at which one edit of each class repaired a task: data, written by a command.

    {command}

Learnt from {tasks} tasks, of which one edit repairs {solved}; {candidates} candidates were run.
"""

RATES: dict[str, float] = {{
'''


def rates(found: Sequence[Searched]) -> dict[str, float]:
    """The smoothed rate of each class, the largest first."""
    points: defaultdict[str, float] = defaultdict(float)
    candidates: Counter[str] = Counter()
    for each in found:
        candidates.update(edit.operator for edit in each.candidates)
        for name, share in _points(each):
            points[name] += share
    overall = sum(points.values()) / max(1, sum(candidates.values()))
    of_family = {
        family: _drawn(sum(points[name] for name in names), sum(candidates[name] for name in names), overall)
        for family, names in FAMILY_CLASSES.items()
    }
    smoothed = {name: _drawn(points[name], candidates[name], of_family[family]) for name, family in FAMILY_OF.items()}
    return dict(sorted(smoothed.items(), key=lambda item: (-item[1], item[0])))


def _points(each: Searched) -> Iterator[tuple[str, float]]:
    right = [edit for edit, hidden in each.plausible.items() if hidden is not False]
    yield from ((edit.operator, 1 / len(right)) for edit in right)
    patch = each.task.known_patch or ()
    if not right and len(patch) > 1:
        yield from ((Edit.read(line).operator, 1.0) for line in patch)


def _drawn(points: float, candidates: int, towards: float) -> float:
    return (points + PSEUDO_CANDIDATES * towards) / (candidates + PSEUDO_CANDIDATES)


def written(learnt: Mapping[str, float], found: list[Searched], command: str) -> str:
    """The source of the module with the rates."""
    solved = sum(any(hidden is not False for hidden in each.plausible.values()) for each in found)
    candidates = sum(len(each.candidates) for each in found)
    head = _HEAD.format(command=command, tasks=len(found), solved=solved, candidates=f"{candidates:,}")
    return head + "".join(f'    "{name}": {rate:.6f},\n' for name, rate in learnt.items()) + "}\n"


def main(argv: list[str] | None = None) -> None:
    """Learn from the named tasks; print the module or write it."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", help="anything that tasks.load takes")
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--write", type=Path, help="module to write; without it the source is printed")
    options = parser.parse_args(argv)
    tasks = [task for path in options.paths for task in load(path).tasks if isinstance(task, RepairTask)]
    with Sandbox() as sandbox:
        found = [search(task, sandbox) for task in tasks if task.split in (options.split, None)]
    paths = " ".join(options.paths)
    command = f"python -m benchmarks.edit_priors {paths} --split {options.split} --write {options.write or 'PATH'}"
    text = written(rates(found), found, command)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
