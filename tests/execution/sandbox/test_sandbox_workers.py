"""Workers live and die without costing a verdict; nothing is left behind."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from sandbox_cases import ADD, QUICK, RUN, run_payload

from envs.execution.sandbox.sandbox import Check, Sandbox, SandboxError, SandboxLimits, WorkerLost


def test_a_dead_worker_is_replaced_and_its_job_run_again(sandbox: Sandbox) -> None:
    """Killed between two jobs, the worker's next job is served by another."""
    test = [Check("add(1, 2)", "3")]
    assert sandbox.run_tests(ADD, test, entry="add")[0].passed
    before = sandbox.pool.idle[0].pid
    os.killpg(before, signal.SIGKILL)
    assert sandbox.run_tests(ADD, test, entry="add")[0].passed
    assert sandbox.pool.idle[0].pid != before


def test_a_worker_that_dies_in_the_middle_is_replaced_before_the_first_answer(one: Sandbox) -> None:
    """The job starts over; when part of its answer was read it is lost instead, and says so."""
    stream = one.stream(RUN, run_payload("def f():\n    return 1\n", "f()"))
    os.killpg(stream._running._connection.pid, signal.SIGKILL)  # type: ignore[union-attr]
    assert [item["returned"] for item in stream] == [None, 1]
    slow = "def f():\n    while True: pass\n"
    stream = one.stream(RUN, run_payload(slow, "f()"), limits=SandboxLimits())
    lines = iter(stream)
    next(lines)
    os.killpg(stream._running._connection.pid, signal.SIGKILL)  # type: ignore[union-attr]
    with pytest.raises(WorkerLost, match="not run again"):
        next(lines)


def test_workers_are_retired_after_so_many_jobs() -> None:
    """Nothing that a worker accumulates lasts."""
    with Sandbox(limits=QUICK, jobs_per_worker=2) as sandbox:
        pids = []
        for _ in range(4):
            sandbox.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")
            pids += [worker.pid for worker in sandbox.pool.idle]
    assert len(pids) == 2
    assert len(set(pids)) == 2


def test_many_workers_give_the_same_verdicts_as_one() -> None:
    """Threads share a sandbox; the order of the sources is kept."""
    sources = [f"def add(a, b):\n    return a + b + {n % 3}\n" for n in range(24)]
    tests = [Check("add(1, 2)", "3"), Check("add(2, 2)", "4")]
    with Sandbox(limits=QUICK, workers=3) as sandbox:
        with ThreadPoolExecutor(3) as pool:
            rows = list(pool.map(lambda source: sandbox.run_tests(source, tests, entry="add"), sources))
        assert len(sandbox.pool._live) <= 3
    assert [[verdict.passed for verdict in row] for row in rows] == [[n % 3 == 0] * 2 for n in range(24)]


def test_descriptors_and_processes_stay_level() -> None:
    """A hundred evaluations, some looping, crashing or refused, leave nothing open."""
    bodies = ["return 1", "import os\n    os._exit(1)", "raise ValueError", "return 'x' * 10 ** 6"]
    with Sandbox(limits=QUICK) as sandbox:
        counts = []
        for n in range(100):
            sandbox.run_tests(f"def f():\n    {bodies[n % 4]}\n", [Check("f()", "1")], entry="f", stop_early=True)
            counts.append(len(os.listdir("/proc/self/fd")))
    assert max(counts[50:]) <= max(counts[:50])  # it goes up and down with the forks made ahead


def test_a_closed_or_borrowed_sandbox_refuses() -> None:
    """Both would otherwise hang or talk to another's worker."""
    sandbox = Sandbox(limits=QUICK)
    sandbox.pool._owner += 1
    with pytest.raises(SandboxError, match="another process"):
        sandbox.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")
    sandbox.pool._owner -= 1
    sandbox.close()
    with pytest.raises(SandboxError, match="closed"):
        sandbox.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")


def test_closing_from_another_thread_while_jobs_run_ends_the_workers() -> None:
    """No worker outlives its sandbox."""
    with Sandbox(limits=SandboxLimits(cpu_s=20)) as sandbox, ThreadPoolExecutor(1) as pool:
        started = threading.Event()

        def loop() -> None:
            stream = sandbox.stream(RUN, run_payload("while True: pass"))
            started.set()
            list(stream)

        running = pool.submit(loop)
        started.wait(10)
        sandbox.close()
        with pytest.raises(SandboxError):
            running.result(timeout=20)


def test_many_idle_workers_leave_room_for_another() -> None:
    """Each has sent handles ahead of need, and Linux counts those of one user together: none dies of it."""
    with ExitStack() as stack:
        sandboxes = [stack.enter_context(Sandbox(limits=QUICK)) for _ in range(20)]
        found = [sandbox.run_tests(ADD, [Check("add(1, 2)", "3")], entry="add")[0] for sandbox in sandboxes]
    assert all(verdict.passed for verdict in found)


def test_a_program_may_open_few_files(sandbox: Sandbox) -> None:
    """The limit of the worker is not that of its forks."""
    source = "import resource\ndef f():\n    return resource.getrlimit(resource.RLIMIT_NOFILE)\n"
    assert sandbox.run_tests(source, [Check("f()", "(64, 64)")], entry="f")[0].passed
