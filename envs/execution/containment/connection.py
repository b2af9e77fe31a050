"""The parent's end of one worker: starts it, asks it for forks, one ahead of need, and ends it.

A fork is spoken to directly, over a channel that this file makes. Knows no job and no limit.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from dataclasses import dataclass

from envs.execution.containment import isolation

_PATIENCE_S = 20.0


class WorkerDied(RuntimeError):
    """A worker ended or fell silent."""


class IsolationFailed(RuntimeError):
    """A worker could not be started under this isolation."""


@dataclass(slots=True)
class Fork:
    """The parent's ends of a fork; `pid` and `handle` are known once the worker has answered."""

    channel: socket.socket
    printed: int
    pid: int = 0
    """Its process id as the worker sees it."""
    handle: int | None = None
    """A pidfd, where the system has them: right in every process namespace, and never another process."""

    def kill(self) -> None:
        """End it, whatever it does."""
        try:
            if self.handle is not None:
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            elif self.pid:
                os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def outer_pid(self) -> int:
        """Its process id as this process sees it, 0 where it cannot be told."""
        if self.handle is None:
            return self.pid
        try:
            with open(f"/proc/self/fdinfo/{self.handle}", encoding="ascii") as info:
                return next((int(line[4:]) for line in info if line.startswith("Pid:")), 0)
        except OSError:
            return 0

    def close(self) -> None:
        """Let go of it; it is killed first."""
        self.kill()
        self.channel.close()
        os.close(self.printed)
        if self.handle is not None:
            os.close(self.handle)


class Connection:
    """A live worker; not shared between threads."""

    def __init__(self, name: isolation.Name) -> None:
        self.jobs = 0
        self._known: set[str] = set()
        self._spare: Fork | None = None
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(_PATIENCE_S)
        with theirs:
            try:
                start = isolation.start(name)
                self._process = subprocess.Popen(
                    start.command,
                    stdin=theirs,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    env=isolation.ENVIRONMENT,
                    start_new_session=True,  # one group to kill, and no terminal to reach
                )
            except OSError as error:
                self._socket.close()
                raise IsolationFailed(str(error)) from error
        self._greet(start)

    def _greet(self, start: isolation.Start) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as complaints:
            try:
                self._send(json.dumps(start.config).encode())
                greeting = self._reply()[0]
            except WorkerDied:
                greeting = b""
            if greeting != b"ready":
                self.kill()
                said = complaints.read().decode("utf-8", "replace").strip().splitlines()
                raise IsolationFailed(said[-1] if said else "the worker ended without a word")

    @property
    def pid(self) -> int:
        """The process id of the worker, or of the bubblewrap around it."""
        return self._process.pid

    def learn(self, function: str) -> str | None:
        """Have the worker import a trusted function for the forks to come; the reason where it cannot."""
        if function in self._known:
            return None
        self._drop_spare()
        self._send(f"i {function}".encode())
        complaint: str | None = json.loads(self._reply()[0])
        if complaint is None:
            self._known.add(function)
        return complaint

    def fork(self) -> Fork:
        """A fork that waits for its job."""
        fork, self._spare = self._settled() or self._ask(), None
        return fork if fork.pid else self._born(fork)

    def prepare(self) -> None:
        """Have the worker make the next fork, while the one before works: on two cores forking then costs no waiting."""
        if self._spare is None:
            self._spare = self._ask()

    def status(self, fork: Fork) -> int:
        """How a fork ended, as `os.waitpid` says it."""
        self._settled()
        self._send(b"w %d" % fork.pid)
        return int(self._reply()[0])

    def kill(self) -> None:
        """End the worker and everything in its group at once."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self._process.wait()
        self._socket.close()
        if self._spare is not None:
            self._spare.close()
            self._spare = None

    def _ask(self) -> Fork:
        ours, theirs = socket.socketpair()
        printed, printed_end = os.pipe()
        try:
            socket.send_fds(self._socket, [b"f\n"], [theirs.fileno(), printed_end])
        except OSError as error:
            ours.close()
            os.close(printed)
            raise WorkerDied(f"The worker cannot be asked for a fork: {error}.") from error
        finally:
            theirs.close()
            os.close(printed_end)
        ours.setblocking(False)
        return Fork(ours, printed)

    def _born(self, fork: Fork) -> Fork:
        try:
            line, handles = self._reply()
        except WorkerDied:
            fork.close()
            raise
        fork.pid, fork.handle = int(line), handles[0] if handles else None
        return fork

    def _settled(self) -> Fork | None:
        """The spare fork, after the worker's answer about it has been read."""
        if self._spare is not None and not self._spare.pid:
            fork, self._spare = self._spare, None
            self._spare = self._born(fork)
        return self._spare

    def _drop_spare(self) -> None:
        if spare := self._settled():
            self._spare = None
            spare.close()

    def _send(self, line: bytes) -> None:
        try:
            self._socket.sendall(line + b"\n")
        except OSError as error:
            raise WorkerDied(f"The worker is gone: {error}.") from error

    def _reply(self) -> tuple[bytes, list[int]]:
        """The worker's next line, and the descriptors that came with it."""
        text, handles = b"", list[int]()
        while not text.endswith(b"\n"):
            try:
                chunk, attached, _, _ = socket.recv_fds(self._socket, 1 << 16, 1)
            except OSError as error:
                raise WorkerDied(f"The worker has said nothing for {_PATIENCE_S:g} s: {error}.") from error
            if not chunk:
                raise WorkerDied("The worker has ended.")
            text, handles = text + chunk, handles + attached
        return text[:-1], handles
