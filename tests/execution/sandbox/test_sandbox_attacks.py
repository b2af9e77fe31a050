"""Every escape and every fake that we know of, tried for real under every isolation that this machine has.

Programs get `open` and `time.sleep` from their scripted world; the attacks take `io.open` and `select`, which reach the
kernel.
"""

from __future__ import annotations

import os
import platform
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from envs.execution.sandbox.isolation import isolation_methods
from envs.execution.sandbox.isolation import worker_pool as module
from envs.execution.sandbox.sandbox import Assertion, Check, Sandbox, SandboxLimits, Verdict, available_isolations

QUICK = SandboxLimits(cpu_s=0.3, wall_s=2.0, load_s=0.3)
HONEST = "def f():\n    return 42\n"


def test_some_isolation_is_available() -> None:
    """The attacks below run somewhere: a machine without any isolation must not pass them by running none."""
    assert available_isolations(), [module.why_not(name) for name in ("bubblewrap", "landlock")]


@pytest.fixture(scope="module", params=available_isolations())
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with Sandbox(isolation=request.param, limits=QUICK) as opened:
        yield opened


def attack(sandbox: Sandbox, body: str, *, limits: SandboxLimits = QUICK) -> Verdict:
    """Run the body as `f()`, then make sure that an honest program is served after it."""
    source = "def f():\n" + "".join(f"    {line}\n" for line in body.strip().splitlines())
    (verdict,) = sandbox.run_tests(source, [Check("f()", "42")], entry="f", limits=limits)
    (after,) = sandbox.run_tests(HONEST, [Check("f()", "42")], entry="f")
    assert after.passed, after
    return verdict


REFUSED = {
    "write-root": "__import__('io').open('/escaped', 'w')",
    "write-home": "import os\n__import__('io').open(os.path.expanduser('~/escaped'), 'w')",
    "write-stdlib": "import os\n__import__('io').open(os.__file__, 'a')",
    "chmod": "import os\nos.chmod(os.__file__, 0o777)",
    "touch": "import os\nos.utime(os.__file__)",
    "delete": "import os\nos.unlink(os.__file__)",
    "link": "import os\nos.symlink('/etc/passwd', '/tmp/link')",
    "read-passwd": "return __import__('io').open('/etc/passwd').read()",
    "read-shadow": "return __import__('io').open('/etc/shadow').read()",
    "list-home": "import os\nreturn os.listdir(os.path.expanduser('~root'))",
    "parent-environ": "import os\nreturn __import__('io').open(f'/proc/{os.getppid()}/environ').read()",
    "parent-memory": "import os\n__import__('io').open(f'/proc/{os.getppid()}/mem', 'r+b')",
    "socket": "import socket\nsocket.socket()",
    "local-socket": "import socket\nsocket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "datagram-pair": "import socket\nsocket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "fork": "import os\nos.fork()",
    "daemon": "import os\nif os.fork() == 0:\n    os.setsid()\n    os.fork()\n    while True: pass",
    "spawn": "import os\nos.posix_spawn('/bin/true', ['true'], {})",
    "subprocess": "import subprocess\nsubprocess.run(['/bin/true'])",
    "exec": "import os, sys\nos.execv(sys.executable, ['python', '-c', 'pass'])",
    "kill-parent": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "kill-group": "import os, signal\nos.kill(0, signal.SIGKILL)",
    "kill-all": "import os, signal\nos.kill(-1, signal.SIGKILL)",
    "shared-memory": "from multiprocessing import shared_memory\nshared_memory.SharedMemory(create=True, size=1 << 30)",
    "memory-file": "import os\nos.memfd_create('x')",
    "raise-limits": "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))",
    "setuid": "import os\nos.setuid(1)",
    "chroot": "import os\nos.chroot('/')",
    "fill-tmp": "for n in range(10 ** 6):\n    __import__('io').open(f'/tmp/{n}', 'wb').write(bytes(1 << 20))",
    "fill-shm": "for n in range(10 ** 6):\n    __import__('io').open(f'/dev/shm/{n}', 'wb').write(bytes(1 << 20))",
    "tempfile": "import tempfile\ntempfile.TemporaryFile()",
    "installed-packages": "import pytest",
    "our-tasks": "import tasks",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_an_escape_is_refused_with_an_exception(sandbox: Sandbox, body: str) -> None:
    """The system refuses, the program sees an ordinary exception, nothing else happens."""
    verdict = attack(sandbox, body)
    assert verdict.outcome == "raised", verdict
    name = verdict.value.split(":")[0]
    error = getattr(__builtins__, name, None) or __builtins__[name]  # type: ignore[index]
    assert issubclass(error, OSError | ValueError | ImportError), verdict


SYSTEM_CALLS = {
    "unshare-user": "unshare(0x10000000)",
    "unshare-net": "unshare(0x40000000)",
    "setns": "setns(3, 0)",
    "mount": "mount(b'none', b'/', b'tmpfs', 0, None)",
    "ptrace-attach": "ptrace(16, os.getppid(), None, None)",
    "write-parent-memory": "process_vm_writev(os.getppid(), ctypes.byref(vector), 1, ctypes.byref(vector), 1, 0)",
    "read-parent-memory": "process_vm_readv(os.getppid(), ctypes.byref(vector), 1, ctypes.byref(vector), 1, 0)",
    "clone3": "syscall(435, None, 0)",
    "io-uring": "syscall(425, 8, ctypes.byref(vector))",
    "signal-by-handle": "syscall(424, 3, 9, None, 0)",
    "set-limits-of-parent": "prlimit(os.getppid(), 7, ctypes.byref(vector), None)",
    "undo-filter": "prctl(22, 0, 0, 0, 0)",
    "become-dumpable": "prctl(4, 1, 0, 0, 0)",
}
if platform.machine() == "x86_64":
    SYSTEM_CALLS |= {
        "fork-by-number": "syscall(57)",
        "fork-by-other-abi": "syscall(57 | 0x40000000)",
        "bpf": "syscall(321, 0, None, 0)",
        "keyctl": "syscall(250, 0, -3, 0)",
        "perf": "syscall(298, None, 0, -1, -1, 0)",
    }


@pytest.mark.parametrize("call", SYSTEM_CALLS.values(), ids=SYSTEM_CALLS.keys())
def test_a_system_call_made_by_hand_is_refused(sandbox: Sandbox, call: str) -> None:
    """Going round Python with ctypes meets the same wall: EPERM, EACCES, ESRCH or ENOSYS."""
    verdict = attack(
        sandbox,
        f"""
import ctypes, errno, os
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
held = ctypes.create_string_buffer(b"overwritten")
vector = Vector(ctypes.addressof(held), 11)
result = ctypes.CDLL(None, use_errno=True).{call}
return result, errno.errorcode.get(ctypes.get_errno())
""",
    )
    assert verdict.value in ("(-1, 'EPERM')", "(-1, 'EACCES')", "(-1, 'ENOSYS')"), verdict


STOPPED = {
    "endless-loop": ("while True: pass", "cpu"),
    "loop-that-catches-all": ("while True:\n    try:\n        while True: pass\n    except BaseException: pass", "cpu"),
    "loop-without-timers": (
        "import signal\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except OSError: pass\n"
        "signal.setitimer(signal.ITIMER_PROF, 0)\nwhile True: pass",
        "cpu",
    ),
    "slow-c-code": ("return 9 ** 9 ** 8", "cpu"),
    "slow-result": ("import re\nreturn re.match('(a+)+b', 'a' * 64)", "cpu"),
    "endless-output": ("while True: print('x' * 1000)", "output"),
    "endless-raw-output": ("import os\nwhile True: os.write(1, bytes(10 ** 5))", "output"),
    "endless-answers": ("import os\nwhile True: os.write(3, b'd1\\n' * 1000)", "crashed"),
    "endless-line": ("import os\nwhile True: os.write(3, bytes(10 ** 5))", "output"),
    "ten-gigabytes": ("return len(bytearray(10 << 30))", "raised"),
    "many-lists": ("held = []\nwhile True: held.append([0] * 10 ** 6)", None),
    "leave": ("import os\nos._exit(0)", "crashed"),
    "leave-politely": ("import sys\nsys.exit(0)", "raised"),
    "interrupt": ("raise KeyboardInterrupt", "raised"),
    "abort": ("import os\nos.abort()", "crashed"),
    "null-pointer": ("import ctypes\nctypes.string_at(0)", "crashed"),
    "deep-recursion": ("import sys\nsys.setrecursionlimit(10 ** 9)\ng = lambda n: g(n + 1) + 1\nreturn g(0)", None),
    "stack-overflow": (
        "import sys\nsys.setrecursionlimit(10 ** 9)\n"
        "class R:\n    def __repr__(self): return repr(self)\nreturn repr(R())",
        None,  # crashed; from Python 3.12 on RecursionError, whatever limit the program sets
    ),
    "alarm": (
        "import signal\nsignal.alarm(1)\nsignal.setitimer(signal.ITIMER_REAL, 0.01)\nwhile True: pass",
        "crashed",
    ),
    "kill-self": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "crashed"),
    "many-threads": ("import threading\nwhile True: threading.Thread(target=print).start()", "raised"),
    "close-everything": ("import os\nos.closerange(0, 64)\nwhile True: pass", "crashed"),
    "enormous-text": ("return 'x' * 10 ** 8", "returned"),
    "enormous-list": ("return [[n] for n in range(10 ** 5)]", "returned"),
    "enormous-number": ("return 1 << 10 ** 7", "returned"),
    "list-in-itself": ("x = []\nx.append(x)\nreturn x", "returned"),
    "function": ("return lambda: 42", "returned"),
    "class": ("return type", "returned"),
    "generator": ("return (n for n in range(3))", "returned"),
    "file": ("return __import__('io').open('/dev/null')", "returned"),
    "lone-surrogate": ("return '\\ud800'", "returned"),
}


@pytest.mark.parametrize(("body", "outcome"), STOPPED.values(), ids=STOPPED.keys())
def test_a_program_that_misbehaves_fails_and_is_stopped(sandbox: Sandbox, body: str, outcome: str | None) -> None:
    """It fails, we know why, and the next program is served."""
    verdict = attack(sandbox, body)
    assert not verdict.passed
    assert outcome is None or verdict.outcome == outcome, verdict


def test_a_program_that_sleeps_or_stops_itself_meets_the_wall_clock(sandbox: Sandbox) -> None:
    """No CPU is used, so the backstop ends it."""
    short = SandboxLimits(cpu_s=0.2, wall_s=0.3)
    assert attack(sandbox, "import select\nselect.select([], [], [], 1000)", limits=short).outcome == "wall"
    stop = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"
    assert attack(sandbox, stop, limits=short).outcome == "wall"


FAKES = {
    "equal-to-all": "class A:\n    def __eq__(self, o): return True\n    def __repr__(self): return '42'\nreturn A()",
    "int-that-lies": (
        "class I(int):\n    def __eq__(self, other): return True\n    def __repr__(self): return '42'\n"
        "    def __index__(self): return 42\n    def __hash__(self): return 42\nreturn I(7)"
    ),
    "list-that-lies": "class L(list):\n    def __iter__(self): return iter([42])\nreturn L([1])",
    "metaclass-that-lies": (
        "class M(type):\n    def mro(cls): return [cls, object]\n    __name__ = 'int'\n"
        "class A(metaclass=M):\n    __class__ = int\n    def __int__(self): return 42\nreturn A()"
    ),
    "patch-builtins": (
        "import builtins\n"
        "for name in ('repr', 'type', 'isinstance', 'len', 'str', 'int', 'compile', 'eval', 'next', 'iter'):\n"
        "    setattr(builtins, name, lambda *a, **k: 42)\nreturn 7"
    ),
    "patch-json": (
        "import json, json.encoder, json.decoder\njson.dumps = lambda *a, **k: '{\"returned\": 42}'\n"
        "json.JSONEncoder.encode = lambda *a: '{\"returned\": 42}'\njson.encoder.c_make_encoder = None\nreturn 7"
    ),
    "patch-os": "import os\nos.write = lambda *a: 9\nos._exit = lambda *a: None\nreturn 7",
    "patch-wire": (
        "import sys\nfor name, m in list(sys.modules.items()):\n    if name.startswith('envs'):\n"
        "        for k in list(vars(m)):\n            if k[:2] != '__': setattr(m, k, lambda *a, **k: 7)\nreturn 7"
    ),
    "settrace": (
        "import sys\ndef t(frame, event, arg):\n"
        "    for k in list(frame.f_locals): frame.f_locals[k] = 42\n    return t\n"
        "sys.settrace(t)\nsys.setprofile(t)\nreturn 7"
    ),
    "forged-pass": (
        "import os\nos.write(3, b'd{\"passed\": true}\\nd{\"returned\": true}\\n')\nos.write(4, b'.')\nos._exit(0)"
    ),
    "forged-done": "import os\nos.write(4, b'.')\nos._exit(0)",
    "forged-garbage": "import os\nos.write(3, b'd[[[[\\nx\\nl\\ne{}\\nd' + b'[' * 10 ** 5 + b'\\n')\nos._exit(0)",
    "exit-code-zero": "import atexit, os\natexit.register(print, 'OK')\nos._exit(0)",
    "printed-answer": "print('42')\nprint('{\"returned\": 42}')\nreturn 7",
    "stack-frames": (
        "import sys\nframe = sys._getframe()\nwhile frame:\n    for k in list(frame.f_locals): frame.f_locals[k] = 42\n"
        "    frame = frame.f_back\nreturn 7"
    ),
    "garbage-collector": (
        "import gc\nfor o in gc.get_objects():\n"
        "    if type(o) is dict and 'returned' in o: o['returned'] = 42\nreturn 7"
    ),
}


@pytest.mark.parametrize("body", FAKES.values(), ids=FAKES.keys())
def test_a_wrong_program_cannot_fake_a_pass(sandbox: Sandbox, body: str) -> None:
    """The expected value is not in the process, so whatever the program does, it must give the right value."""
    body = body.replace("42", "41")  # a liar does not know the answer
    assert not attack(sandbox, body).passed


@pytest.mark.parametrize("body", FAKES.values(), ids=FAKES.keys())
def test_a_wrong_program_cannot_fake_an_assertion_judged_outside(sandbox: Sandbox, body: str) -> None:
    """Code over calls with literal arguments is evaluated where the program never was."""
    source = "def f(x):\n" + "".join(f"    {line}\n" for line in body.replace("42", "41").splitlines())
    tests = [Assertion("assert abs(f(1) - 42) < 1e-6"), Assertion("assert f(1) == 42 if True else False")]
    judged, unlifted = sandbox.run_tests(source, tests, entry="f")
    assert (judged.passed, judged.judged) == (False, "outside")
    assert unlifted.judged == "inside"


def test_nothing_outside_was_touched(sandbox: Sandbox, tmp_path: Path) -> None:
    """A folder that anyone may write to stays empty, a readable secret stays unread, a file keeps its mode."""
    tmp_path.chmod(0o777)
    secret = tmp_path / "secret"
    secret.write_text("42")
    mode = secret.stat().st_mode
    for body in (
        f"__import__('io').open({str(tmp_path / 'new')!r}, 'w').write('x')",
        f"return int(__import__('io').open({str(secret)!r}).read())",
        f"import os\nos.chmod({str(secret)!r}, 0)",
        f"import os\nos.rename({str(secret)!r}, {str(tmp_path / 'gone')!r})",
        f"import os\nos.truncate({str(secret)!r}, 0)",
        f"import os\nos.mkdir({str(tmp_path / 'folder')!r})",
    ):
        assert attack(sandbox, body).outcome == "raised"
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]
    assert (secret.read_text(), stat.S_IMODE(secret.stat().st_mode)) == ("42", stat.S_IMODE(mode))


def test_other_processes_and_the_environment_are_out_of_reach(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No signal arrives, and no variable of ours is seen."""
    monkeypatch.setenv("A_SECRET", "42")
    with (
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as victim,
        Sandbox(isolation=sandbox.isolation, limits=QUICK) as fresh,
    ):
        for pid in (victim.pid, os.getpid()):
            assert attack(fresh, f"import os\nos.kill({pid}, 9)").outcome == "raised"
        assert attack(fresh, "import os\nreturn 'A_SECRET' in os.environ").value == "False"
        assert victim.poll() is None
        victim.communicate(b"\n")


@pytest.mark.parametrize("name", available_isolations())
def test_what_is_installed_beside_us_is_hidden(name: isolation_methods.Name, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of installed packages only `envs` itself can be read, and nothing written: tasks lie beside it."""
    beside = Path(isolation_methods.__file__).resolve().parents[4]
    readable, hidden = isolation_methods.readable(), isolation_methods.hidden()
    monkeypatch.setattr(isolation_methods, "readable", lambda: (*readable, str(beside)))
    monkeypatch.setattr(isolation_methods, "hidden", lambda: (*hidden, str(beside)))
    with Sandbox(isolation=name, limits=QUICK) as sandbox:
        for body in (
            f"__import__('io').open({str(beside / 'pyproject.toml')!r})",
            f"__import__('io').open({str(beside / 'new')!r}, 'w')",
        ):
            assert attack(sandbox, body).outcome == "raised"


def living(session: int) -> int:
    """How many processes of a session are alive."""
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has just ended
            continue
        count += fields[3] == str(session) and fields[0] != "Z"
    return count


def test_no_process_is_left_behind(sandbox: Sandbox) -> None:
    """However many programs try to stay, what lives is the worker, the forks made ahead, and the last ones dying."""
    for body in ["while True: pass", *[REFUSED["daemon"]] * 15]:
        attack(sandbox, body)
    bubblewrap_itself = {"bubblewrap": 2, "landlock": 0}[sandbox.isolation]
    assert living(sandbox.pool.idle[0].pid) <= 8 + bubblewrap_itself
