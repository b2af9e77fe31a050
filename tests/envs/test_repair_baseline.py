"""Claims about the benchmark of blind search: it runs every candidate, and shares are over all tasks."""

from __future__ import annotations

import pytest

from benchmarks import repair_baseline as benchmark
from tasks import CallTest, RepairTask


def _task(name: str, body: str) -> RepairTask:
    tests = (CallTest("1, 2", "3"), CallTest("5, 5", "10"), CallTest("0, 7", "7"))
    hidden = (CallTest("2, 2", "4"),)
    return RepairTask(id=name, source=f"def add(a, b):\n    return {body}\n", entry="add", tests=tests, hidden=hidden)


TASKS = [_task("minus", "a - b"), _task("unsolvable", "(a, b)")]


def test_every_candidate_is_run():
    """A task that one edit repairs has plausible patches that pass the hidden tests; another has none."""
    solvable, other = benchmark.search_all(TASKS, 1)
    assert list(solvable.plausible.values()) == [True] * len(solvable.plausible) != []
    assert not other.plausible


@pytest.mark.parametrize(
    ("spent", "share", "expected"),
    [
        pytest.param([5, None, 3, 9], 0.5, 5, id="the budget at which the second of four is solved"),
        pytest.param([5, None, None, None], 0.5, None, id="never half"),
        pytest.param([1, 2, 3, 4, None], 0.6, 3, id="three of five"),
    ],
)
def test_the_share_is_of_all_tasks(spent, share, expected):
    assert benchmark.share_at(spent, share) == expected
