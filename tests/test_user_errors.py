"""A mistake of the user is one line and status 2; a fault of ours is a traceback."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cwm_agent import debug, errors, rollout, solve, study, synthesise, verify
from cwm_agent.commands.usage import UsageError
from cwm_agent.imagination.guides import BadGuide, parse_guide
from cwm_agent.verification import view_verification

ROW = {"id": "t", "code": "def f(n):\n    return n + 1\n", "input": "1", "output": "2"}


def test_a_plain_value_error_is_no_mistake_of_the_user() -> None:
    """Neither ValueError nor any base of it is caught, so a ValueError of ours reaches the user as a traceback."""
    assert not isinstance(ValueError("ours"), errors.USER_ERRORS)
    assert not isinstance(KeyError("ours"), errors.USER_ERRORS)
    assert not {ValueError, RuntimeError, Exception} & set(errors.USER_ERRORS)


def test_the_tree_of_user_errors_is_drawn_in_full() -> None:
    missing = [each.__name__ for each in errors.USER_ERRORS if each.__name__ not in (errors.__doc__ or "")]
    assert not missing


def rows(folder: Path) -> str:
    path = folder / "rows.jsonl"
    path.write_text(json.dumps(ROW) + "\n")
    return str(path)


def source(folder: Path) -> str:
    path = folder / "f.py"
    path.write_text("def f(n):\n    return n + 1\n")
    return str(path)


Main = Callable[[Sequence[str]], int]
MISTAKES: dict[str, tuple[Main, Callable[[Path], list[str]], str]] = {
    "no such guide": (verify.main, lambda at: [rows(at), "--guide", "fre", "--oracle", "none"], "Did you mean 'free'?"),
    "no such file": (verify.main, lambda at: [str(at / "none.jsonl"), "--oracle", "none"], "none.jsonl"),
    "a guide that needs a level": (
        verify.main,
        lambda at: [rows(at), "--view", "history", "--guide", "grounded", "--oracle", "exact"],
        "--level operations",
    ),
    "no mutants": (verify.main, lambda at: [rows(at), "--mutants", "2", "--oracle", "none"], "no repair task"),
    "no patience": (solve.main, lambda at: [source(at), "--patience", "0", "--oracle", "none"], "--patience 0"),
    "a plan with patience": (
        solve.main,
        lambda at: ["tasks/permutation", "--limit", "1", "--patience", "3", "--oracle", "none"],
        "--patience belongs to repairs",
    ),
    "no call": (debug.main, lambda at: [source(at), "--call", "f", "--oracle", "none", "-c", "step"], "--call"),
    "a file that is no text": (
        debug.main,
        lambda at: [_bytes(at), "--call", "f(1)", "--oracle", "none", "-c", "step"],
        "UTF-8",
    ),
    "no key": (
        rollout.main,
        lambda at: ["cwm_agent/Permutation-v0", "--set", "items", "--out", str(at / "o.jsonl")],
        "KEY=VALUE",
    ),
    "an option that cannot be": (
        rollout.main,
        lambda at: ["cwm_agent/Permutation-v0", "--set", 'style="odd"', "--out", str(at / "o.jsonl")],
        "odd",
    ),
    "no episodes": (
        rollout.main,
        lambda at: ["cwm_agent/Permutation-v0", "--episodes", "0", "--out", str(at / "o.jsonl")],
        "at least 1",
    ),
    "an oracle that nothing asks": (
        rollout.main,
        lambda at: ["cwm_agent/Permutation-v0", "--oracle", "none", "--out", str(at / "o.jsonl")],
        "--oracle none would change nothing here",
    ),
    "a view of the real world": (
        rollout.main,
        lambda at: ["cwm_agent/Permutation-v0", "--view", "program", "--out", str(at / "o.jsonl")],
        "it needs --world imagined",
    ),
    "no such study": (study.main, lambda at: ["trakcing", "--out", str(at)], "Did you mean 'tracking'?"),
    "a guide that looks": (solve.main, lambda at: ["tasks/repair", "--guide", "forced", "--out", str(at)], "forced"),
    "no such planner": (solve.main, lambda at: ["tasks/repair", "--planner", "mtcs", "--out", str(at)], "mcts"),
    "no such game": (synthesise.main, lambda at: ["--game", "milrace"], "Did you mean 'millrace'?"),
    "no rule of a game": (synthesise.main, lambda at: ["--game", "kuhn", "--missing", "stop"], "No function 'stop'"),
    "no budget": (solve.main, lambda at: ["tasks/repair", "--budget-executions", "0", "--out", str(at)], "executions"),
}


def _bytes(folder: Path) -> str:
    path = folder / "bytes.py"
    path.write_bytes(b"x = '\xff'\n")
    return str(path)


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_of_the_user_is_one_line_and_status_2(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main, arguments, message = MISTAKES[name]
    assert main(arguments(tmp_path)) == 2
    told = capsys.readouterr().err
    assert message in told
    assert "Traceback" not in told


def test_a_value_error_of_ours_is_a_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> None:
        raise ValueError("a fault of ours")

    monkeypatch.setattr(view_verification, "verify_tasks", broken)
    with pytest.raises(ValueError, match="a fault of ours"):
        verify.main([rows(tmp_path), "--oracle", "none"])


def test_named_errors_stay_value_errors_for_callers_in_python() -> None:
    """Code that catches ValueError around a call of ours goes on working."""
    assert issubclass(BadGuide, ValueError)
    assert issubclass(UsageError, ValueError)
    with pytest.raises(ValueError, match="No guide named"):
        parse_guide("fre")
