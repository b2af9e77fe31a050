"""Claims about the benchmark of blind search: it resumes from its record, and shares are over all tasks."""

from __future__ import annotations

import pytest

from benchmarks import repair_baseline as benchmark
from cwm_agent.records.jsonl_file import read_jsonl
from tasks import CallTest, RepairTask


def _task(name: str, body: str) -> RepairTask:
    tests = (CallTest("1, 2", "3"), CallTest("5, 5", "10"), CallTest("0, 7", "7"))
    hidden = (CallTest("2, 2", "4"),)
    return RepairTask(id=name, source=f"def add(a, b):\n    return {body}\n", entry="add", tests=tests, hidden=hidden)


TASKS = [_task("minus", "a - b"), _task("unsolvable", "(a, b)")]


def test_an_interrupted_run_continues_from_its_record(tmp_path, monkeypatch):
    """Recorded tasks are not searched again; other tasks are, also after an incomplete row."""
    record = tmp_path / "record.jsonl"
    (first,) = benchmark.search_all(TASKS[:1], 1, record)
    record.write_bytes(record.read_bytes() + b'{"task": "hopeless", ')
    searched = []
    search = benchmark.search
    monkeypatch.setattr(benchmark, "search", lambda task, sandbox: searched.append(task.id) or search(task, sandbox))
    again, other = benchmark.search_all(TASKS, 2, record)
    assert searched == ["unsolvable"]
    assert again == first
    assert list(again.plausible.values()) == [True] * len(again.plausible) != []
    assert not other.plausible
    assert len(record.read_text().splitlines()) == 2


def test_a_record_of_another_program_is_not_taken(tmp_path):
    """A task whose source has changed is searched again."""
    record = tmp_path / "record.jsonl"
    benchmark.search_all(TASKS[:1], 1, record)
    assert benchmark._recorded([_task("minus", "a * b")], read_jsonl(record)) == {}


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
