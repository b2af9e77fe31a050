"""Attacks on the kernel and on other processes; numbers of system calls are given for x86-64 and aarch64."""

import platform

from attack_case import Attack, attacks

KERNEL_CALLS: dict[str, tuple[int | None, int | None]] = {
    "accept4": (288, 242), "add_key": (248, 217), "bind": (49, 200), "bpf": (321, 280), "connect": (42, 203),
    "execveat": (322, 281), "fanotify_init": (300, 262), "finit_module": (313, 273), "fsopen": (430, 430),
    "get_robust_list": (274, 100), "init_module": (175, 105), "inotify_init1": (294, 26), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "io_uring_setup": (425, 425), "ioprio_set": (251, 30), "kcmp": (312, 272),
    "kexec_load": (246, 104), "keyctl": (250, 219), "landlock_restrict_self": (446, 446), "listen": (50, 201),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "migrate_pages": (256, 238), "mlockall": (151, 230),
    "mq_open": (240, 180), "msgget": (68, 186), "move_pages": (279, 239), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "perf_event_open": (298, 241), "personality": (135, 92),
    "pidfd_getfd": (438, 438), "pidfd_open": (434, 434), "pivot_root": (155, 41), "process_madvise": (440, 440),
    "quotactl": (179, 60), "reboot": (169, 142), "recvmsg": (47, 212), "request_key": (249, 218), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119), "semget": (64, 190),
    "sendmmsg": (307, 269), "sendmsg": (46, 211), "setdomainname": (171, 162), "sethostname": (170, 161), "setpgid": (109, 154),
    "setpriority": (141, 140), "setsid": (112, 157), "settimeofday": (164, 170), "shmget": (29, 194), "signalfd4": (289, 74),
    "swapon": (167, 224), "syslog": (103, 116), "timer_create": (222, 107), "timerfd_create": (283, 85), "tkill": (200, 130),
    "umount2": (166, 39), "userfaultfd": (323, 282), "vhangup": (153, 58), "splice": (275, 76), "vmsplice": (278, 75),
}  # fmt: skip
_COLUMN = {"x86_64": 0, "aarch64": 1}.get(platform.machine(), 0)

_CALL = """\
import ctypes, errno, os
room = ctypes.create_string_buffer(4096)
result = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long({number}){arguments})
return result, errno.errorcode.get(ctypes.get_errno())
"""


def called(kind: str, *calls: tuple[str, str]) -> list[Attack]:
    """Attacks that are one system call each, made by number."""
    found = []
    for name, arguments in calls:
        number = KERNEL_CALLS[name][_COLUMN]
        text = "".join(f", {argument}" for argument in arguments.split(", ") if argument)
        found.append(Attack(name, kind, _CALL.format(number=number, arguments=text), "kernel"))
    return found


PROCESSES = called(
    "other processes",
    ("pidfd_open", "os.getppid(), 0"),
    ("pidfd_getfd", "0, 0, 0"),
    ("process_madvise", "0, room, 1, 4, 0"),
    ("kcmp", "os.getpid(), os.getppid(), 2, 0, 0"),
    ("perf_event_open", "room, os.getppid(), -1, -1, 0"),
    ("userfaultfd", "0"),
    ("move_pages", "os.getppid(), 0, 0, 0, 0, 0"),
    ("migrate_pages", "os.getppid(), 0, 0, 0"),
    ("sched_setaffinity", "os.getppid(), 8, room"),
    ("sched_setscheduler", "os.getppid(), 0, room"),
    ("setpriority", "0, os.getppid(), 19"),
    ("ioprio_set", "1, os.getppid(), 0"),
    ("get_robust_list", "os.getppid(), room, room"),
) + attacks(
    "other processes",
    "absent",
    {
        "first-process-environment": "return __import__('io').open('/proc/1/environ').read() and 'ESCAPED'",
        "own-environment-file": "return __import__('io').open('/proc/self/environ').read() and 'ESCAPED'",
        "own-memory-file": "__import__('io').open('/proc/self/mem', 'r+b')\nreturn 'ESCAPED'",
        "memory-map": "return __import__('io').open('/proc/self/maps').read() and 'ESCAPED'",
        "all-processes": "import os\nreturn [name for name in os.listdir('/proc') if name.isdigit()] and 'ESCAPED'",
        "physical-memory": "__import__('io').open('/dev/mem', 'rb').read(1)\nreturn 'ESCAPED'",
        "kernel-log": "return __import__('io').open('/dev/kmsg').read(1) and 'ESCAPED'",
        "kernel-settings": "__import__('io').open('/sys/kernel/profiling').read()\nreturn 'ESCAPED'",
        "terminal": "__import__('io').open('/dev/tty', 'r+b', buffering=0).write(b'rm -rf\\n')\nreturn 'ESCAPED'",
    },
)

DESCRIPTORS = (
    attacks(
        "inherited descriptors",
        "judge",
        {
            "open-files": (
                "import os, stat\nfound = []\n"
                "for number in range(64):\n"
                "    try: mode = os.fstat(number).st_mode\n    except OSError: continue\n"
                "    if stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISBLK(mode): found.append(number)\n"
                "return 'ESCAPED' if found else 'none'"
            ),
            "other-jobs": (
                "import os, select\ntexts = []\n"
                "for number in range(5, 64):\n"
                "    try:\n"
                "        if select.select([number], [], [], 0)[0]: texts.append(os.read(number, 4096))\n"
                "    except OSError: pass\nreturn 'ESCAPED' if any(b'def ' in text for text in texts) else 'none'"
            ),
        },
    )
    + attacks(
        "inherited descriptors",
        "kernel",
        {
            "type-into-terminal": "import fcntl\nfcntl.ioctl(0, 0x5412, b'x')\nreturn 'ESCAPED'",
            "signals-to-owner": "import fcntl, os\nfcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())\nreturn 'ESCAPED'",
            "signal-on-data": "import fcntl\nfcntl.fcntl(0, 10, 9)\nreturn 'ESCAPED'",
            "wide-pipe": "import fcntl, os\nfcntl.fcntl(os.pipe()[1], 1031, 1 << 20)\nreturn 'ESCAPED'",
            "lease": "import fcntl, os\nfcntl.fcntl(os.open(os.__file__, 0), 1024, 0)\nreturn 'ESCAPED'",
            "folder-above": "import os\nfd = os.open('/usr/lib', 0)\nos.open('../../etc/passwd', 0, dir_fd=fd)\nreturn 'ESCAPED'",
            "write-by-dir-descriptor": "import os\nos.open('new', os.O_CREAT | os.O_WRONLY, dir_fd=os.open('/usr/lib', 0))\nreturn 'ESCAPED'",
        },
    )
    + called(
        "inherited descriptors",
        ("name_to_handle_at", "-100, room, room, room, 0"),
        ("open_by_handle_at", "3, room, 0"),
        ("splice", "0, 0, 1, 0, 1, 0"),
        ("vmsplice", "1, room, 1, 0"),
    )
)

KERNEL_OBJECTS = called(
    "memory files, io_uring, keyrings",
    ("memfd_create", "room, 0"),
    ("memfd_secret", "0"),
    ("io_uring_setup", "8, room"),
    ("io_uring_enter", "3, 1, 0, 0, 0, 0"),
    ("io_uring_register", "3, 0, room, 1"),
    ("execveat", "3, room, 0, 0, 0x1000"),
    ("add_key", "b'user', b'x', b'y', 1, -3"),
    ("request_key", "b'user', b'x', 0, -3"),
    ("keyctl", "0, -3, 1"),
    ("bpf", "0, room, 48"),
    ("init_module", "room, 0, room"),
    ("finit_module", "0, room, 0"),
    ("kexec_load", "0, 0, 0, 0"),
    ("shmget", "0, 4096, 0o1600"),
    ("msgget", "0, 0o1600"),
    ("semget", "0, 1, 0o1600"),
    ("mq_open", "b'x', 0o102, 0o600, 0"),
    ("inotify_init1", "0"),
    ("fanotify_init", "0, 0"),
    ("timerfd_create", "0, 0"),
    ("signalfd4", "-1, room, 8, 0"),
    ("fsopen", "b'tmpfs', 0"),
    ("open_tree", "-100, b'/', 1"),
    ("pivot_root", "b'/', b'/'"),
    ("umount2", "b'/', 2"),
    ("swapon", "b'/dev/zero', 0"),
    ("quotactl", "0, 0, 0, 0"),
    ("reboot", "0xfee1dead, 672274793, 0, 0"),
    ("sethostname", "b'x', 1"),
    ("setdomainname", "b'x', 1"),
    ("settimeofday", "room, 0"),
    ("syslog", "2, room, 4096"),
    ("vhangup", ""),
    ("landlock_restrict_self", "3, 0"),
)

SOCKETS = attacks(
    "sockets and descriptor passing",
    "kernel",
    {
        "abstract-socket": "import socket\nsocket.socket(socket.AF_UNIX).connect('\\0x')\nreturn 'ESCAPED'",
        "raw-socket": "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_RAW, 1)\nreturn 'ESCAPED'",
        "packet-socket": "import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW)\nreturn 'ESCAPED'",
        "kernel-messages": "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)\nreturn 'ESCAPED'",
        "kernel-crypto": "import socket\nsocket.socket(38, socket.SOCK_SEQPACKET)\nreturn 'ESCAPED'",
        "virtual-machine-socket": "import socket\nsocket.socket(40, socket.SOCK_STREAM)\nreturn 'ESCAPED'",
        "packet-pair": "import socket\nsocket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)\nreturn 'ESCAPED'",
        "pair-to-address": (
            "import socket\nsocket.socketpair()[0].sendto(b'x', '/run/systemd/journal/socket')\nreturn 'ESCAPED'"
        ),
        "pass-descriptor": "import socket\nsocket.send_fds(socket.socketpair()[0], [b'x'], [0])\nreturn 'ESCAPED'",
        "take-descriptor": "import socket\nsocket.recv_fds(socket.socketpair()[0], 1, 1)\nreturn 'ESCAPED'",
        "look-up-host": "import socket\nsocket.getaddrinfo('example.org', 80)\nreturn 'ESCAPED'",
        "asynchronous-server": (
            "import asyncio\nasync def go(): return (await asyncio.start_server(print, '127.0.0.1', 0)).sockets\n"
            "if asyncio.run(go()): return 'ESCAPED'\nraise OSError('no socket was opened')"
        ),
    },
) + called(
    "sockets and descriptor passing",
    ("bind", "0, room, 110"),
    ("connect", "0, room, 110"),
    ("listen", "0, 1"),
    ("accept4", "0, 0, 0, 0"),
    ("sendmsg", "1, room, 0"),
    ("recvmsg", "0, room, 0"),
    ("sendmmsg", "1, room, 1, 0"),
)

SIGNALS = (
    called(
        "signals and daemons",
        ("tkill", "os.getppid(), 9"),
        ("rt_sigqueueinfo", "os.getppid(), 9, room"),
        ("rt_tgsigqueueinfo", "os.getppid(), os.getppid(), 9, room"),
        ("setsid", ""),
        ("setpgid", "0, 0"),
        ("timer_create", "0, room, room"),
    )
    + attacks(
        "signals and daemons",
        "kernel",
        {
            "kill-by-thread": "import ctypes, os\nr = ctypes.CDLL(None, use_errno=True).tgkill(os.getppid(), os.getppid(), 9)\nraise OSError(ctypes.get_errno(), str(r))",
            "kill-first-process": "import os\nos.kill(1, 9)\nreturn 'ESCAPED'",
            "outlive-the-worker": "import ctypes\nr = ctypes.CDLL(None, use_errno=True).prctl(1, 0, 0, 0, 0)\nraise OSError(ctypes.get_errno(), str(r))",
            "adopt-orphans": "import ctypes\nr = ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)\nraise OSError(ctypes.get_errno(), str(r))",
            "pool-of-processes": "import multiprocessing\nmultiprocessing.get_context('fork').Process(target=print).start()\nreturn 'ESCAPED'",
            "shell": "import os\nos.popen('id').read()\nreturn 'ESCAPED'",
            "pseudo-terminal": "import pty\npty.fork()\nreturn 'ESCAPED'",
        },
    )
    + attacks(
        "signals and daemons",
        "own",
        {
            "die-of-each-signal": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)",
            "leave-in-handler": "import os, signal\nsignal.signal(signal.SIGUSR1, lambda *a: os._exit(0))\nos.kill(os.getpid(), signal.SIGUSR1)",
        },
    )
)

_CODE = {
    "x86_64": {"fork": "b8390000000f05c3", "socket": "b829000000bf02000000be0100000031d20f05c3"},
    "aarch64": {"fork": "881b80d2200280d2010080d2020080d2030080d2040080d2010000d4c0035fd6",
                "socket": "c81880d2400080d2210080d2020080d2010000d4c0035fd6"},
}.get(platform.machine(), {"fork": "", "socket": ""})  # fmt: skip
_RUN_CODE = """\
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex('{code}'))
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
result = ctypes.CFUNCTYPE(ctypes.c_long)(address)()
raise PermissionError(-result, 'refused') if result < 0 else RuntimeError('ESCAPED')
"""
_OTHER_ABI = {
    # int 0x80 with the 32-bit number of getpid, and the x32 number of fork; the filter kills the first.
    "x86_64": {"by-32-bit-call": "b814000000cd80c3", "by-x32-call": "b839000040" + "0f05c3"},
    "aarch64": {},
}.get(platform.machine(), {})

MACHINE_CODE = (
    attacks(
        "machine code",
        "kernel",
        {f"{name}-from-writable-page": _RUN_CODE.format(code=code) for name, code in _CODE.items()},
    )
    + attacks(
        "machine code",
        "own",
        {name: _RUN_CODE.format(code=code) for name, code in _OTHER_ABI.items()}
        | {
            "overwrite-library": "import ctypes\nlibc = ctypes.CDLL(None)\nctypes.memset(ctypes.cast(libc.getpid, ctypes.c_void_p), 0, 64)\nreturn 41",
            "wild-jump": "import ctypes\nctypes.CFUNCTYPE(ctypes.c_int)(0x41414141)()",
            "wild-write": "import ctypes\nctypes.memset(8, 1, 8)",
            "free-twice": "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.malloc.restype = ctypes.c_void_p\np = ctypes.c_void_p(libc.malloc(64))\nfor _ in range(3): libc.free(p)\nreturn 41",
            "reference-to-nothing": "import ctypes\nreturn ctypes.cast(8, ctypes.py_object).value",
            "bytecode-by-hand": "def g(): pass\ng.__code__ = g.__code__.replace(co_code=bytes([255, 0] * 8))\nreturn g()",
        },
    )
    + attacks(
        "machine code",
        "judge",
        {
            "another-one": ("import ctypes\nctypes.memmove(id(41) + 24, (ctypes.c_uint32 * 1)(40), 4)\nreturn 41"),
            "constants-of-the-judge": (
                "import gc\nfor each in gc.get_objects():\n"
                "    if type(each) is list and 41 in each:\n        each[:] = [40] * len(each)\nreturn 40"
            ),
        },
    )
    + called("machine code", ("personality", "0x0008"))
)
