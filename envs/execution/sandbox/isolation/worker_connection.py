"""The parent's end of one worker: starts it, asks it for forks, some ahead of need, and ends it.

The parent writes to a fork directly, over a channel that this file makes. Knows no job and no limit.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from _socket import socket as PlainSocket  # noqa: N812 - it is not socket.socket
from _socket import socketpair  # the plain one: no enums to look up for every fork
from array import array
from collections import deque
from dataclasses import dataclass

from envs.execution.sandbox.isolation import isolation_methods
from envs.execution.sandbox.isolation.packages import Package

_PATIENCE_S = 20.0
_AT_ONCE = 4
_REPLY = 1 << 16


class WorkerDied(RuntimeError):
    """A worker ended or fell silent."""


class IsolationFailed(RuntimeError):
    """A worker could not be started under this isolation."""


@dataclass(slots=True)
class Fork:
    """The parent's ends of a fork; `pid` and `handle` are known once the worker has answered."""

    channel: PlainSocket
    printed: int
    bell: int
    """Readable when the fork has finished or ended, so that the reader need not wake for every line."""
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
            info = os.open(f"/proc/self/fdinfo/{self.handle}", os.O_RDONLY)
        except OSError:
            return 0
        text = os.read(info, 4096)
        os.close(info)
        found = text.find(b"\nPid:")
        return int(text[found + 5 :].split(None, 1)[0]) if found >= 0 else 0

    def close(self) -> None:
        """Let go of it; it is killed first."""
        self.kill()
        self.channel.close()
        os.close(self.printed)
        os.close(self.bell)
        if self.handle is not None:
            os.close(self.handle)


class Connection:
    """A live worker; not shared between threads."""

    def __init__(self, name: isolation_methods.Name, packages: tuple[Package, ...] = ()) -> None:
        self.jobs = 0
        self._known: set[str] = set()
        self._spares: deque[Fork] = deque()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(_PATIENCE_S)
        with theirs:
            try:
                start = isolation_methods.start(name, packages)
                self._process = subprocess.Popen(
                    start.command,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    env=isolation_methods.ENVIRONMENT,
                    start_new_session=True,  # one group to kill, and no terminal to reach
                )
            except OSError as error:
                self._socket.close()
                raise IsolationFailed(str(error)) from error
        self._greet(start)

    def _greet(self, start: isolation_methods.WorkerStart) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as complaints:
            try:
                self._send(json.dumps(start.config).encode())
                greeting = self._reply()[0]
            except WorkerDied:
                greeting = b""
            if greeting != b"ready":
                self.kill()
                lines = complaints.read().decode("utf-8", "replace").strip().splitlines()
                raise IsolationFailed(lines[-1] if lines else "the worker ended without a word")

    @property
    def pid(self) -> int:
        """The process id of the worker, or of the bubblewrap around it."""
        return self._process.pid

    def learn(self, function: str) -> str | None:
        """Have the worker import a trusted function for the forks to come; the reason where it cannot."""
        if function in self._known:
            return None
        self._drop_spares()
        self._send(f"i {function}".encode())
        complaint: str | None = json.loads(self._reply()[0])
        if complaint is None:
            self._known.add(function)
        return complaint

    def fork(self) -> Fork:
        """A fork that waits for its job."""
        self.prepare(at_least=1)
        self._settle(only_first=True)
        return self._spares.popleft()

    def prepare(self, at_least: int = _AT_ONCE) -> None:
        """Have the worker make forks ahead of need: several at a time, and while others work, each costs less.

        With fewer than that at hand, a caller of quick jobs waits for the worker every few jobs.
        """
        if len(self._spares) < at_least:
            self._ask()

    def status(self, fork: Fork) -> int:
        """How a fork ended, as `os.waitpid` says it."""
        self._settle()
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
        while self._spares:
            self._spares.pop().close()

    def _ask(self) -> None:
        """Send the worker the far ends of some new forks; its answer is read when it is needed."""
        asked, far = [], []
        for _ in range(_AT_ONCE):
            ours, theirs = socketpair()
            ours.setblocking(False)
            printed, printed_end = os.pipe()
            bell, bell_end = os.pipe()
            asked.append(Fork(ours, printed, bell))
            far += [theirs.detach(), printed_end, bell_end]
        self._spares.extend(asked)
        try:
            self._socket.sendmsg([b"f"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", far))])
        except OSError as error:
            raise WorkerDied(f"The worker cannot be asked for forks: {error}.") from error
        finally:
            for descriptor in far:
                os.close(descriptor)

    def _settle(self, *, only_first: bool = False) -> None:
        """Read the worker's answers about the forks asked for, which come before any other answer."""
        while unborn := [fork for fork in self._spares if not fork.pid][:_AT_ONCE]:
            if only_first and self._spares[0].pid:
                return
            line, handles = self._reply()
            for fork, pid in zip(unborn, line.split(), strict=True):
                fork.pid, fork.handle = int(pid), handles.pop(0) if handles else None

    def _drop_spares(self) -> None:
        self._settle()
        while self._spares:
            self._spares.pop().close()

    def _send(self, line: bytes) -> None:
        try:
            self._socket.sendall(line + b"\n")
        except OSError as error:
            raise WorkerDied(f"The worker is gone: {error}.") from error

    def _reply(self) -> tuple[bytes, list[int]]:
        """The worker's next line, and the descriptors that came with it."""
        try:
            text, handles, _, _ = socket.recv_fds(self._socket, _REPLY, _AT_ONCE)
        except OSError as error:
            raise WorkerDied(f"The worker has said nothing for {_PATIENCE_S:g} s: {error}.") from error
        if not text:
            raise WorkerDied("The worker has ended.")
        return text.rstrip(b"\n"), handles
