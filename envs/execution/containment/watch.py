"""The worker's eye on one fork: passes its lines on, and stops it at the first limit it meets.

CPU time is read from the kernel's clock of the other process, so nothing that the program does to its own timers or
signals counts. Knows no isolation and no test.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from json import dumps
from typing import Any

_CHUNK = 1 << 16
_PRINTED_KEPT = 10_000
_SHORTEST_MS, _LONGEST_MS = 2.0, 20.0


class Lines:
    """Lines from a file descriptor, taken as they come."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.ended = False
        self._pending = bytearray()

    def feed(self) -> int:
        """Read once; the number of bytes read, 0 at the end."""
        chunk = os.read(self.descriptor, _CHUNK)
        self._pending += chunk
        self.ended = not chunk
        return len(chunk)

    def take(self) -> bytes | None:
        """The next complete line without its newline, or None."""
        end = self._pending.find(b"\n")
        if end < 0:
            return None
        line = bytes(self._pending[:end])
        del self._pending[: end + 1]
        return line

    def next(self) -> bytes | None:
        """The next line, waiting for it; None at the end."""
        while (line := self.take()) is None:
            if not self.feed():
                return None
        return line


@dataclass(slots=True)
class Meter:
    """What the fork has used since its present request began, against what it may use."""

    pid: int
    cpu_s: float
    wall_s: float
    cpu_start: float = 0.0
    wall_start: float = field(default_factory=time.monotonic)
    idle: bool = False

    def cpu(self) -> float:
        """CPU seconds of the fork so far; seconds on the wall where the system has no such clock."""
        try:
            return time.clock_gettime((~self.pid << 3) | 2)
        except (OSError, AttributeError):
            return time.monotonic() - self.wall_start

    def renew(self) -> float:
        """Begin a new request; the CPU seconds that the last one took."""
        now = self.cpu()
        used, self.cpu_start, self.wall_start = now - self.cpu_start, now, time.monotonic()
        return used

    def left(self) -> tuple[float, str]:
        """Seconds until a limit can be met at the soonest, and which: one thread uses no more CPU than wall time."""
        cpu_left = self.cpu_start + self.cpu_s - self.cpu()
        wall_left = self.wall_start + self.wall_s - time.monotonic()
        return (cpu_left, "cpu") if self.idle or cpu_left <= wall_left else (wall_left, "wall")


@dataclass(slots=True)
class Fork:
    """A fork with the worker's ends of its pipes."""

    pid: int
    results: Lines
    printed: int
    orders: int
    bell: int

    def end(self) -> int:
        """Kill it, whatever it does, and close its pipes; the status it ended with."""
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        _, code = os.waitpid(self.pid, 0)
        for descriptor in (self.results.descriptor, self.printed, self.orders, self.bell):
            os.close(descriptor)
        return code


@dataclass(slots=True)
class Watch:
    """One job under watch, from the handing over to its end."""

    fork: Fork
    limits: dict[str, Any]
    renewals: int
    session: bool
    parent: Lines
    send: Callable[[bytes], None]
    meter: Meter = field(init=False)
    left_bytes: int = field(init=False)
    pause_ms: float = _SHORTEST_MS
    cpu_s: float = 0.0
    printed: bytearray = field(default_factory=bytearray)
    outbox: bytearray = field(default_factory=bytearray)
    poll: select.poll = field(default_factory=select.poll)

    def __post_init__(self) -> None:
        self.meter = Meter(self.fork.pid, self.limits["cpu_s"], self.limits["wall_s"])
        self.meter.renew()
        self.left_bytes = self.limits["output_bytes"]
        # Results of a stream are looked at now and then, or when the bell rings: a waking for every line costs more than
        # most lines take. A session's answers are waited for.
        results = (self.fork.results.descriptor,) if self.session else ()
        for descriptor in (self.fork.bell, self.fork.printed, self.parent.descriptor, *results):
            self.poll.register(descriptor, select.POLLIN)

    def until_end(self) -> None:
        """Watch until the fork ends, by itself or by us, and say to the parent how it ended."""
        status = self._watch()
        self.cpu_s += self.meter.renew()
        if status == "done":  # nothing more to learn from its death, so the parent need not wait for it
            self._report(status, 0)
            self.fork.end()
            return
        code = self.fork.end()
        if status == "closed":
            status = "signal" if os.WIFSIGNALED(code) else "exit"
        self._report(status, os.WTERMSIG(code) if os.WIFSIGNALED(code) else os.WEXITSTATUS(code))

    def _report(self, status: str, detail: int) -> None:
        printed = bytes(self.printed).decode("utf-8", "replace")
        end = {"status": status, "detail": detail, "cpu_s": round(self.cpu_s, 6), "printed": printed}
        self.send(b"e" + dumps(end).encode() + b"\n")

    def _watch(self) -> str:
        if order := self._orders():  # read together with the job itself
            return order
        while True:
            left, limit = self.meter.left()
            if left <= 0:
                return limit
            events = dict(self.poll.poll(min(left * 1000 + 1, self.pause_ms)))
            if self.fork.printed in events and self._take_printed():
                self.poll.unregister(self.fork.printed)
            self._pass_on()
            if self.left_bytes < 0:
                return "output"
            if self.fork.bell in events:
                return self._rung()
            if self.parent.descriptor in events and (order := self._obey()):
                return order
            if self.fork.orders in events:
                self.poll.unregister(self.fork.orders)
                self.hand_over(b"")

    def _rung(self) -> str:
        """`done` if the fork says so, `closed` if its end of the bell is gone without a word; all it said is passed on."""
        said = os.read(self.fork.bell, 1)
        self._pass_on()
        self._take_rest()
        return "output" if self.left_bytes < 0 else ("done" if said else "closed")

    def _take_printed(self) -> bool:
        """Keep the beginning of what was printed, count all of it; whether it has ended."""
        chunk = os.read(self.fork.printed, _CHUNK)
        self.left_bytes -= len(chunk)
        self.printed += chunk[: _PRINTED_KEPT - len(self.printed)]
        return not chunk

    def _take_rest(self) -> None:
        rest = select.poll()
        rest.register(self.fork.printed, select.POLLIN)
        while self.left_bytes >= 0 and rest.poll(0) and not self._take_printed():
            pass

    def _pass_on(self) -> None:
        """Send what the fork has said, in one piece; each of the first `renewals` lines starts the clocks anew."""
        batch = bytearray()
        try:
            while self.left_bytes >= 0 and (count := self.fork.results.feed()):
                self.left_bytes -= count
        except BlockingIOError:
            pass
        while (line := self.fork.results.take()) is not None:
            batch += b"l" + line + b"\n"
            self._renew()
        self.pause_ms = _SHORTEST_MS if batch else min(2 * self.pause_ms, _LONGEST_MS)
        if batch:
            waited = time.monotonic()
            self.send(bytes(batch))
            self.meter.wall_start += time.monotonic() - waited  # a slow reader is not the program's fault

    def _renew(self) -> None:
        self.meter.idle = self.session
        if self.renewals > 0 or self.session:
            self.renewals -= 1
            self.cpu_s += self.meter.renew()

    def _obey(self) -> str | None:
        """Read from the parent; its end stops the fork too."""
        return self._orders() if self.parent.feed() else "stopped"

    def _orders(self) -> str | None:
        """Take the parent's complete lines: `s` stops, `r` is the next request of a session."""
        while (line := self.parent.take()) is not None:
            if line.startswith(b"s"):
                return "stopped"
            if line.startswith(b"r") and self.session:
                self.cpu_s += self.meter.renew()
                self.meter.idle = False
                self.hand_over(line[1:] + b"\n")
        return None

    def hand_over(self, order: bytes) -> None:
        """Write to the fork what it will take now; the rest follows when it reads."""
        self.outbox += order
        try:
            del self.outbox[: os.write(self.fork.orders, self.outbox)]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.outbox.clear()
        if self.outbox:
            self.poll.register(self.fork.orders, select.POLLOUT)
