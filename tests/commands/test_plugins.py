"""Plug-ins named `module:callable`: where they are looked up, and what a wrong name is told."""

import sys
from pathlib import Path

import pytest

import tasks
from cwm_agent.plugins import PluginError, load_callable


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != ""])
    return tmp_path


def test_a_module_of_the_working_folder_is_found_and_the_import_path_stays_as_it_was(folder: Path) -> None:
    (folder / "near_plugin.py").write_text("import near_sibling\nmake = near_sibling.make\n")
    (folder / "near_sibling.py").write_text("def make():\n    return 7\n")
    before = list(sys.path)
    assert load_callable("near_plugin:make", "oracle")() == 7
    assert sys.path == before


@pytest.mark.parametrize("name", ["tasks", "colorsys", "networkx"])
def test_the_working_folder_is_looked_up_last(folder: Path, name: str) -> None:
    """A file with the name of ours, the standard library's or an installed module is never imported."""
    (folder / f"{name}.py").write_text("raise SystemExit('imported')\n")
    with pytest.raises(PluginError, match=rf"has no 'make'\..*{name}\.py is not used.*rename it"):
        load_callable(f"{name}:make", "oracle")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("exact", "write module:callable"),
        ("module:", "write module:callable"),
        (":make", "write module:callable"),
        ("a/b:make", "write module:callable"),
        ("no_such_module:make", "there is no module 'no_such_module', neither installed nor in "),
        ("tasks.nowhere:make", "there is no module 'tasks.nowhere'"),
        ("half:make", "its module imports a missing module, 'no_such_module'"),
        ("broken:make", r"its module raised ZeroDivisionError: division by zero \(.*broken.py, line 2\)"),
        ("unreadable:make", "its module raised SyntaxError"),
        ("math:pi", "is a float, which cannot be called"),
        ("math:make", "module 'math' .* has no 'make'"),
    ],
)
def test_a_wrong_name_is_told_what_was_expected_and_what_was_found(folder: Path, name: str, message: str) -> None:
    (folder / "half.py").write_text("import no_such_module\n")
    (folder / "broken.py").write_text("x = 1\nx / 0\n")
    (folder / "unreadable.py").write_text("def\n")
    with pytest.raises(PluginError, match=message) as raised:
        load_callable(name, "planner")
    assert str(raised.value).startswith(f"The planner {name!r} ")


def test_our_own_packages_are_the_ones_beside_this_test() -> None:
    assert Path(tasks.__file__ or "").is_relative_to(Path(__file__).parents[2])
