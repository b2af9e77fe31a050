"""Input lines and a clock that follow a script: each reading moves the position on; nothing of the machine is read."""

import datetime
import sys
import time as real_time
from collections.abc import Sequence
from typing import Any

_SECOND = 1_000_000_000


class ScriptedInput:
    """The lines that `input()` gives."""

    def __init__(self, lines: Sequence[str] = (), position: int = 0) -> None:
        self.lines = tuple(lines)
        self.position = position

    def input(self, prompt: object = "", /) -> str:
        """The next line; the prompt is printed, as Python does."""
        sys.stdout.write(str(prompt))
        return self.take()

    def take(self) -> str:
        """The next line, or EOFError."""
        if self.position >= len(self.lines):
            raise EOFError("EOF when reading a line")
        self.position += 1
        return self.lines[self.position - 1]

    @property
    def state(self) -> str:
        return f"{self.lines!r}, {self.position}"


class ScriptedClock:
    """A clock that moves by `tick` with each reading; all clocks of Python are this one, and its zone is UTC."""

    def __init__(self, now: float = 1_700_000_000.0, tick: float = 1.0) -> None:
        self.now = float(now)
        self.tick = float(tick)

    def time(self) -> float:
        read = self.now
        self.now += self.tick
        return read

    monotonic = perf_counter = process_time = time

    def time_ns(self) -> int:
        return round(self.time() * _SECOND)

    monotonic_ns = perf_counter_ns = process_time_ns = time_ns

    def sleep(self, seconds: float, /) -> None:
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.now += seconds

    def datetime(self) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(self.time(), datetime.UTC).replace(tzinfo=None)

    def gmtime(self, seconds: float | None = None, /) -> real_time.struct_time:
        return real_time.gmtime(self.time() if seconds is None else seconds)

    localtime = gmtime

    def strftime(self, form: str, parts: Any = None, /) -> str:
        return real_time.strftime(form, self.gmtime() if parts is None else parts)

    def ctime(self, seconds: float | None = None, /) -> str:
        return real_time.asctime(self.gmtime(seconds))

    def asctime(self, parts: Any = None, /) -> str:
        return real_time.asctime(self.gmtime() if parts is None else parts)

    @property
    def state(self) -> str:
        return f"{self.now!r}, {self.tick!r}"


READINGS = frozenset(
    "time monotonic perf_counter process_time time_ns monotonic_ns perf_counter_ns process_time_ns sleep".split()
)
"""Functions of `time` that rules follow."""
OTHER_READINGS = frozenset({"gmtime", "localtime", "strftime", "ctime", "asctime"})
"""Functions of `time` that read the clock where they are given no time; rules do not follow them."""
