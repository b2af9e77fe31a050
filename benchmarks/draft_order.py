"""Real executions until the first right draft: as imagination ranks them, in the order given, in random order.

    python -m benchmarks.draft_order repair --split dev --tasks 12 --drafts 8 --seed 0

The drafts of a task are its reference and programs with injected faults, in random order. Imagination ranks them by the
share of the tests that they are believed to pass; ties keep the order given. A draft is right if it passes the visible
and the hidden tests.
"""

import argparse
import statistics
from collections.abc import Iterator, Sequence
from random import Random

from cwm_agent.agent.repair.beliefs import Belief, RolloutImaginer
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.training.policy.bug_injection import bugs_of
from cwm_agent.training.policy.policy_examples import with_bugs
from envs.domains.evaluation import Evaluator
from envs.editing.fingerprint import fingerprint
from tasks import RepairTask, load

TRIES = 20
"""Faults tried for each draft that is wanted."""


def drafts_of(task: RepairTask, count: int, rng: Random) -> list[str]:
    """The reference of a task among different programs with one fault, in random order."""
    assert task.reference is not None
    found = {fingerprint(task.reference): task.reference}
    for _ in range(TRIES * count):
        kinds = bugs_of(task.reference, rng)
        if len(found) == count or not kinds:
            break
        faulty = with_bugs(task.reference, [rng.choice(kinds[rng.choice(sorted(kinds))])])
        if fingerprint(faulty) is not None:
            found.setdefault(fingerprint(faulty), faulty)
    drafts = list(found.values())
    rng.shuffle(drafts)
    return drafts


def ranked(task: RepairTask, drafts: Sequence[str], workplace: Workplace) -> list[int]:
    """The places of the drafts, those first that are believed to pass most tests."""
    oracle = workplace.metered_oracle().cache
    assert isinstance(oracle, CachedOracle)
    imaginer = RolloutImaginer(oracle)
    scores = []
    for draft in drafts:
        beliefs = imaginer.beliefs([(draft, task.entry, test) for test in task.tests])
        scores.append(sum(map(_chance, beliefs)) / len(beliefs))
    return sorted(range(len(drafts)), key=lambda at: -scores[at])


def _chance(belief: Belief) -> float:
    return 0.5 if belief.passes is None else belief.confidence if belief.passes else 1 - belief.confidence


def measured(tasks: Sequence[RepairTask], drafts: int, seed: int, oracle: str) -> Iterator[tuple[str, int, int, float]]:
    """For each task the executions until a right draft: as ranked, as given, and on average in random order."""
    with Workplace(Settings(oracle=oracle, policy="none")) as workplace:
        for task in tasks:
            listed = drafts_of(task, drafts, Random(f"{seed}{task.id}"))
            evaluator = Evaluator(task, workplace.sandbox)
            right = [evaluator.run(each).solved and evaluator.passes_hidden(each) is not False for each in listed]
            order = ranked(task, listed, workplace)
            chance = (len(listed) + 1) / (sum(right) + 1)  # mean place of the first of them in random order
            yield task.id, [right[at] for at in order].index(True) + 1, right.index(True) + 1, chance


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line a task, and the means."""
    options = _parser().parse_args(arguments)
    found = [task for task in load(options.path).tasks if isinstance(task, RepairTask) and task.reference]
    tasks = [task for task in found if options.split in (None, task.split)][: options.tasks]
    rows = []
    for row in measured(tasks, options.drafts, options.seed, options.oracle):
        print(f"{row[0]:<24} ranked {row[1]}, as given {row[2]}, random order {row[3]:.1f}", flush=True)
        rows.append(row)
    means = [statistics.mean(column) for column in list(zip(*rows, strict=True))[1:]]
    print(f"mean of {len(rows)} tasks: ranked {means[0]:.2f}, as given {means[1]:.2f}, random order {means[2]:.2f}")


def _parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(
        prog="python -m benchmarks.draft_order",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("path", help="tasks with references: a name, a folder or a file")
    command.add_argument("--split", choices=("dev", "test"), help="only tasks of this split")
    command.add_argument("--tasks", type=int, help="only the first tasks")
    command.add_argument("--drafts", type=int, default=8, help="drafts a task (default: %(default)s)")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--oracle", default="embedded")
    return command


if __name__ == "__main__":
    main()
