"""The parent's eye on one fork: hands it its job, takes its lines, and stops it at the first limit it meets.

CPU time is read from the kernel's clock of the other process, so nothing that the program does to its own timers or
signals counts. What is read here is bytes and newlines, never more. Knows no isolation and no test.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from envs.execution.containment.connection import Fork
from envs.execution.containment.limits import Limits

Stopped = Literal["cpu", "wall", "output"]
_CHUNK = 1 << 16
_PRINTED_KEPT = 10_000


@dataclass(slots=True)
class Meter:
    """What the fork has used since its present request began, against what it may use."""

    pid: int
    limits: Limits
    cpu_start: float = 0.0
    wall_start: float = field(default_factory=time.monotonic)

    def cpu(self) -> float:
        """CPU seconds of the fork so far; seconds on the wall where the system has no such clock."""
        try:
            return time.clock_gettime((~self.pid << 3) | 2) if self.pid else time.monotonic()
        except OSError:  # it has ended
            return self.cpu_start

    def renew(self) -> float:
        """Begin a new request; the CPU seconds that the last one took."""
        now = self.cpu()
        used, self.cpu_start, self.wall_start = now - self.cpu_start, now, time.monotonic()
        return used

    def left(self) -> tuple[float, Stopped]:
        """Seconds until a limit can be met at the soonest, and which: one thread uses no more CPU than wall time."""
        cpu_left = self.cpu_start + self.limits.cpu_s - self.cpu()
        wall_left = self.wall_start + self.limits.wall_s - time.monotonic()
        return (cpu_left, "cpu") if cpu_left <= wall_left else (wall_left, "wall")


class Watch:
    """One job under watch, from the handing over to its end."""

    def __init__(self, fork: Fork, limits: Limits, renewals: int) -> None:
        self.stopped: Stopped | None = None
        """The limit that ended it, if one did."""
        self.done = False
        """Whether the fork said that it had finished."""
        self.failure: bytes | None = None
        """What the trusted function in the fork said of its own failure, as JSON; a program can say it too."""
        self.cpu_s = 0.0
        self._printed = bytearray()
        self._fork = fork
        self._renewals = renewals
        self._meter = Meter(fork.outer_pid(), limits)
        self._left_bytes = limits.output_bytes
        self._outbox = bytearray()
        self._partial = bytearray()
        self._lines: deque[bytes] = deque()
        self._poll = select.poll()
        self._poll.register(fork.channel, select.POLLIN)
        self._poll.register(fork.printed, select.POLLIN)

    @property
    def printed(self) -> str:
        """The beginning of what the program printed."""
        return bytes(self._printed).decode("utf-8", "replace")

    def hand_over(self, order: bytes) -> None:
        """Give the fork a line or more, and start its clocks anew; it takes what it will, the rest follows."""
        self._outbox += order
        self.cpu_s += self._meter.renew()
        self._write()

    def next(self) -> bytes | None:
        """The next line of the fork, or None when there will be no more."""
        while not self._lines and not self.done and self._step():
            pass
        return self._lines.popleft() if self._lines else None

    def renew(self) -> None:
        """Start the clocks anew, if renewals are left."""
        if self._renewals > 0:
            self._renewals -= 1
            self.cpu_s += self._meter.renew()

    def end(self) -> None:
        """Take what is left of the printed text and of the CPU time."""
        rest = select.poll()
        rest.register(self._fork.printed, select.POLLIN)
        while self._left_bytes >= 0 and rest.poll(0) and not self._take_printed():
            pass
        self.cpu_s += self._meter.renew()

    def _step(self) -> bool:
        """Wait for one event and deal with it; False at the end of the channel."""
        left, limit = self._meter.left()
        if left <= 0:
            self.stopped = self.stopped or limit
        if self.stopped is not None:
            return False
        for descriptor, event in self._poll.poll(left * 1000 + 1):
            if descriptor == self._fork.printed:
                if self._take_printed():
                    self._poll.unregister(descriptor)
            else:
                if event & select.POLLOUT:
                    self._write()
                if event & ~select.POLLOUT and not self._take():
                    return False
        if self._left_bytes < 0:
            self.stopped = "output"
        return self.stopped is None

    def _take(self) -> bool:
        """Read lines; False at the end of the channel."""
        try:
            chunk = self._fork.channel.recv(_CHUNK)
        except BlockingIOError:
            return True
        except ConnectionError:
            return False
        self._left_bytes -= len(chunk)
        first, *others = chunk.split(b"\n")
        self._partial += first
        for other in others:
            self._accept(bytes(self._partial))
            self._partial[:] = other
        return bool(chunk)

    def _accept(self, line: bytes) -> None:
        if self.done:
            return
        if line[:1] == b"d":
            self._lines.append(line[1:])
            self.renew()
        else:
            self.done = True
            self.failure = None if line == b"." else line[1:]

    def _take_printed(self) -> bool:
        """Keep the beginning of what was printed, count all of it; whether it has ended."""
        chunk = os.read(self._fork.printed, _CHUNK)
        self._left_bytes -= len(chunk)
        self._printed += chunk[: _PRINTED_KEPT - len(self._printed)]
        return not chunk

    def _write(self) -> None:
        try:
            del self._outbox[: self._fork.channel.send(self._outbox)]
        except BlockingIOError:
            pass
        except ConnectionError:  # it has ended, which reading will show
            self._outbox.clear()
        events = select.POLLIN | (select.POLLOUT if self._outbox else 0)
        self._poll.register(self._fork.channel, events)
