"""The warm process inside the isolation: it imports once, shuts the door behind itself, then forks on demand.

Started by worker_connection.py as `python -c BOOTSTRAP` with a local socket as standard input. Messages in: the
configuration; then `f` with descriptors (a fork for each three: its channel, a place to print, a bell), `i
MODULE:FUNCTION` (import it before the next fork), `w PID` (how did this fork end?). It runs nothing but forks
and knows nothing of jobs: these go from the parent straight to the fork, so that this process touches little
memory between forks, which is what forking costs.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
from _socket import CMSG_SPACE, SCM_RIGHTS, SOL_SOCKET, socket
from array import array
from collections.abc import Callable
from typing import Any

from envs.execution.sandbox.isolation import fork_runner, packages
from envs.execution.sandbox.isolation.kernel import landlock, privileges, seccomp

_WARM = """bisect collections.abc copy dataclasses datetime enum functools heapq itertools math operator re string
typing""".split()
"""Imported before the first fork: what programs import most. Not `random`, which reseeds itself in every fork."""
_LONGEST = 1 << 16
_MANY_DESCRIPTORS = CMSG_SPACE(4 * 32)
Bind = Callable[[], object]
"""Binds a fork further; called in the fork."""


def _shut_the_door(config: dict[str, Any]) -> Bind:
    """Give up every power the isolation asks for; the result binds each fork further."""
    os.chdir("/")
    privileges.give_up()
    if config["landlock"]:
        landlock.restrict(**config["landlock"])
    bind = privileges.fork_binder()
    contain = seccomp.contain_worker() if config["seccomp"] else lambda: None
    return lambda: (bind(), contain())


def _fork(channel: int, printed: int, bell: int, run: Callable[[], None], bind: Bind) -> int:
    """The process id of a fork that waits on `channel` for its job."""
    pid = os.fork()
    if pid == 0:
        try:
            # Standard input, the worker's own socket, is overwritten too: a fork keeps nothing of the worker.
            os.dup2(fork_runner.CHANNEL, 0)
            os.dup2(printed, 1)
            os.dup2(printed, 2)
            os.dup2(channel, fork_runner.CHANNEL)
            os.dup2(bell, fork_runner.BELL)
            os.closerange(fork_runner.BELL + 1, privileges.OPEN_FILES)
            bind()
            gc.enable()
            run()
        finally:
            os._exit(70)
    return pid


def _fork_all(parent: socket, descriptors: array[int], run: Callable[[], None], bind: Bind) -> None:
    """Make a fork for each three descriptors, and tell the parent their ids, with a handle on each.

    A handle works across process namespaces, where an id does not.
    """
    gc.freeze()  # a collection in a fork then visits none of our objects, whose pages it would have to copy
    threes = zip(descriptors[::3], descriptors[1::3], descriptors[2::3], strict=True)
    pids = [_fork(channel, printed, bell, run, bind=bind) for channel, printed, bell in threes]
    handles = array("i", map(os.pidfd_open, pids) if hasattr(os, "pidfd_open") else ())
    parent.sendmsg([b"%d " * len(pids) % tuple(pids)], [(SOL_SOCKET, SCM_RIGHTS, handles)] if handles else ())
    for descriptor in (*descriptors, *handles):
        os.close(descriptor)


def _learn(name: str) -> bytes:
    try:
        fork_runner.resolve(name)
    except Exception as error:
        return json.dumps(f"{type(error).__name__}: {error}").encode() + b"\n"
    return b"null\n"


class _Dead:
    """Exit statuses of forks that have ended: every one is reaped, few are asked for."""

    def __init__(self) -> None:
        self._codes: dict[int, int] = {}

    def reap(self) -> None:
        """Take the status of every fork that has ended by now."""
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                self._codes[ended[0]] = ended[1]
        except ChildProcessError:
            pass
        while len(self._codes) > 1000:
            del self._codes[next(iter(self._codes))]

    def code(self, pid: int) -> int:
        """The status of one fork, waiting for its end."""
        self.reap()
        return self._codes.pop(pid) if pid in self._codes else os.waitpid(pid, 0)[1]


def _serve(parent: socket, bind: Bind) -> None:
    dead, run = _Dead(), fork_runner.make_runner()
    while True:
        line, attached, _, _ = parent.recvmsg(_LONGEST, _MANY_DESCRIPTORS)
        if not line:
            return
        if line[:1] == b"f":
            dead.reap()
            _fork_all(parent, array("i", attached[0][2]), run, bind)
        elif line[:1] == b"i":
            parent.send(_learn(line[2:-1].decode()))
        else:
            parent.send(b"%d\n" % dead.code(int(line[2:])))


def main() -> None:
    """Serve the parent until its end of the socket is gone; forks then die with this process."""
    parent = socket(fileno=0)
    config = parent.recv(_LONGEST)
    if not config:
        return
    for name in _WARM:
        importlib.import_module(name)
    settings = json.loads(config)
    bind = _shut_the_door(settings)
    packages.import_allowed(settings["packages"])
    # A fork's own descriptors stand for nothing here, so that those which come with a request are others.
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (2, fork_runner.CHANNEL, fork_runner.BELL):
        os.dup2(nothing, descriptor)
    gc.disable()
    parent.send(b"ready\n")
    _serve(parent, bind)
