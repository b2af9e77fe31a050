"""One worker at work, whatever started it: opens the work, does batches, and turns all that happens into events."""

from __future__ import annotations

import atexit
import faulthandler
import gc
import os
import pickle
import platform
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from cwm_agent.jobs.protocol import (
    Ended,
    Event,
    NodeRefused,
    Opened,
    OversizedResult,
    Runner,
    Tell,
    Work,
    WorkerReport,
    WorkRaised,
    Yielded,
)
from cwm_agent.plugins import PluginError

MOST_RESULT_BYTES = 64 * 2**20
"""Largest result that a worker sends."""
_RARE = 100_000, 20, 50
"""Thresholds of the garbage collector: new objects, and collections of each generation before the next one's."""


def versions() -> tuple[tuple[str, str], ...]:
    """What must be the same on the driver and on every node."""
    return (("Python", ".".join(map(str, sys.version_info[:2]))), ("cwm-agent", import_module("cwm_agent").__version__))


def settle_down() -> None:
    """Collect garbage rarely, and not among what is there to stay: it took a tenth of the time of a search."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_RARE)
    end_quickly()


def end_quickly() -> None:
    """Look for no garbage when the process ends: to go through the caches of a search takes a second."""
    atexit.unregister(gc.freeze)  # once is enough
    atexit.register(gc.freeze)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collects garbage rarely inside the block, for work in a process that has other work too."""
    before = gc.get_threshold()
    gc.set_threshold(*_RARE)
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # what the caller froze stays frozen
            gc.freeze()  # together these make all objects old; else the next one would begin a collection of them all
            gc.unfreeze()
        gc.set_threshold(*before)


def prepare_process() -> None:
    """Settings of a process that does nothing but work: one thread, since processes share the cores better."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is loaded
    faulthandler.enable()  # a crash leaves its stack in the log


class WorkerSession:
    """The work of one worker, from its opening to its end."""

    def __init__(self, work: Work[Any, Any], tell: Tell, *, node: str = "", log: str = "") -> None:
        self._work, self._tell, self._node, self._log = work, tell, node, log
        self._stack = ExitStack()
        self._run: Runner[Any, Any] | None = None

    def open(self) -> bytes:
        """Open the work; the event says whether that went well."""
        try:
            isolation = _isolation() if self._work.isolates else ""
            report = self._report(isolation)
            if self._work.isolates and not isolation:
                return packed(NodeRefused(report, _why_not()))
            self._run = self._stack.enter_context(self._work.opened(self._tell))
            settle_down()
            return packed(Opened(report))
        except Exception as error:
            return packed(_raised(error, self._node))

    def run(self, items: Sequence[Any]) -> Iterator[bytes]:
        """Do one batch; the last event is `Ended` or `WorkRaised`."""
        assert self._run is not None, "a worker takes batches after it was opened"
        began = time.perf_counter()
        try:
            for place, value in self._run(items):
                now = time.perf_counter()
                event = packed(Yielded(place, value, now - began))
                yield event if len(event) <= MOST_RESULT_BYTES else packed(OversizedResult(place, len(event)))
                began = now
            yield packed(Ended())
        except Exception as error:
            yield packed(_raised(error, self._node))

    def close(self) -> None:
        """Close what was opened."""
        self._stack.close()

    def _report(self, isolation: str) -> WorkerReport:
        return WorkerReport(self._node or platform.node(), os.getpid(), versions(), isolation, self._log)


def packed(event: Event) -> bytes:
    """An event as a worker sends it."""
    return pickle.dumps(event, pickle.HIGHEST_PROTOCOL)


def unpacked(data: bytes) -> Event:
    """An event as the driver reads it; it comes from a worker that the driver started."""
    event: Event = pickle.loads(data)  # noqa: S301
    return event


def _isolation() -> str:
    from envs.execution.sandbox.sandbox import available_isolations

    return next(iter(available_isolations()), "")


def _why_not() -> str:
    from envs.execution.sandbox.sandbox import NoIsolation, Sandbox

    try:
        Sandbox().close()
    except NoIsolation as error:
        return str(error)
    return "no isolation works there"


def _raised(error: Exception, node: str) -> WorkRaised:
    """The error as the driver can raise it, with the worker's traceback as a note."""
    shown = "".join(traceback.format_exception(error))
    error.add_note(f"In a worker{f' on {node}' if node else ''}:\n{shown}")
    lacks_plugin = _has_cause(error, PluginError)
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  # our own bytes
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}\n{shown}")
    return WorkRaised(error.with_traceback(None), lacks_plugin)


def _has_cause(error: BaseException | None, kind: type[BaseException]) -> bool:
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__
    return False
