"""The pool of local processes: results as they come, deaths, retries, cancelling; the same work as on a cluster."""

import gc
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "extras"))
from cluster_work import ScriptedWork

from cwm_agent.jobs import processes
from cwm_agent.jobs.errors import JobError, MissingOnNode, NodesRefused, VersionMismatch
from cwm_agent.jobs.function_calls import map_calls
from cwm_agent.jobs.job_loop import JobListeners, _check_versions, _Driver, run_jobs
from cwm_agent.jobs.node_tally import NodeCount, NodeTally
from cwm_agent.jobs.placement import HERE, Placement
from cwm_agent.jobs.protocol import Finished, LostItem, NodeRefused, Opened, WorkerReport, WorkRaised
from cwm_agent.plugins import PluginError

TWO = Placement(2)


def results(found):
    return sorted((each.item, each.value) for each in found if isinstance(each, Finished))


@pytest.mark.parametrize("placement", [HERE, TWO, Placement(1, apart=True)], ids=["here", "two", "apart"])
def test_every_item_has_one_result(placement, tmp_path):
    found = list(run_jobs(ScriptedWork(tmp_path), [[1, 2], [3], [4, 5, 6]], placement))
    assert results(found) == [(number, number**2) for number in range(1, 7)]


def test_garbage_is_collected_rarely_during_work_in_this_process_and_as_before_after_it(tmp_path):
    before = gc.get_threshold()
    found = run_jobs(ScriptedWork(tmp_path), [[1, 2]], HERE)
    next(found)
    assert gc.get_threshold()[0] > before[0]
    found.close()
    assert gc.get_threshold() == before


def test_no_batch_starts_no_worker(tmp_path):
    nodes = []
    assert not list(run_jobs(ScriptedWork(tmp_path), [], TWO, JobListeners(on_nodes=nodes.append)))
    assert not nodes


def test_items_of_a_dead_worker_go_to_another_and_finished_ones_do_not(tmp_path):
    found = list(run_jobs(ScriptedWork(tmp_path), [[1, "crash_once:a", 2], [3]], TWO))
    assert results([each for each in found if isinstance(each.item, int)]) == [(1, 1), (2, 4), (3, 9)]
    assert [each.value for each in found if isinstance(each.item, str)] == ["crash_once:a"]


def test_an_item_that_kills_its_workers_is_lost_with_its_reason_and_the_rest_is_done(tmp_path):
    nodes: list[NodeCount] = []
    listeners = JobListeners(on_nodes=lambda all_nodes: nodes.append(all_nodes[0].line()))
    found = list(run_jobs(ScriptedWork(tmp_path), [[1, "crash", 2]], Placement(2, retries=1), listeners))
    [lost] = [each for each in found if isinstance(each, LostItem)]
    assert lost.item == "crash"
    assert "exit code 7. (2 workers in a row)" in str(lost)
    assert results(found) == [(1, 1), (2, 4)]
    assert "2 done" in nodes[-1]
    assert "2 lost" in nodes[-1]


def test_a_result_that_is_too_large_is_not_sent(tmp_path):
    found = list(run_jobs(ScriptedWork(tmp_path), [["much:65", 2]], TWO))
    assert results(found) == [(2, 4)]
    [lost] = [each for each in found if isinstance(each, LostItem)]
    assert "a worker sends 64 MiB at most: give it less to return" in lost.reason


def test_an_error_of_the_work_is_raised_with_the_workers_traceback(tmp_path):
    with pytest.raises(ArithmeticError, match="the work is wrong") as caught:
        list(run_jobs(ScriptedWork(tmp_path), [["raise_error"]], TWO))
    assert "in raise_error" in caught.value.__notes__[0]


def test_states_reach_who_watches(tmp_path):
    states = []
    list(run_jobs(ScriptedWork(tmp_path), [[1], [2]], TWO, JobListeners(on_state=states.append)))
    assert set(states) == {"open"}


def test_an_endless_run_is_cancelled_by_closing_it(tmp_path):
    numbers = iter(range(10**9))
    running = run_jobs(ScriptedWork(tmp_path), ([number] for number in numbers), TWO)
    first = next(running)
    running.close()
    assert isinstance(first, Finished)
    assert next(numbers) < 100


def test_workers_that_miss_the_request_to_end_are_killed_after_one_time_for_all(tmp_path, monkeypatch):
    """The clock reaches the deadline while the first one is waited for: none of the others is waited for."""
    clock = iter([0.0, *[processes.SHORT_PATIENCE_S] * 3])
    monkeypatch.setattr(processes, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with processes.ProcessCrew(ScriptedWork(tmp_path), 3) as crew:
        workers = [crew.start() for _ in range(3)]
        for worker in workers:
            assert isinstance(worker.event(), Opened)
            worker.take(["stay"])
            assert worker.event().value == "stay"
    assert [worker.process.exitcode for worker in workers] == [-signal.SIGKILL] * 3
    assert next(clock, None) is None


def test_calls_are_mapped_in_order():
    assert list(map_calls(abs, range(-5, 0), TWO)) == [5, 4, 3, 2, 1]


def test_another_version_on_a_node_is_one_sentence():
    with pytest.raises(VersionMismatch, match=r"Node far has cwm-agent 9 where the driver has .* Install the same"):
        _check_versions(WorkerReport("far", 1, (("cwm-agent", "9"),)))


class OneWorkerCrew:
    """A crew whose only worker has sent an event."""

    size = 1

    def __init__(self, event):
        self._event = event

    def start(self):
        return self

    def take(self, items):
        raise AssertionError("the worker never opened")

    def wait(self, seconds):
        return [(self, self._event)]

    def drop(self, worker):
        assert worker is self


@pytest.mark.parametrize(
    ("event", "error", "words"),
    [
        (NodeRefused(WorkerReport("bare", 1), "Install bubblewrap."), NodesRefused, "bare: Install bubblewrap."),
        (WorkRaised(PluginError("There is no module 'mine'."), lacks_plugin=True), MissingOnNode, "--runtime-env"),
    ],
    ids=["isolation", "plug-in"],
)
def test_what_a_node_lacks_is_one_sentence(event, error, words):
    crew = OneWorkerCrew(event)
    driver = _Driver(crew, iter([[1]]), Placement(1, "auto"), JobListeners(), None)
    with pytest.raises(error) as caught:
        list(driver.results())
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, JobError)


def test_a_tally_tells_of_each_change():
    lines = []
    tally = NodeTally(lambda nodes: lines.append([node.line() for node in nodes]))
    tally.opened("a", "landlock")
    tally.done("a", 1.0)
    tally.refused("b", "no isolation")
    assert "1 workers, 1 done" in lines[-1][0]
    assert lines[-1][1] == "node b: refused: no isolation"
