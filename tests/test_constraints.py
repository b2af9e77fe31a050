"""The versions that CI installs fit the ranges of pyproject.toml, and every dependency of the tests has one."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PIN = re.compile(r"([\w.-]+)==([\w.]+)")


def test_pinned_versions_are_allowed_ones() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    lines = (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [(canonicalize_name(pin[1]), pin[2]) for line in lines if (pin := PIN.match(line))]
    for requirement in map(Requirement, wanted):
        name = canonicalize_name(requirement.name)
        if name != "cwm-agent":
            versions = [version for pinned, version in pins if pinned == name]
            assert versions, name
            assert all(map(requirement.specifier.contains, versions)), name
