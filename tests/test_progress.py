"""Progress: plain lines with the time left without a terminal, a bar on a terminal."""

import io

import pytest

from cwm_agent.commands.progress import Progress, progress
from tasks.output.terminal_text import time_left


def test_time_left_follows_from_what_was_done() -> None:
    assert time_left(10.0, 1, 4) == "about 30 s left"
    assert time_left(600.0, 2, 4) == "about 10 min left"


def test_lines_say_the_time_left_until_the_last(capsys: pytest.CaptureFixture[str]) -> None:
    shown = Progress()
    shown.tell(["[5/6] a", "    patch"], 5, 6)
    shown.tell(["[6/6] b"], 6, 6)
    first, patch, last = capsys.readouterr().out.splitlines()
    assert first.startswith("[5/6] a, about ")
    assert (patch, last) == ("    patch", "[6/6] b")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_and_the_same_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    with progress("solving", 2) as shown:
        shown.tell(["[1/2] first [bold]"], 1, 2)
        assert shown.bar is not None
        assert shown.bar.tasks[0].completed == 1
    assert "[1/2] first [bold]" in screen.getvalue()
