"""`--help` of every command answers at once, names the program as it was called, and shows Python that runs."""

import ast
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest

from cwm_agent import __version__
from cwm_agent.commands.command_line import COMMANDS, defaults_of, run

ROOT = Path(__file__).parent.parent
HEAVY = ("torch", "transformers", "gymnasium", "numpy", "tasks.loading", "doctest", "unittest")
SCRIPT = """
import runpy, sys
sys.argv = ["{name}", "--help"]
try:
    runpy.run_module("cwm_agent.{name}", run_name="__main__")
except SystemExit as end:
    code = end.code
print("heavy:", [name for name in {heavy} if name in sys.modules])
sys.exit(code)
"""
PROGRAM = "def f(n):\n    x = n + 1\n    return x\n"
"""What stands in FILE.py for the snippets that name it."""


def test_every_command_is_a_module_and_every_command_module_is_a_command() -> None:
    modules = {
        path.stem
        for path in (ROOT / "cwm_agent").glob("*.py")
        if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
    }
    assert modules - {"__main__"} == set(COMMANDS)


@pytest.mark.parametrize("name", [*COMMANDS, "__main__"])
def test_help_exits_with_0_and_imports_nothing_heavy(name: str) -> None:
    script = SCRIPT.format(name=name, heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout
    assert done.stdout.rstrip().endswith("heavy: []")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_shows_the_name_it_was_called_by(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run([name, "--help"])
    by_console = capsys.readouterr().out
    with pytest.raises(SystemExit):
        import_module(f"cwm_agent.{name}").main(["--help"])
    assert by_console.startswith(f"usage: cwm-agent {name} ")
    assert f"python -m cwm_agent.{name}" not in by_console
    assert capsys.readouterr().out.startswith(f"usage: python -m cwm_agent.{name} ")


def snippet(name: str) -> str:
    """The Python that a command's help shows: the indented block below the sentence that introduces it."""
    text = import_module(f"cwm_agent.{name}").__doc__ or ""
    found = re.search(r"The same in Python:\n\n((?: {4}.*\n|\n)+)", text)
    assert found, f"The help of {name} shows no Python."
    return dedent(found[1])


@pytest.mark.parametrize("name", COMMANDS)
def test_the_python_in_a_commands_help_runs_as_it_stands(name: str, tmp_path: Path) -> None:
    code = snippet(name)
    ast.parse(code)
    (tmp_path / "FILE.py").write_text(PROGRAM)
    (tmp_path / "snippet.py").write_text(code)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "snippet.py"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_overview_has_one_line_for_each_command_and_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ") and "cwm-agent" not in line] == list(COMMANDS)
    assert "  cwm-agent solve buggy.py --write" in lines


def test_without_a_command_the_overview_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("usage: cwm-agent COMMAND")


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"cwm-agent {__version__}\n"


@pytest.mark.parametrize(
    ("name", "hint"),
    [("sovle", "Did you mean 'solve'?"), ("veryfi", "Did you mean 'verify'?"), ("xyz", "Choose one of: solve, verify")],
)
def test_an_unknown_command_gets_a_suggestion(name: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"cwm-agent: there is no command {name!r}. {hint}")
    assert said.count("\n") == 1


def test_the_defaults_of_train_are_those_of_a_recipe() -> None:
    from cwm_agent.train import parser
    from cwm_agent.training.recipe import DataMix, Recipe

    usual = {**defaults_of(DataMix), **defaults_of(Recipe)}
    options = vars(parser().parse_args(["--out", "x"]))
    same = {
        "batch",
        "length",
        "seed",
        "seconds",
        "weight_decay",
        "warm_up",
        "decay",
        "device",
        "precision",
        "attention",
    }
    assert {name: options[name] for name in same} == {name: usual[name] for name in same}
    assert (options["lr"], options["adam_lr"]) == (usual["rate"], usual["adam_rate"])


def test_the_defaults_of_rollout_and_study_are_those_of_their_dataclasses() -> None:
    from cwm_agent import rollout, study
    from cwm_agent.rollouts.rollout_run import RolloutRun
    from cwm_agent.studies.study_order import Order

    rolled = vars(rollout.parser().parse_args(["env", "--out", "x"]))
    expected = defaults_of(RolloutRun)
    assert rolled["guide"] == expected["guide"].name
    for name in ("policy", "world", "oracle", "view", "seed"):
        assert rolled[name] == expected[name]
    studied = vars(study.parser().parse_args(["all", "--out", "x"]))
    assert (studied["oracle"], studied["seed"]) == (defaults_of(Order)["oracle"], defaults_of(Order)["seed"])
