"""Installed packages that a user lets programs import: found outside the isolation, imported inside by their paths.

A contained Python has no folder of installed packages on its path. `located` says where the named packages lie, the
isolation opens these paths to read and no others, and `PackageFinder` imports them from there. Knows no program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_file_location
from types import ModuleType
from typing import Any

from envs.execution.sandbox.isolation.errors import UnknownPackage

_LIBRARIES = ".libs"
"""What wheels add to a package's name for the folder of the shared libraries that it brings along."""


@dataclass(frozen=True, slots=True)
class Package:
    """Where one importable package lies."""

    name: str
    file: str | None
    """Its module, or the `__init__` of its folder; None for a namespace package."""
    folders: tuple[str, ...]
    """Folders of its submodules; empty for a single module."""

    @property
    def readable(self) -> tuple[str, ...]:
        """The paths that importing it reads."""
        own = self.folders or tuple(filter(None, [self.file]))
        libraries = (os.path.join(os.path.dirname(path), self.name + _LIBRARIES) for path in own)
        return (*own, *filter(os.path.isdir, libraries))


def is_installed(name: str) -> bool:
    """Whether programs could be allowed to import a package of this name."""
    try:
        return bool(located([name]))
    except UnknownPackage:
        return False


def located(names: Iterable[str]) -> tuple[Package, ...]:
    """The packages of these names that are installed beside this one; UnknownPackage where one is not."""
    return tuple(_located(name) for name in dict.fromkeys(names) if name not in sys.stdlib_module_names)


def _located(name: str) -> Package:
    if not name.isidentifier():
        raise UnknownPackage(f"{name!r} is no name of a package. Give the name that programs import, such as numpy.")
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise UnknownPackage(f"No package {name!r} is installed in this environment: {sys.prefix}.")
    file = os.path.realpath(spec.origin) if spec.has_location and spec.origin else None
    return Package(name, file, tuple(os.path.realpath(folder) for folder in spec.submodule_search_locations or ()))


def packed(packages: Sequence[Package]) -> list[dict[str, Any]]:
    """The packages as JSON, for the configuration of a worker."""
    return [asdict(package) for package in packages]


class PackageFinder:
    """Finds the allowed packages by their paths; their submodules are found by Python's own path finder."""

    def __init__(self, packages: Sequence[dict[str, Any]]) -> None:
        self._packages = {row["name"]: row for row in packages}

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The spec of an allowed package; None for any other name."""
        row = self._packages.get(name)
        if row is None:
            return None
        if row["file"] is not None:
            return spec_from_file_location(name, row["file"], submodule_search_locations=row["folders"] or None)
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = row["folders"]
        return spec


def import_allowed(packages: Sequence[dict[str, Any]]) -> None:
    """Import the packages once for all forks to come; one that cannot be imported here fails where it is used."""
    if not packages:
        return
    sys.meta_path.append(PackageFinder(packages))
    for row in packages:
        try:
            __import__(row["name"])
        except Exception:  # noqa: S112 - the program that imports it is told
            continue
