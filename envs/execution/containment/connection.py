"""The parent's end of one worker: starts it, sends it lines, reads lines with a deadline, ends it.

Knows the worker's line protocol only as far as `ready`; what the lines mean is sandbox.py's business.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time

from envs.execution.containment import isolation
from envs.execution.containment.watch import Lines

_START_S = 20.0


class WorkerDied(RuntimeError):
    """A worker ended or fell silent in the middle of a job."""


class IsolationFailed(RuntimeError):
    """A worker could not be started under this isolation."""


class Connection:
    """A live worker; not shared between threads."""

    def __init__(self, name: isolation.Name) -> None:
        self.jobs = 0
        try:
            start = isolation.start(name)
            self._process = subprocess.Popen(
                start.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=isolation.ENVIRONMENT,
                start_new_session=True,  # one group to kill, and no terminal to reach
            )
        except OSError as error:
            raise IsolationFailed(str(error)) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin.fileno()
        self._lines = Lines(self._process.stdout.fileno())
        self._poll = select.poll()
        self._poll.register(self._lines.descriptor, select.POLLIN)
        self._greet(start)

    def _greet(self, start: isolation.Start) -> None:
        try:
            self.send(b"", json.dumps(start.config).encode())
            line = self.read(_START_S)
        except WorkerDied:
            line = b""
        assert self._process.stderr is not None
        if line != b"ready":
            self.kill()
            said = self._process.stderr.read().decode("utf-8", "replace").strip().splitlines()
            self._process.stderr.close()
            raise IsolationFailed(said[-1] if said else "the worker ended without a word")
        self._process.stderr.close()

    @property
    def pid(self) -> int:
        """The process id of the worker, or of the bubblewrap around it."""
        return self._process.pid

    def send(self, tag: bytes, line: bytes = b"") -> None:
        """Write one line."""
        data = memoryview(tag + line + b"\n")
        try:
            while data:
                data = data[os.write(self._input, data) :]
        except BrokenPipeError as error:
            raise WorkerDied("The worker ended before it took its job.") from error

    def read(self, patience_s: float) -> bytes:
        """The next line; WorkerDied where none comes in time."""
        deadline = time.monotonic() + patience_s
        while (line := self._lines.take()) is None:
            left = deadline - time.monotonic()
            if not self._poll.poll(max(0.0, left) * 1000):
                raise WorkerDied(f"The worker has said nothing for {patience_s:g} s.")
            if not self._lines.feed():
                raise WorkerDied("The worker ended in the middle of a job.")
        return line

    def kill(self) -> None:
        """End the worker and everything in its group at once."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
