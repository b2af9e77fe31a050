"""The command from end to end in a pipe: plain text, one exit status for every kind of trouble."""

from pathlib import Path

import pytest

from cwm_agent.debug import main

SOURCE = "def f(n):\n    m = n + 1\n    return m * 2\n"


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(SOURCE)
    return str(path)


def test_commands_given_beforehand_are_answered_in_plain_text(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In the sandbox, by the exact oracle, with the real run beside it."""
    assert main([program, "--call", "f(3)", "--oracle", "exact", "-c", "next; next; print m; continue; real"]) == 0
    shown = capsys.readouterr().out
    assert "m = 4" in shown
    assert "over: returned 8" in shown
    assert " no divergence so far" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--call", "g(3)"], "No function named 'g'"),
        (["--call", "f(3"], "is no call of a function"),
        (["--call", "f(1, 2)"], "The call does not begin"),
        (["--call", "f(3)", "--base-url", "http://localhost:1/v1"], "--base-url is for openai:MODEL"),
        (["--call", "f(3)", "--oracle", "hf:x/y"], "--view history"),
    ],
)
def test_trouble_is_one_sentence_and_status_2(
    program: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([program, "--oracle", "exact", *options]) == 2
    assert message in capsys.readouterr().err
