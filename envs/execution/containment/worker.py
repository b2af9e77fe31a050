"""The warm process inside the isolation: it imports once, shuts the door behind itself, then forks for every job.

Started by connection.py as `python -c BOOTSTRAP`, so that no other part of the project is imported. Reads lines from
standard input (`j` a job, the line after it its payload; `r` a request of a session, `s` stop) and writes lines to standard output (`l` a line of the
fork; `e` the end of the job; `q` a refusal). JSON only. Forks only: what it runs itself is trusted.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
from collections.abc import Callable
from typing import Any

from envs.execution.containment import child, landlock, privileges, seccomp
from envs.execution.containment.watch import Fork, Lines, Watch

_WARM = "bisect collections.abc copy datetime functools heapq itertools math operator re string typing".split()
"""Imported before the first fork: what programs import most. Not `random`, which reseeds itself in every fork."""
Bind = Callable[[], object]
"""Binds a fork further; called in the fork."""


def _write_all(data: bytes) -> None:
    sent = os.write(1, data)
    while sent < len(data):
        sent += os.write(1, data[sent:])


def _shut_the_door(config: dict[str, Any]) -> Bind:
    """Give up every power the isolation asks for; the result binds each fork further."""
    os.chdir("/")
    privileges.give_up()
    if config["landlock"]:
        landlock.restrict(**config["landlock"])
    bind = privileges.fork_binder()
    contain = seccomp.contain_worker() if config["seccomp"] else lambda: None
    return lambda: (bind(), contain())


def _spawn(bind: Bind) -> Fork:
    """A fork that waits for its job."""
    results, results_end = os.pipe()
    printed, printed_end = os.pipe()
    orders_end, orders = os.pipe()
    bell, bell_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _become_child(printed_end, (results, printed, printed_end, orders, bell))
            bind()
            gc.enable()
            child.run(orders_end, results_end, bell_end)
        finally:
            os._exit(70)
    for descriptor in (results_end, printed_end, orders_end, bell_end):
        os.close(descriptor)
    for descriptor in (results, orders):
        os.set_blocking(descriptor, False)
    return Fork(pid, Lines(results), printed, orders, bell)


def _become_child(printed_end: int, unneeded: tuple[int, ...]) -> None:
    """Let go of the worker's own pipes: what a fork prints goes to its pipe, and it reads nothing."""
    os.dup2(printed_end, 1)
    os.dup2(printed_end, 2)
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    for descriptor in unneeded:
        os.close(descriptor)


class _Spare:
    """A fork made ahead of its job, while the one before still runs: on two cores forking then costs no waiting."""

    def __init__(self, bind: Bind) -> None:
        self._bind = bind
        self._known: set[str] = set()
        self._fork: Fork | None = None

    def take(self, function: str) -> Fork:
        """A fork that has this function's module loaded."""
        if function not in self._known:
            child.resolve(function)
            self._known.add(function)
            self.drop()
        fork, self._fork = self._fork or _spawn(self._bind), None
        return fork

    def renew(self) -> None:
        """Have the next fork ready."""
        self._fork = self._fork or _spawn(self._bind)

    def drop(self) -> None:
        """Let the spare fork go."""
        if self._fork is not None:
            self._fork.end()
            self._fork = None


def _serve(header: bytes, payload: bytes, parent: Lines, spare: _Spare) -> None:
    job = json.loads(header)
    try:
        fork = spare.take(job["function"])
    except (ImportError, AttributeError, ValueError) as error:
        _write_all(b"q" + json.dumps(str(error)).encode() + b"\n")
        return
    watch = Watch(fork, job["limits"], job["renewals"], job["session"], parent, _write_all)
    watch.hand_over(header + b"\n" + payload + b"\n")
    spare.renew()
    watch.until_end()


def main() -> None:
    """Serve jobs until standard input ends."""
    parent = Lines(0)
    first = parent.next()
    if first is None:
        return
    config = json.loads(first)
    for name in _WARM:
        importlib.import_module(name)
    bind = _shut_the_door(config)
    nothing = os.open("/dev/null", os.O_WRONLY)
    os.dup2(nothing, 2)
    os.close(nothing)
    gc.disable()
    gc.freeze()
    _write_all(b"ready\n")
    spare = _Spare(bind)
    while (line := parent.next()) is not None:
        if line.startswith(b"j"):
            payload = parent.next()
            assert payload is not None
            _serve(line[1:], payload, parent, spare)
