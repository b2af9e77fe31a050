"""The ways to shut a worker in, which of them this machine offers, and what a shut-in Python may still read.

Bubblewrap: own namespaces for users, processes, network, files; only the standard library is there to read.
Landlock: the same paths, by rule instead of by absence. Both with system-call filters and limits. Knows no
job.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from envs.execution.sandbox.isolation.packages import Package, packed

Name = Literal["bubblewrap", "landlock", "none"]
NAMES: tuple[Name, ...] = ("bubblewrap", "landlock", "none")
WAYS = {
    "bubblewrap": "bubblewrap: own user, process, network and file namespaces, system-call filter, resource limits",
    "landlock": "landlock: file rules, no capabilities, system-call filter, resource limits",
    "none": "NO ISOLATION: resource limits only, which stop accidents and no attack",
}

_ENVS = Path(__file__).resolve().parents[3]
_SYSTEM_LIBRARIES = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/etc/ld.so.cache")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
_BOOTSTRAP = """
import sys, types
package = types.ModuleType("envs")
package.__path__ = [sys.argv[1]]
sys.modules["envs"] = package
from envs.execution.sandbox.isolation.worker import main
main()
"""
"""Stands in for the `envs` package, whose own import registers environments and needs Gymnasium."""

ENVIRONMENT = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}
"""All that a worker sees of an environment: the hash seed is fixed so that sets iterate alike everywhere."""


@dataclass(frozen=True, slots=True)
class WorkerStart:
    """How to start a worker: the command, and the configuration it reads first."""

    command: tuple[str, ...]
    config: dict[str, Any]


@cache
def interpreter() -> str:
    """The real interpreter below any virtual environment: what it reads is the standard library alone."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable) or sys.executable)


@cache
def readable() -> tuple[str, ...]:
    """Paths that a contained Python needs to read: interpreter, standard library, system libraries, this package."""
    home = os.path.join(os.path.realpath(sys.base_prefix), "lib")
    wanted = [
        *_SYSTEM_LIBRARIES,
        interpreter(),
        home,
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("platstdlib", vars={"platbase": sys.base_exec_prefix}),
    ]
    return tuple(dict.fromkeys(path for path in [*wanted, str(_ENVS)] if os.path.exists(path)))


@cache
def hidden() -> tuple[str, ...]:
    """Installed packages below the readable paths: tasks and their answers may be among them."""
    roots = [Path(path) for path in readable() if os.path.isdir(path) and not os.path.islink(path)]
    found = [hole for root in roots for pattern in ("python*/*-packages", "*-packages") for hole in root.glob(pattern)]
    return tuple(sorted({str(hole.resolve()) for hole in found if hole.is_dir() and _ENVS not in hole.parents}))


def _python() -> tuple[str, ...]:
    # -P, -s and -S keep the working folder and installed packages off the path; -B writes no byte code.
    return (interpreter(), "-P", "-s", "-S", "-B", "-c", _BOOTSTRAP, str(_ENVS))


def _bind(path: str) -> list[str]:
    if os.path.islink(path):
        return ["--symlink", os.readlink(path), path]
    return ["--ro-bind", path, path]


@cache
def _newer_flags(bwrap: str) -> tuple[str, ...]:
    shown = subprocess.run([bwrap, "--help"], capture_output=True, text=True, check=False)
    return ("--disable-userns",) if "--disable-userns" in shown.stdout + shown.stderr else ()


def _bubblewrap(packages: tuple[Package, ...]) -> WorkerStart:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise FileNotFoundError("bwrap is not on the PATH")
    flags = ["--unshare-user", "--unshare-all", *_newer_flags(bwrap), "--uid", "65534", "--gid", "65534"]
    flags += ["--cap-drop", "ALL", "--hostname", "sandbox", "--chdir", "/"]
    for path in readable():
        flags += _bind(path)
    holes = hidden()
    flags += [part for hole in holes for part in ("--tmpfs", hole)]
    flags += _bind(str(_ENVS))  # once more: an installed `envs` lies in such a hole
    for package in packages:
        flags += [part for path in package.readable for part in ("--ro-bind", path, path)]
    flags += [part for hole in holes for part in ("--remount-ro", hole)]
    flags += [part for device in _DEVICES for part in ("--dev-bind", device, device)]
    command = (bwrap, *flags, "--remount-ro", "/", "--", *_python())
    return WorkerStart(command, {"landlock": None, "seccomp": True, "packages": packed(packages)})


def _landlock(packages: tuple[Package, ...]) -> WorkerStart:
    if not sys.platform.startswith("linux"):
        raise OSError(f"landlock is part of Linux, and this is {sys.platform}")
    opened = [path for package in packages for path in package.readable]
    rules = {"readable": [*readable(), *opened], "hidden": list(hidden()), "devices": list(_DEVICES)}
    return WorkerStart(_python(), {"landlock": rules, "seccomp": True, "packages": packed(packages)})


def start(name: Name, packages: tuple[Package, ...] = ()) -> WorkerStart:
    """How to start a worker under this isolation, with packages to read; OSError where it cannot be here."""
    if name == "bubblewrap":
        return _bubblewrap(packages)
    if name == "landlock":
        return _landlock(packages)
    return WorkerStart(_python(), {"landlock": None, "seccomp": False, "packages": packed(packages)})
