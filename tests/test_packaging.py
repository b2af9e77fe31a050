"""What a release needs: one version, its date, and every file that the package reads at run time in the wheel."""

import re
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from cwm_agent import __version__

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_file_names_the_same_version() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_changelog_has_the_version_as_its_last_release_with_the_date_of_the_citation() -> None:
    releases = re.findall(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    released = re.search(r"^date-released: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert released
    assert releases[-1] == (__version__, released[1])


@pytest.mark.parametrize("package", ["cwm_agent", "envs", "planners", "tasks"])
def test_every_data_file_of_a_package_is_in_the_wheel(package: str) -> None:
    """Weights, the report's scripts and styles, tables and tasks: whatever git has there and is no Python."""
    listed = subprocess.run(["git", "ls-files", package], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [name.partition("/")[2] for name in listed.split() if not name.endswith(".py")]
    data = PROJECT["tool"]["setuptools"]["package-data"]
    patterns = [each.replace("**/*", "*") for each in (*data["*"], *data.get(package, ()))]
    assert files
    assert not [name for name in files if not any(fnmatch(name, each) for each in patterns)]
