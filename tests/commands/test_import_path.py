"""Commands never import what lies in the working folder, and a library import changes no path."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from cwm_agent import import_path
from cwm_agent.commands.command_line import COMMANDS

ROOT = Path(__file__).parents[2]
OURS = ("envs", "planners", "tasks")
LIBRARIES = ("torch", "numpy", "gymnasium", "networkx", "transformers", "scipy", "safetensors", "rich", "bitsandbytes")
STANDARD = ("json", "argparse", "difflib", "random", "multiprocessing", "subprocess", "dataclasses", "ast", "readline")
CONSOLE = "import sys\nfrom cwm_agent.__main__ import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
"""The script that installation makes of the entry point."""
FORMS = ("module", "package", "console")
BUGGY = '''def add(a, b):
    """
    >>> add(1, 2)
    3
    """
    return a - b
'''
ORACLE = """from near import Same
import planners
def make():
    assert hasattr(planners, "MCTS")
    return Same()
"""
RUNS = {
    "solve-list": ("solve", "buggy.py", "--list"),
    "solve": ("solve", "buggy.py", "--oracle", "none", "--policy", "none", "--out", "solved"),
    "solve-spawn": ("solve", "repair", "--limit", "2", "--jobs", "2", "--oracle", "own_oracle:make", "--policy", "none",
                    "--budget-executions", "2", "--budget-seconds", "5", "--out", "spawned"),
    "verify": ("verify", "buggy.py", "--oracle", "exact"),
    "verify-plugin": ("verify", "buggy.py", "--oracle", "own_oracle:make"),
    "rollout": ("rollout", "cwm_agent/Permutation-v0", "--episodes", "1", "--out", "rows.jsonl"),
    "study": ("study", "budget", "--quick", "--oracle", "exact", "--seconds", "0", "--out", "study"),
    "train": ("train", "--export", "heldout", "--count", "1", "--out", "heldout.jsonl"),
    "debug": ("debug", "buggy.py", "--call", "add(1, 2)", "--oracle", "exact", "-c", "next"),
}  # fmt: skip


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder of modules with the names of ours, of libraries and of the standard library: each leaves a mark."""
    folder = tmp_path / "work"
    folder.mkdir()
    for name in (*OURS, *LIBRARIES, *STANDARD, "sitecustomize", "usercustomize"):
        text = f"open({str(tmp_path / name)!r} + '.mark', 'w').close()\n"
        if name in ("envs", "torch"):
            (folder / name).mkdir()
        (folder / name / "__init__.py" if name in ("envs", "torch") else folder / f"{name}.py").write_text(text)
    (folder / "buggy.py").write_text(BUGGY)
    (folder / "own_oracle.py").write_text(ORACLE)
    (folder / "near.py").write_text("from cwm_agent.oracles.backends.no_oracle import NoOracle as Same\n")
    return folder


def command(
    form: str, words: Sequence[str], folder: Path, extra: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """One of the three ways to start a command, with this checkout's packages."""
    script = folder.parent / "bin" / "cwm-agent"
    script.parent.mkdir(exist_ok=True)
    script.write_text(CONSOLE)
    starts = {
        "module": ["-m", f"cwm_agent.{words[0]}", *words[1:]],
        "package": ["-m", "cwm_agent", *words],
        "console": [str(script), *words],
    }
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(extra or {})}
    return subprocess.run(
        [sys.executable, *starts[form]],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def marks(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.parent.glob("*.mark"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", COMMANDS)
def test_help_imports_nothing_of_the_working_folder(hostile: Path, name: str, form: str) -> None:
    done = command(form, [name, "--help"], hostile)
    assert (done.returncode, marks(hostile)) == (0, []), done.stderr


@pytest.mark.parametrize("name", RUNS)
def test_a_command_imports_nothing_of_the_working_folder_but_the_plug_in_it_names(hostile: Path, name: str) -> None:
    done = command("module", RUNS[name], hostile)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert marks(hostile) == []


@pytest.mark.parametrize("name", ["solve-list", "solve-spawn"])
def test_the_console_command_is_as_safe(hostile: Path, name: str) -> None:
    done = command("console", RUNS[name], hostile)
    assert done.returncode in (0, 1), done.stderr
    assert marks(hostile) == []


def test_processes_are_safe_where_the_user_put_the_working_folder_on_the_path(hostile: Path) -> None:
    """PYTHONPATH=. reaches Python before us; what a command imports and starts afterwards is ours all the same."""
    (hostile / "sitecustomize.py").unlink()
    for name in STANDARD:
        (hostile / f"{name}.py").unlink()  # Python's own start may import these
    done = command("console", RUNS["solve-spawn"], hostile, {"PYTHONPATH": f".{os.pathsep}{ROOT}"})
    assert done.returncode in (0, 1), done.stderr
    assert marks(hostile) == ["usercustomize.mark"] or marks(hostile) == []


def test_importing_the_library_changes_no_path() -> None:
    code = "import sys, os; before = list(sys.path), dict(os.environ); import cwm_agent, cwm_agent.solve, cwm_agent.__main__\n"
    code += "assert before == (sys.path, dict(os.environ))"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60)


@pytest.mark.parametrize("name", OURS)
def test_another_package_of_our_name_is_reported_in_one_sentence(tmp_path: Path, name: str) -> None:
    """It stands before ours on the path, as another distribution's would."""
    other, folder = tmp_path / "other", tmp_path / "work"
    (other / name).mkdir(parents=True)
    folder.mkdir()
    (other / name / "__init__.py").write_text("raise RuntimeError('imported')\n")
    path = os.pathsep.join([str(other), str(ROOT)])
    for form in FORMS:
        done = command(form, ["solve", "--help"], folder, {"PYTHONPATH": path})
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert f"`import {name}` finds {other / name}" in done.stderr


def test_an_uninstalled_checkout_runs_from_its_own_root(tmp_path: Path) -> None:
    """Its packages are found though the root is the working folder; the standard library still comes first."""
    for name in import_path.PACKAGES:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.safetensors", "__pycache__"))
    (tmp_path / "json.py").write_text("raise RuntimeError('imported')\n")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    words = ["solve", "tasks/repair", "--limit", "1", "--list"]
    for start in (["-m", "cwm_agent", *words], ["-m", "cwm_agent.solve", *words[1:]]):
        done = subprocess.run(
            [sys.executable, *start], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("argv", "orig", "own"),
    [
        (["-m", "a"], ["python", "-m", "cwm_agent.solve", "a"], True),
        (["-m"], ["python", "-X", "dev", "-mcwm_agent"], True),
        (["-m", "cwm_agent.solve"], ["python", "-m", "other", "cwm_agent.solve"], False),
        (["-m"], ["python", "-m", "cwm_agent_tools"], False),
        (["script.py"], ["python", "script.py"], False),
        (["-c"], ["python", "-c", "import cwm_agent"], False),
        ([], ["python"], False),
    ],
)
def test_only_python_m_of_this_project_counts_as_a_command(
    monkeypatch: pytest.MonkeyPatch, argv: list[str], orig: list[str], own: bool
) -> None:
    monkeypatch.setattr(sys, "argv", argv)
    monkeypatch.setattr(sys, "orig_argv", orig)
    assert import_path.is_own_command() == own


def test_a_working_folder_that_python_needs_goes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = os.path.dirname(os.path.realpath(os.__file__))
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [folder, "", str(ROOT), folder])
    monkeypatch.setattr(os, "environ", {"PYTHONPATH": str(ROOT)})
    import_path.leave_working_folder()
    assert sys.path == [str(ROOT), folder]
    assert os.environ["PYTHONPATH"] == str(ROOT)


def test_a_deleted_working_folder_is_no_error(tmp_path: Path) -> None:
    code = "import os, sys; os.rmdir(os.getcwd()); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    (tmp_path / "gone").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code, "-m", "cwm_agent", "solve", "--help"],
        cwd=tmp_path / "gone", env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
