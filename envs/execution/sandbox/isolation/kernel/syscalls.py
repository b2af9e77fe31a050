"""Numbers of the system calls that a contained Python may make, for the two machines we know.

An allow-list: a call that a later kernel adds is refused until someone adds it here. The filters are in
seccomp.py.
"""

from __future__ import annotations

import platform

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""What the kernel calls each machine in a filter; a call made through another ABI is not recognised."""

# name: (x86_64, aarch64); None where the machine has no such call.
# fmt: off
_FREE: dict[str, tuple[int | None, int | None]] = {
    "access": (21, None), "alarm": (37, None), "arch_prctl": (158, None), "brk": (12, 214),
    "chdir": (80, 49), "clock_getres": (229, 114), "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115), "close": (3, 57), "close_range": (436, 436), "dup": (32, 23),
    "dup2": (33, None), "dup3": (292, 24), "epoll_create": (213, None), "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21), "epoll_pwait": (281, 22), "epoll_pwait2": (441, 441), "epoll_wait": (232, None),
    "eventfd": (284, None), "eventfd2": (290, 19), "exit": (60, 93), "exit_group": (231, 94),
    "faccessat": (269, 48), "faccessat2": (439, 439), "fadvise64": (221, 223), "fchdir": (81, 50),
    "fstat": (5, 80), "futex": (202, 98), "get_robust_list": (274, 100), "getcpu": (309, 168),
    "getcwd": (79, 17), "getdents": (78, None), "getdents64": (217, 61), "getegid": (108, 177),
    "geteuid": (107, 175), "getgid": (104, 176), "getgroups": (115, 158), "getitimer": (36, 102),
    "getpgid": (121, 155), "getpgrp": (111, None), "getpid": (39, 172), "getppid": (110, 173),
    "getrandom": (318, 278), "getresgid": (120, 150), "getresuid": (118, 148), "getrlimit": (97, 163),
    "getrusage": (98, 165), "getsid": (124, 156), "gettid": (186, 178), "gettimeofday": (96, 169),
    "getuid": (102, 174), "lseek": (8, 62), "lstat": (6, None), "madvise": (28, 233),
    "membarrier": (324, 283), "mmap": (9, 222), "mprotect": (10, 226), "mremap": (25, 216),
    "munmap": (11, 215), "nanosleep": (35, 101), "newfstatat": (262, 79), "open": (2, None),
    "openat": (257, 56), "pause": (34, None), "pipe": (22, None), "pipe2": (293, 59), "poll": (7, None),
    "ppoll": (271, 73), "pread64": (17, 67), "pselect6": (270, 72), "read": (0, 63), "readlink": (89, None),
    "readlinkat": (267, 78), "readv": (19, 65), "recvfrom": (45, 207), "restart_syscall": (219, 128),
    "rseq": (334, 293), "rt_sigaction": (13, 134), "rt_sigpending": (127, 136), "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139), "rt_sigsuspend": (130, 133), "rt_sigtimedwait": (128, 137),
    "sched_getaffinity": (204, 123), "sched_yield": (24, 124), "select": (23, None), "sendto": (44, 206),
    "set_robust_list": (273, 99), "set_tid_address": (218, 96), "setitimer": (38, 103),
    "shutdown": (48, 210), "sigaltstack": (131, 132), "stat": (4, None), "statx": (332, 291),
    "sysinfo": (99, 179), "time": (201, None), "times": (100, 153), "umask": (95, 166), "uname": (63, 160),
    "wait4": (61, 260), "waitid": (247, 95), "write": (1, 64), "writev": (20, 66),
}
_WATCHED: dict[str, tuple[int | None, int | None]] = {
    "clone": (56, 220), "clone3": (435, 435), "fcntl": (72, 25), "fork": (57, None), "ioctl": (16, 29),
    "kill": (62, 129), "prctl": (157, 167), "prlimit64": (302, 261), "recvmsg": (47, 212),
    "seccomp": (317, 277), "sendmsg": (46, 211), "pidfd_open": (434, 434),
    "setrlimit": (160, 164), "socketpair": (53, 199), "tgkill": (234, 131), "vfork": (58, None),
}
# fmt: on


def machine() -> str | None:
    """This machine's key in the tables, or None where we have no numbers for it."""
    name = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    return name if name in AUDIT_ARCH else None


def _column(table: dict[str, tuple[int | None, int | None]], name: str) -> dict[str, int]:
    column = list(AUDIT_ARCH).index(name)
    return {call: number for call, numbers in table.items() if (number := numbers[column]) is not None}


def free(name: str) -> dict[str, int]:
    """The calls that are allowed whatever their arguments: none of them names another process or changes a file."""
    return _column(_FREE, name)


def watched(name: str) -> dict[str, int]:
    """The calls whose arguments, or whose caller, decide."""
    return _column(_WATCHED, name)
