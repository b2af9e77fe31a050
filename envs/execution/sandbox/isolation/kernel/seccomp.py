"""Two system-call filters, written as BPF by hand and installed through ctypes: one for the worker, one for each fork.

The worker's filter is an allow-list: no sockets, no writing calls on names, no exec, no tracing, no
namespaces. The fork's filter, laid on top, takes away what the worker needs to do its work: new processes and
threads, signals to others. Knows no paths: those are landlock's or bubblewrap's business.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Callable, Iterable

from envs.execution.sandbox.isolation.kernel import syscalls

_LOAD, _JUMP_EQUAL, _AND, _RETURN = 0x20, 0x15, 0x54, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCH = 0, 4  # offsets in struct seccomp_data
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER_MODE = 38, 22, 2

_TERMINAL_AND_FLAGS = (
    0x5401,
    0x5413,
    0x5421,
    0x5450,
    0x5451,
    0x541B,
)  # TCGETS TIOCGWINSZ FIONBIO FIO(N)CLEX FIONREAD
_FCNTL = (0, 1, 2, 3, 4, 1030, 1032)  # DUPFD GETFD SETFD GETFL SETFL DUPFD_CLOEXEC GETPIPE_SZ; never SETOWN
_AF_UNIX, _SOCK_STREAM, _SOCK_TYPE_MASK = 1, 1, 0xF

Code = list[bytes]


class SeccompUnavailable(OSError):
    """This kernel or machine cannot filter system calls for us."""


def _op(code: int, value: int, true: int = 0, false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, true, false, value & 0xFFFFFFFF)


def _answer(verdict: int) -> bytes:
    return _op(_RETURN, verdict)


def _refuse(reason: int = errno.EPERM) -> bytes:
    return _answer(_ERRNO | reason)


def _argument(index: int) -> bytes:
    """Load the low word of an argument: all those tested here are 32 bits wide for the kernel."""
    return _op(_LOAD, 16 + 8 * index)


def _call(number: int, body: Code) -> Code:
    """Run `body`, which ends in an answer, if this is the call."""
    return [_op(_JUMP_EQUAL, number, 0, len(body)), *body]


def _one_of(index: int, values: Iterable[int]) -> Code:
    """Allow if the low word of an argument is one of the values; else refuse."""
    tests = [op for value in values for op in (_op(_JUMP_EQUAL, value, 0, 1), _answer(_ALLOW))]
    return [_argument(index), *tests, _refuse()]


def _stream_pair() -> Code:
    """Allow only connected local streams (asyncio's self-pipe): a datagram socket could still reach a named one."""
    return [
        _argument(0), _op(_JUMP_EQUAL, _AF_UNIX, 1, 0), _refuse(),
        _argument(1), _op(_AND, _SOCK_TYPE_MASK), _op(_JUMP_EQUAL, _SOCK_STREAM, 0, 1), _answer(_ALLOW), _refuse(),
    ]  # fmt: skip


def _frame(machine: str, rules: Code, otherwise: bytes) -> bytes:
    foreign = [_op(_LOAD, _ARCH), _op(_JUMP_EQUAL, syscalls.AUDIT_ARCH[machine], 1, 0), _answer(_KILL)]
    return b"".join([*foreign, _op(_LOAD, _NUMBER), *rules, otherwise])


def worker_filter(machine: str) -> bytes:
    """Allow what Python computing needs, and forking; refuse every other call with EPERM."""
    watched = syscalls.watched(machine)
    # ENOSYS makes the C library fall back to clone, whose flags a filter can see.
    rules = _call(watched["clone3"], [_refuse(errno.ENOSYS)])
    rules += _call(watched["ioctl"], _one_of(1, _TERMINAL_AND_FLAGS))
    rules += _call(watched["fcntl"], _one_of(1, _FCNTL))
    rules += _call(watched["socketpair"], _stream_pair())
    filtered = {"clone3", "ioctl", "fcntl", "socketpair"}
    numbers = [*syscalls.free(machine).values(), *(watched[name] for name in watched.keys() - filtered)]
    for number in sorted(numbers):
        rules += _call(number, [_answer(_ALLOW)])
    return _frame(machine, rules, _refuse())


def fork_filter(machine: str, pid: int) -> bytes:
    """Refuse processes, threads and filters, and signals and limits to anyone but process `pid` itself.

    Its own limits it may change: without capabilities a hard limit only ever falls.
    """
    watched = syscalls.watched(machine)
    rules: Code = []
    for name in ("clone", "fork", "vfork", "prctl", "seccomp", "pidfd_open", "recvmsg", "sendmsg"):
        if name in watched:
            rules += _call(watched[name], [_refuse()])
    for name in ("kill", "tgkill"):
        rules += _call(watched[name], _one_of(0, [pid]))
    rules += _call(watched["prlimit64"], _one_of(0, [0, pid]))
    return _frame(machine, rules, _answer(_ALLOW))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def _installer(code: ctypes.Array[ctypes.c_char]) -> Callable[[], None]:
    """Everything ready to install a filter with one system call: a fork's first milliseconds are what a job costs."""
    libc = ctypes.CDLL(None, use_errno=True)
    prctl = libc.prctl
    program = _Program(len(code) // 8, ctypes.addressof(code))
    pointer = ctypes.byref(program)

    def install(
        _keep: object = code,
    ) -> None:  # the kernel reads the code by address: it must not be collected
        if prctl(_PR_SET_SECCOMP, _FILTER_MODE, pointer, 0, 0):
            reason = os.strerror(ctypes.get_errno())
            raise SeccompUnavailable(f"The kernel refused a system-call filter: {reason}.")

    return install


def contain_worker() -> Callable[[], None]:
    """Filter this process for good; the result filters a fork of it further, when the fork calls it."""
    machine = syscalls.machine()
    if machine is None:
        raise SeccompUnavailable(f"No system-call table for this machine; known are {', '.join(syscalls.AUDIT_ARCH)}.")
    ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)  # without it the kernel takes no filter from us
    whole = worker_filter(machine)
    _installer(ctypes.create_string_buffer(whole, len(whole)))()
    template = fork_filter(machine, _PLACEHOLDER)
    code = ctypes.create_string_buffer(template, len(template))
    placeholder = struct.pack("<I", _PLACEHOLDER)
    places = [at for at in range(0, len(template), 4) if template[at : at + 4] == placeholder]
    view, install = memoryview(code).cast("B"), _installer(code)

    def contain_fork() -> None:
        pid = os.getpid().to_bytes(4, "little")
        for at in places:
            view[at : at + 4] = pid
        install()

    return contain_fork


_PLACEHOLDER = 0x5EC00B1D  # stands for the fork's pid, which is not known before the fork
