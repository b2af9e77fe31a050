"""Powers that the worker gives up for good before it runs anything: capabilities, core dumps, being looked into."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_CAPABILITY_VERSION_3 = 0x20080522
OPEN_FILES = 64
"""That a fork may have open."""
_ON_THEIR_WAY = 4096
"""Descriptors that a worker may have open or see on their way. Linux counts those of all processes of a user that are
sent and not yet received against the sender's limit, and each idle worker has sent handles ahead of need."""


def give_up() -> None:
    """No capability, no way to get one, no core dump, no file that grows: as root too, where they matter most."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    _limit_files(_ON_THEIR_WAY if most == resource.RLIM_INFINITY else min(_ON_THEIR_WAY, most))
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    capability = 0
    while libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:  # EINVAL past the last, EPERM if not root
        capability += 1
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    if libc.capset(header, bytes(24)):
        raise OSError(f"Capabilities could not be dropped: {os.strerror(ctypes.get_errno())}.")
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def fork_binder() -> Callable[[], object]:
    """What lets a fork die with the worker, and open few files."""
    if not sys.platform.startswith("linux"):
        return lambda: _limit_files(OPEN_FILES)
    prctl, killed = ctypes.CDLL(None).prctl, int(signal.SIGKILL)

    def bind() -> None:
        prctl(_PR_SET_PDEATHSIG, killed, 0, 0, 0)
        _limit_files(OPEN_FILES)

    return bind


def _limit_files(number: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))


def limit_memory(memory_bytes: int) -> None:
    """Limit this process's address space, for good."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
