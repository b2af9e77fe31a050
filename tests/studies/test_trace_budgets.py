"""`benchmarks.trace_budgets`: what does not fit is counted by program, and untraced calls are named."""

import json
from pathlib import Path

import pytest

from benchmarks import trace_budgets
from benchmarks.trace_budgets import CallLengths, FileLengths, exceeding, main, measured, table

LOOP = "def f(n):\n    total = 0\n    for i in range(n):\n        total = total + i\n    return total\n"


def _file(folder: Path, *calls: str) -> Path:
    rows = [
        {"kind": "trace", "id": f"t{n}", "source": LOOP, "entry": "f", "arguments": call}
        for n, call in enumerate(calls)
    ]
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _call(program: str, tokens: int) -> CallLengths:
    return CallLengths(program, program, 1, True, 0, {"history": tokens})


def test_a_history_grows_with_the_run_and_a_local_question_does_not(tmp_path: Path) -> None:
    short, long = measured(str(_file(tmp_path, "3", "60")), None, 1_000).calls
    assert long.tokens["history"] > 8 * short.tokens["history"]
    assert long.tokens["local"] < short.tokens["local"] + 10
    assert long.tokens["history, decomposed"] > long.tokens["history"] > long.tokens["program"] > long.tokens["local"]
    assert short.left_out == long.left_out == 0


def test_a_program_exceeds_a_budget_where_one_of_its_calls_does() -> None:
    calls = [_call("a", 10), _call("a", 30), _call("b", 20)]
    assert [exceeding(calls, "history", budget) for budget in (5, 10, 20, 30)] == [2, 2, 1, 0]


def test_a_run_that_is_cut_off_and_one_without_a_trace_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _file(tmp_path, "2", "10**6", "no")
    out = tmp_path / "lengths.json"
    assert main([str(path), "--steps", "50", "--budgets", "100,100000", "--json", str(out)]) == 0
    said = capsys.readouterr().out
    assert "2 programs, 2 calls; 1 calls cut off, 1 untraced" in said
    [history] = [line for line in said.splitlines() if line.startswith("| history |")]
    assert history.endswith("| 1.000 (0.158 to 1.000) \\* | 0.000 (0.000 to 0.842) \\* |")
    assert [call["call"] for call in json.loads(out.read_text())[0]["calls"]] == ["t0", "t1"]


def test_a_file_without_any_trace_says_so() -> None:
    assert table(FileLengths("x", [], ["t: why"]), (10,)) == "x: no call could be traced (1 were tried).\n"


@pytest.mark.parametrize("text", ["", "1,a", "0"])
def test_budgets_that_are_no_numbers_are_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        trace_budgets.parser().parse_args(["x", "--budgets", text])
    assert "are no budgets" in capsys.readouterr().err
