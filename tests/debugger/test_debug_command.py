"""The whole command in a pipe: plain text, and exit status 2 for every kind of error."""

from pathlib import Path

import pytest

from cwm_agent.debug import answer_commands, main
from cwm_agent.oracles.protocol import BackendFailed

SOURCE = "def f(n):\n    m = n + 1\n    return m * 2\n"


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(SOURCE)
    return str(path)


def test_commands_given_as_an_option_are_answered_in_plain_text(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
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
        (["--call", "f(1, 2)"], "The call does not start"),
        (["--call", "f(3)", "--base-url", "http://localhost:1/v1"], "--base-url is for openai:MODEL"),
        (["--call", "f(3)", "--oracle", "hf:x/y"], "--view history"),
    ],
)
def test_an_error_is_one_line_and_status_2(
    program: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([program, "--oracle", "exact", *options]) == 2
    assert message in capsys.readouterr().err


class Typist:
    """A terminal at which lines are typed; an exception in their place is raised, as Ctrl-C is."""

    def __init__(self, lines: list[str | BaseException]) -> None:
        self.lines = iter(lines)

    def isatty(self) -> bool:
        return True

    def __call__(self, prompt: str) -> str:
        line = next(self.lines, EOFError())
        if isinstance(line, BaseException):
            raise line
        return line


def test_on_a_terminal_an_empty_line_repeats_and_ctrl_c_ends_nothing(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typist = Typist(["next", "", KeyboardInterrupt(), "print m", "quit", "next"])
    monkeypatch.setattr("sys.stdin", typist)
    monkeypatch.setattr("builtins.input", typist)
    assert main([program, "--call", "f(3)", "--oracle", "exact"]) == 0
    shown = capsys.readouterr().out
    assert "m = 4" in shown, "the empty line went to the next line"
    assert "`help` lists the commands" in shown
    assert list(typist.lines) == ["next"]


def test_an_interactive_debugger_stays_at_its_step_after_an_interrupt_or_a_failure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Failing:
        done = False

        def do(self, command: str) -> list[str]:
            raise KeyboardInterrupt if command == "c" else BackendFailed("The server is away.")

        def where(self) -> str:
            return "here"

    assert answer_commands(Failing(), iter(["c", "n"]), interactive=True) == 0  # type: ignore[arg-type]
    assert capsys.readouterr().out.splitlines() == ["here", "", "interrupted", "here", "The server is away.", "here"]
    with pytest.raises(BackendFailed):
        answer_commands(Failing(), iter(["n"]))  # type: ignore[arg-type]
