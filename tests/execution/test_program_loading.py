"""Programs are loaded as modules: dataclasses, type hints, pickle and inspect work, and nothing stays for the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from envs.execution.decompose.program import decomposed
from envs.execution.sandbox.isolation.errors import UnknownPackage
from envs.execution.sandbox.sandbox import Check, Sandbox, available_isolations
from envs.execution.tracer.reality import Reality

MODULE = """
import inspect, pickle, typing
from dataclasses import dataclass, field

@dataclass(order=True)
class Point:
    x: "int"
    tags: list = field(default_factory=list)

def hints():
    return str(typing.get_type_hints(Point)["x"])

def copied(x):
    point = Point(x)
    return pickle.loads(pickle.dumps(point)) == point

def text():
    return inspect.getsource(hints).splitlines()[0], inspect.getsource(Point).splitlines()[1]

def add(x):
    return Point(x).x + 1
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        pytest.param("hints()", "\"<class 'int'>\"", id="typing.get_type_hints"),
        pytest.param("copied(3)", "True", id="pickle of an own class"),
        pytest.param("text()", "('def hints():', 'class Point:')", id="inspect.getsource"),
        pytest.param("add(3)", "4", id="a dataclass"),
    ],
)
def test_a_program_is_a_module_that_the_standard_library_finds(sandbox: Sandbox, call: str, expected: str) -> None:
    [verdict] = sandbox.run_tests(MODULE, [Check(call, expected)], entry="add")
    assert verdict.passed, verdict


def test_a_traced_program_may_hold_dataclasses(one: Sandbox) -> None:
    found = Reality(one).trace(decomposed(MODULE, "add"), "3")
    assert found.outcome.value == "4"


def test_nothing_of_one_program_is_seen_by_the_next(sandbox: Sandbox) -> None:
    """The module, its source lines and what it put elsewhere end with the program."""
    left = "import linecache, json\njson.left = 1\ndef f():\n    return 1\nsecret = 2\n"
    seen = (
        "import json, linecache, sys\ndef f():\n"
        "    module = sys.modules['program']\n"
        "    return hasattr(module, 'secret'), hasattr(json, 'left'), len(linecache.getlines('<program>'))\n"
    )
    sandbox.run_tests(left, [Check("f()", "1")], entry="f")
    [verdict] = sandbox.run_tests(seen, [Check("f()", "(False, False, 4)")], entry="f")
    assert verdict.passed, verdict


def test_a_program_that_cannot_be_loaded_says_so(sandbox: Sandbox) -> None:
    [verdict] = sandbox.run_tests("x = 1 / 0\ndef f():\n    return 1\n", [Check("f()", "1")], entry="f")
    assert not verdict.loaded
    assert "ZeroDivisionError" in verdict.value


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two packages and a module that are installed, beside a file that nobody may read."""
    for name in ("friendly", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("from . import parts\n")
        (tmp_path / name / "parts.py").write_text("def double(x):\n    return 2 * x\n")
    (tmp_path / "single.py").write_text("ONE = 1\n")
    (tmp_path / "secret.txt").write_text("42")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("isolation", available_isolations())
def test_named_packages_can_be_imported_and_no_others(isolation: str, installed: Path) -> None:
    program = (
        "import friendly.parts, single\n"
        "def f(x):\n    return friendly.parts.double(x) + single.ONE\n"
        "def other():\n    import other\n"
        f"def read():\n    return __import__('io').open({str(installed / 'secret.txt')!r}).read()\n"
        f"def write():\n    __import__('io').open({str(installed / 'friendly' / 'parts.py')!r}, 'a')\n"
    )
    with Sandbox(isolation=isolation, packages=("friendly", "single")) as sandbox:  # type: ignore[arg-type]
        calls = [Check("f(3)", "7"), Check("other()", "None"), Check("read()", "'42'"), Check("write()", "None")]
        found = sandbox.run_tests(program, calls, entry="f")
    assert [verdict.passed for verdict in found] == [True, False, False, False], found
    assert "No module named 'other'" in found[1].value
    assert not (installed / "friendly" / "parts.py").read_text().endswith("x\n\n")


@pytest.mark.parametrize("name", ["not_installed_anywhere", "two words", "os.path"])
def test_a_package_that_is_not_installed_is_refused(name: str) -> None:
    with pytest.raises(UnknownPackage, match=name.replace(".", r"\.")):
        Sandbox(packages=(name,))
