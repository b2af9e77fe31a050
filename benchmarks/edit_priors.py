"""How often does an edit of each class repair a program? Learns the class priors that envs.editing ships.

    python -m benchmarks.edit_priors repair --split dev --write envs/editing/learnt_priors.py

Every one-edit candidate of the tasks is really run. A task that some edits repair (visible and hidden tests) gives one
point, shared among those edits; a class's rate is its points over its candidates, drawn towards the rate of all classes
by as much as 50 candidates of no class in particular. Learn on tasks that no figure is reported for.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.repair_baseline import Searched, search
from envs.execution.sandbox import Sandbox
from tasks import RepairTask, load

PSEUDO_CANDIDATES = 50
_HEAD = '''"""Rates at which one edit of each class repaired a task: data, written by a command.

    {command}

Learnt from {tasks} tasks, of which one edit repairs {solved}; {candidates} candidates were run.
"""

RATES: dict[str, float] = {{
'''


def rates(found: Iterable[Searched]) -> dict[str, float]:
    """The smoothed rate of each class, the largest first."""
    points: defaultdict[str, float] = defaultdict(float)
    candidates: Counter[str] = Counter()
    for each in found:
        candidates.update(edit.operator for edit in each.candidates)
        right = [edit for edit, hidden in each.plausible.items() if hidden is not False]
        for edit in right:
            points[edit.operator] += 1 / len(right)
    overall = sum(points.values()) / max(1, sum(candidates.values()))
    smoothed = {
        name: (points[name] + PSEUDO_CANDIDATES * overall) / (count + PSEUDO_CANDIDATES)
        for name, count in candidates.items()
    }
    return dict(sorted(smoothed.items(), key=lambda item: (-item[1], item[0])))


def written(learnt: Mapping[str, float], found: list[Searched], command: str) -> str:
    """The module that holds the rates."""
    solved = sum(any(hidden is not False for hidden in each.plausible.values()) for each in found)
    candidates = sum(len(each.candidates) for each in found)
    head = _HEAD.format(command=command, tasks=len(found), solved=solved, candidates=f"{candidates:,}")
    return head + "".join(f'    "{name}": {rate:.6f},\n' for name, rate in learnt.items()) + "}\n"


def main(argv: list[str] | None = None) -> None:
    """Learn from what the arguments name; print the module or write it."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", help="anything that tasks.load takes")
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--write", type=Path, help="the module to write; printed where not given")
    options = parser.parse_args(argv)
    tasks = [task for task in load(options.path).tasks if isinstance(task, RepairTask)]
    with Sandbox() as sandbox:
        found = [search(task, sandbox) for task in tasks if task.split in (options.split, None)]
    command = f"python -m benchmarks.edit_priors {options.path} --split {options.split} --write PATH"
    text = written(rates(found), found, command)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
