"""The parent's monitor of one fork: sends its job, reads its lines, and stops it at the first limit it meets.

CPU time is read from the kernel's clock of the other process, so nothing that the program does to its own
timers or signals counts. What is read here is bytes and newlines, never more. Knows no isolation and no test.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from envs.execution.sandbox.isolation.limits import SandboxLimits
from envs.execution.sandbox.isolation.worker_connection import Fork

Stopped = Literal["cpu", "wall", "output"]
_CHUNK = 1 << 16
_PRINTED_KEPT = 10_000
_LONGEST_LINE = 16 << 20
"""Bytes of one line; a fork that sends a longer one meets its output limit."""
_AT_ONCE = 16 << 20
"""Bytes taken before the reader sees the lines among them: the rest waits in the fork, not in this process."""
_SHORTEST_MS, _LONGEST_MS = 2.0, 20.0


@dataclass(slots=True)
class ForkMeter:
    """What the fork has used since its present request began, against what it may use."""

    pid: int
    limits: SandboxLimits
    cpu_limit: float
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
        cpu_left = self.cpu_start + self.cpu_limit - self.cpu()
        wall_left = self.wall_start + self.limits.wall_s - time.monotonic()
        return (cpu_left, "cpu") if cpu_left <= wall_left else (wall_left, "wall")


class ForkMonitor:
    """One job under watch, from the handing over to its end."""

    def __init__(self, fork: Fork, limits: SandboxLimits, renewals: int, *, session: bool) -> None:
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
        loads = session or renewals > 0
        first = max(limits.cpu_s, limits.load_s) if loads else limits.cpu_s
        self._meter = ForkMeter(fork.outer_pid(), limits, first)
        self._meter.renew()  # what it used before it had its job is not the job's
        self._left_bytes = limits.output_bytes
        self._over = False
        self._away = time.monotonic()
        self._watched = -1
        self._outbox = bytearray()
        self._partial = bytearray()
        self._lines: deque[bytes] = deque()
        self._poll = select.poll()
        # Lines of a stream are taken now and then, and when the bell rings: waking for each would cost more
        # than most of them take. A session's answers are waited for.
        self._awaited = select.POLLIN if session else 0
        self._pause_ms = _LONGEST_MS if session else _SHORTEST_MS
        for descriptor in (fork.bell, fork.printed):
            self._poll.register(descriptor, select.POLLIN)

    @property
    def printed(self) -> str:
        """The beginning of what the program printed."""
        return bytes(self._printed).decode("utf-8", "replace")

    def hand_over(self, order: bytes) -> None:
        """Give the fork a line or more, and start its limits anew; it takes what it will, the rest follows."""
        self._outbox += order
        self._left_bytes = self._meter.limits.output_bytes
        self.cpu_s += self._meter.renew()
        self._away = time.monotonic()
        self._write()

    def next(self) -> bytes | None:
        """The next line of the fork, or None when there will be no more."""
        self._meter.wall_start += time.monotonic() - self._away  # a slow reader is not the program's fault
        while not self._lines and not self._over:
            self._step()
        self._away = time.monotonic()
        return self._lines.popleft() if self._lines else None

    def renew(self) -> None:
        """Note a line: what was to be loaded is loaded, and the clocks start anew if renewals are left."""
        self._meter.cpu_limit = self._meter.limits.cpu_s
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

    def _step(self) -> None:
        """Wait a little for something to happen, and take what there is."""
        left, limit = self._meter.left()
        if left <= 0:
            self._take()  # lines that came since the last look may have started the clocks anew
            left, limit = self._meter.left()
        if left <= 0:
            self.stopped, self._over = limit, True
            return
        events = dict(self._poll.poll(min(left * 1000 + 1, self._pause_ms)))
        if self._fork.printed in events and self._take_printed():
            self._poll.unregister(self._fork.printed)
        if self._outbox:
            self._write()
        ended = self._take()
        if self._left_bytes < 0:
            self.stopped, self._over = "output", True
        elif ended or self._fork.bell in events:
            self._over, self.done = True, self._rung()
            self._take()  # what it said before it rang

    def _rung(self) -> bool:
        """Whether the fork has said that it finished; a bell that was only closed does not count."""
        bell = select.poll()
        bell.register(self._fork.bell, select.POLLIN)
        return bool(bell.poll(0)) and os.read(self._fork.bell, 1) == b"."

    def _take(self) -> bool:
        """Read what the fork has said so far; whether it has closed its channel."""
        taken, ended, left = len(self._lines), False, _AT_ONCE
        try:
            while self._left_bytes >= 0 and left > 0 and not ended:
                chunk = self._fork.channel.recv(_CHUNK)
                left -= len(chunk)
                self._left_bytes -= len(chunk)
                self._split(chunk)
                ended = not chunk
        except BlockingIOError:
            pass
        except ConnectionError:
            ended = True
        self._pause_ms = _SHORTEST_MS if len(self._lines) > taken else min(2 * self._pause_ms, _LONGEST_MS)
        return ended

    def _split(self, chunk: bytes) -> None:
        first, *others = chunk.split(b"\n")
        self._partial += first
        for other in others:
            self._accept(bytes(self._partial))
            self._partial[:] = other
        if len(self._partial) > _LONGEST_LINE:
            self._left_bytes = -1

    def _accept(self, line: bytes) -> None:
        if line[:1] == b"d" and self.failure is None:
            self._lines.append(line[1:])
            self.renew()
        elif self.failure is None:
            self.failure, self._over = line[1:], True

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
        except ConnectionError:  # it has ended, which the bell will show
            self._outbox.clear()
        events = self._awaited | (select.POLLOUT if self._outbox else 0)
        if events != self._watched:
            self._watched = events
            self._poll.register(self._fork.channel, events)
