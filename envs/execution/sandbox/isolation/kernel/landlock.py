"""Landlock through ctypes: after `restrict`, this process and its forks read only the named paths and write nowhere.

Needs Linux 5.13 or later with landlock switched on, and no privilege. Knows nothing of system calls that no
path is part of, nor of chmod and similar calls, which landlock does not govern: seccomp.py refuses those.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same numbers on every machine
_VERSION_FLAG, _PATH_BENEATH = 1, 1
_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many file rights each ABI knows
_NET_FROM_ABI, _SCOPES_FROM_ABI = 4, 6


class LandlockUnavailable(OSError):
    """This kernel has no landlock, or it is switched off."""


def abi() -> int:
    """The landlock version of this kernel, 0 where there is none."""
    version: int = ctypes.CDLL(None, use_errno=True).syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION_FLAG)
    return max(0, version)


def _checked(result: int, doing: str) -> int:
    if result < 0:
        reason = os.strerror(ctypes.get_errno())
        raise LandlockUnavailable(f"Landlock failed while {doing}: {reason}.")
    return result


def _ruleset(libc: ctypes.CDLL, version: int) -> int:
    """A rule set that governs every right the kernel knows: files, TCP, signals and abstract sockets."""
    files = (1 << _RIGHTS_BY_ABI[min(version, max(_RIGHTS_BY_ABI))]) - 1
    fields = [files]
    if version >= _NET_FROM_ABI:
        fields.append(0b11)
    if version >= _SCOPES_FROM_ABI:
        fields.append(0b11)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    created = libc.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    return _checked(created, "creating a rule set")


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        rule = struct.pack("=Qi", rights, beneath)
        _checked(libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0), f"allowing {path}")
    finally:
        os.close(beneath)


def _readable(path: str, hidden: frozenset[str]) -> Iterable[tuple[str, int]]:
    """Rules that open a path but not what is hidden below it: landlock only adds, so a hole means listing around it."""
    if path in hidden:
        return
    if not os.path.isdir(path):
        yield path, _READ_FILE
    elif not any(other.startswith(path + "/") for other in hidden):
        yield path, _READ_FILE | _READ_DIR
    else:
        yield path, _READ_DIR
        for name in os.listdir(path):
            below = os.path.join(path, name)
            if not os.path.islink(below):
                yield from _readable(below, hidden)


def restrict(readable: Iterable[str], hidden: Iterable[str], devices: Iterable[str]) -> int:
    """Close the file system but for `readable` less `hidden`, and `devices` to write to; the ABI in force."""
    version = abi()
    if not version:
        raise LandlockUnavailable("This kernel has no landlock, or it is switched off.")
    libc = ctypes.CDLL(None, use_errno=True)
    ruleset = _ruleset(libc, version)
    holes = frozenset(os.path.realpath(path) for path in hidden)
    for root in readable:
        for path, rights in _readable(os.path.realpath(root), holes):
            _allow(libc, ruleset, path, rights)
    for device in devices:
        _allow(libc, ruleset, device, _READ_FILE | _WRITE_FILE)
    _checked(libc.prctl(38, 1, 0, 0, 0), "giving up new privileges")
    _checked(libc.syscall(_RESTRICT, ruleset, 0), "restricting this process")
    os.close(ruleset)
    return version
