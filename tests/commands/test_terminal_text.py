"""Nothing of foreign origin reaches the terminal as a control character, in any command, encoding or file."""

import ast
import io
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from cwm_agent import debug, load_tasks, rollout, solve, study, verify
from cwm_agent.commands.command_line import COMMANDS, run
from cwm_agent.commands.progress import progress
from cwm_agent.debugger.debugger_session import opened
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.study_figures import SHARE, Curve, Panel, PointMark, StudyFigure, svg_of
from envs.execution.sandbox.sandbox import Sandbox
from envs.gym.trace_env import TraceEnv
from tasks import TraceTask
from tasks.output.terminal_text import print_line, print_text, visible, visible_line

ROOT = Path(__file__).parent.parent.parent
EVIL = "a\x1b[31m\x07\b\r\x7f\x9b2J\u202e\u2066\u200b\ufeff\u2028\x85[red]:smile:é"
"""Colours, a bell, a backspace, a carriage return, a C1 escape, marks of direction, nothing wide; rich's markup."""
SHOWN = "a\\x1b[31m\\x07\\x08\\r\\x7f\\x9b2J\\u202e\\u2066\\u200b\\ufeff\\u2028\\x85[red]:smile:é"
PRINTING = {"print", "sys.stdout.write", "sys.stderr.write"}
Main = Callable[[Sequence[str]], int]


def raw(text: str) -> list[str]:
    """The characters that a terminal would obey or hide."""
    return [each for each in text if not each.isprintable() and each != "\n"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("plain text, ümläute 中文 🙂", "plain text, ümläute 中文 🙂"),
        ("two\nlines", "two\nlines"),
        ("\tx\n\ty", "        x\n        y"),
        ("\0\x1b]0;title\x07", "\\x00\\x1b]0;title\\x07"),
        ("\u202etxt.exe\u2069", "\\u202etxt.exe\\u2069"),
        ("a\u200bb\u00adc\U000e0041", "a\\u200bb\\xadc\\U000e0041"),
        ("\ud800 \udcff", "\\ud800 \\udcff"),
        ("a \\ b", "a \\ b"),
        (EVIL, SHOWN),
    ],
)
def test_what_cannot_be_seen_is_shown_as_an_escape(given: str, expected: str) -> None:
    assert visible(given) == expected
    assert visible(expected) == expected
    assert visible_line(given) == expected.replace("\n", "\\n")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_every_character_becomes_visible_in_every_encoding(encoding: str) -> None:
    """All of the first plane, and the invisible characters beyond it."""
    text = "".join(map(chr, [*range(0x10000), *range(0xE0000, 0xE0200), 0x10FFFF]))
    shown = visible(text, encoding)
    assert not raw(shown)
    assert shown.encode(encoding)


def test_the_project_prints_in_one_module() -> None:
    """Everything else calls it; `import_path.py` runs before anything can be imported, and in the sandbox a program's
    own `input` shows its prompt."""
    sandboxed = "envs/execution/sources/scripted_sources.py"
    allowed = {"tasks/output/terminal_text.py", "cwm_agent/import_path.py", sandboxed}
    for package in ("cwm_agent", "envs", "planners", "tasks"):
        for path in (ROOT / package).rglob("*.py"):
            text, name = path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))
            if name not in allowed and re.search(r"print\(|std(out|err)", text):
                calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
                assert not {ast.unparse(call) for call in calls} & PRINTING, name
    for name in COMMANDS:
        assert "argparse.ArgumentParser(" not in (ROOT / f"cwm_agent/{name}.py").read_text(encoding="utf-8")


def trace_file(folder: Path) -> str:
    """A task file of hostile name: a program with hostile strings, and rows that are no tasks."""
    source = f"def f(s):\n\tx = {EVIL!r}\n\ty = s + '\x1b[31m\u202e\u200b'\n\treturn x + y\n"
    rows = [
        {"kind": "trace", "id": "[red]t:smile:", "source": source, "entry": "f", "arguments": repr(EVIL)},
        {"kind": "trace", "id": EVIL, "source": source, "entry": "f", "arguments": repr(EVIL)},
        {"kind": "trace", "id": "u", "source": EVIL, "entry": EVIL, "arguments": EVIL},
        {"kind": EVIL, EVIL: EVIL},
    ]
    path = folder / "t\x1b[31m\u202e.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def repair_file(folder: Path) -> str:
    """A program whose faulty line has hostile strings, and a row that is no task."""
    source = "def f(x):\n    return ['\x1b[31m\u202e\u200b', x - 1]\n"
    tests = [{"arguments": "1", "expected": "['\\x1b[31m\\u202e\\u200b', 2]"}]
    rows = [
        {"kind": "repair", "id": "[red]t:smile:", "source": source, "entry": "f", "tests": tests},
        {"kind": "repair", "id": f"{EVIL}\n[9/9] forged", "source": source, "entry": "f", "tests": tests},
    ]
    path = folder / "repairs\x1b[2J.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def program_file(folder: Path) -> str:
    path = folder / "p\x07.py"
    path.write_text("def f(s):\n\tx = s + '\x1b[31m\u202e\u200b'\n\traise ValueError(x)\n", encoding="utf-8")
    return str(path)


DEBUG = "list; next; print; print s; next; continue; real; break 99; set \x1b = 1; \x1b[2J; guide \x1b; export \x1b/x"
RUNS: dict[str, tuple[Main, Callable[[Path], list[str]]]] = {
    "verify": (verify.main, lambda at: [trace_file(at), "--oracle", "exact", "--wrong", "3"]),
    "verify, noisy": (verify.main, lambda at: [trace_file(at), "--oracle", "noisy:iid:state=0.9", "--wrong", "3"]),
    "verify without a file": (verify.main, lambda at: [str(at / EVIL.replace("\0", "")), "--oracle", "none"]),
    "verify with an unknown oracle": (verify.main, lambda at: [trace_file(at), "--oracle", EVIL]),
    "verify with an unknown guide": (verify.main, lambda at: [trace_file(at), "--guide", EVIL, "--oracle", "none"]),
    "verify with a broken plug-in": (verify.main, lambda at: [trace_file(at), "--oracle", "hostile_plugin:make"]),
    "debug": (debug.main, lambda at: [program_file(at), "--call", "f('\\x1b')", "--oracle", "exact", "-c", DEBUG]),
    "debug of what is no call": (debug.main, lambda at: [program_file(at), "--call", EVIL, "--oracle", "none"]),
    "solve --list": (solve.main, lambda at: [repair_file(at), "--list"]),
    "solve": (solve.main, lambda at: [repair_file(at), "--oracle", "none", "--policy", "none", "--jobs", "1",
                                      "--budget-executions", "30", "--out", str(at / "out\x1b[31m")]),
    "solve with an unknown planner": (solve.main, lambda at: [repair_file(at), "--planner", EVIL]),
    "solve with an address": (solve.main, lambda at: [repair_file(at), "--view", "history", "--oracle", "openai:m",
                                                      "--base-url", "http://\x1b[31m/v1"]),
    "rollout": (rollout.main, lambda at: ["cwm_agent/Permutation-v0", "--set", f"style={EVIL}", "--out", str(at / "o")]),
    "rollout of nothing": (rollout.main, lambda at: ["\x1b[31m", "--out", str(at / "o")]),
    "study": (study.main, lambda at: [EVIL, "--out", str(at / "o")]),
    "an unknown command": (lambda arguments: run(arguments), lambda at: [EVIL]),
    "arguments too many": (lambda arguments: run(arguments), lambda at: ["debug", "f.py", "--call", "f()", EVIL, "\udcff"]),
    "no choice": (lambda arguments: run(arguments), lambda at: ["verify", "f", "--view", EVIL]),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a plug-in that raises a hostile message."""
    (tmp_path / "hostile_plugin.py").write_text(f"def make():\n    raise ValueError({EVIL!r})\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", RUNS)
def test_no_command_prints_a_control_character_of_others(name: str, folder: Path) -> None:
    """Both streams are ASCII, as under LANG=C with PYTHONIOENCODING=ascii, where `é` would raise."""
    main, arguments = RUNS[name]
    screens = [io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True) for _ in range(2)]
    with redirect_stdout(screens[0]), redirect_stderr(screens[1]):
        try:
            main(arguments(folder))
        except SystemExit:
            pass
    shown = "".join(screen.buffer.getvalue().decode("ascii") for screen in screens)
    assert not raw(shown), ascii(shown)
    assert "\\x1b" in shown or "\\x07" in shown, "the hostile text is shown"
    assert not re.search(r"^\[\d/\d\] forged", shown, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_can_be_printed_in_ascii(name: str) -> None:
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    with redirect_stdout(screen), pytest.raises(SystemExit):
        run([name, "--help"])


def test_a_debugger_with_colours_has_no_others(folder: Path) -> None:
    with opened(program_file(folder), "f('\\x1b')", oracle="exact", coloured=True) as debugger:
        lines = [debugger.where(), *(line for command in DEBUG.split(";") for line in debugger.do(command))]
    shown = "\n".join(lines)
    assert "\x1b[" in shown
    assert not raw(re.sub("\x1b\\[(0|1|2|31|32|33|36)m", "", shown)), ascii(shown)
    assert "\x1b[31m" not in shown, "red is for errors, and here only the program has it"


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_a_bar_shows_text_and_interprets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", "200")
    with progress("solving", 2) as shown:
        shown.tell([f"[1/2] {EVIL}"], 1, 2)
    assert f"[1/2] {SHOWN}" in screen.getvalue()
    assert "\u202e" not in screen.getvalue()


def test_an_environment_shows_a_hostile_program_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    source = "def f():\n    return '\x1b[31m\u202e' + 1\n"
    with Sandbox() as sandbox:
        env = TraceEnv(tasks=[TraceTask("t", source, "f", "")], level="plain", sandbox=sandbox, render_mode="human")
        env.reset(seed=0)
        env.step(env.action_space.sample())
    shown = capsys.readouterr().out
    assert shown.startswith("t  ")
    assert not raw(shown)


def test_warnings_about_tasks_are_one_visible_line(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="skipped") as caught:
        load_tasks(trace_file(tmp_path))
    assert not [each for each in caught if raw(str(each.message)) or "\n" in str(each.message)]


def test_tables_and_figures_hold_foreign_text_as_text() -> None:
    table = markdown(["guide", EVIL], [["a|b\n| c |", "<script>"], [EVIL, 1.0]])
    assert not raw(table)
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()] == [3] * 4
    assert "<" not in table.replace("\\<", "")
    curve = Curve(f"{EVIL}<b>", (PointMark(0.5, 0.5),))
    drawn = svg_of(StudyFigure(f"<script>{EVIL}\ud800", [Panel(EVIL, (curve,))], SHARE, SHARE))
    assert not raw(drawn)
    root = ElementTree.fromstring(drawn)  # noqa: S314  # our own text
    assert not [each for each in root.iter() if each.tag.endswith(("script", "}b"))]


def test_a_stream_without_an_encoding_is_printed_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    print_text("a\x1b\nb")
    print_line("c\nd")
    assert sys.stdout.getvalue() == "a\\x1b\nb\nc\\nd\n"  # type: ignore[attr-defined]
