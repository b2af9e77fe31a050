"""Work for tests of the pool: its items say what is to happen to their worker."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ScriptedWork:
    """Squares numbers; other items crash the worker, return much, or ask where it is."""

    folder: Path
    isolates: bool = False

    @contextmanager
    def opened(self, tell) -> Iterator:
        tell("open")
        yield self.run

    def run(self, items: Sequence[int | str]) -> Iterator[tuple[int, object]]:
        for place, item in enumerate(items):
            yield place, item * item if isinstance(item, int) else getattr(self, item.partition(":")[0])(item)

    def crash(self, item: str) -> object:
        """Print a last word and end the process as a fault in C would."""
        print("the last word of a worker", file=sys.stderr, flush=True)
        os._exit(7)

    def crash_once(self, item: str) -> object:
        """The same, unless a worker has crashed on this item before."""
        try:
            (self.folder / item.partition(":")[2]).touch(exist_ok=False)
        except FileExistsError:
            return item
        return self.crash(item)

    def much(self, item: str) -> object:
        return bytes(int(item.partition(":")[2]) * 2**20)

    def raise_error(self, item: str) -> object:
        raise ArithmeticError("the work is wrong")

    def stay(self, item: str) -> object:
        """Miss every request to end from now on, as a worker does while a program in its process catches all."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return item
