"""Worker processes end when the process that hands out the tasks is killed."""

import os
import select
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PARENT = """
import os, sys
from multiprocessing import get_context
from threading import Event


def stay(ready):
    from cwm_agent.jobs.processes import leave_with_parent

    leave_with_parent()
    ready.set()
    Event().wait()


if __name__ == "__main__":
    context = get_context("spawn")
    ready = context.Event()
    child = context.Process(target=stay, args=(ready,))
    child.start()
    ready.wait()
    print(child.pid, flush=True)
    sys.stdin.read()
    os.kill(os.getpid(), 9)
"""


def test_worker_processes_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command, pipe = [sys.executable, str(script)], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as parent:
        assert parent.stdout is not None
        child = os.pidfd_open(int(parent.stdout.readline()))
        assert parent.stdin is not None
        parent.stdin.close()  # the parent kills itself at the end of its input
        poll = select.poll()
        poll.register(child, select.POLLIN)
        assert poll.poll(30_000), "the process still exists 30 seconds later"
    os.close(child)
