"""`benchmarks.twin_figures`: tables and figure also of twins that are never or always right."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.twin_figures import comparison_table, failure_table, figure, main, read_arms
from benchmarks.twin_parts.operation_chains import DEPTHS, KINDS, held_out

PROGRAMS = 20


def _cell(kind: str, depth: int, right: int, *, rights: bool = True) -> dict[str, Any]:
    wrong = held_out(kind, depth, PROGRAMS)[right:]
    failures: dict[str, int] = {}
    for chain in wrong:
        failures[chain.names[0]] = failures.get(chain.names[0], 0) + 1
    made = {"kind": kind, "depth": depth, "programs": PROGRAMS, "whole": right, "last": right, "failures": failures}
    made |= {"tokens": 30.0 * depth, "kept": 1000 * depth}
    return made | ({"rights": "1" * right + "0" * (PROGRAMS - right)} if rights else {})


def _file(folder: Path, rights: bool = True, **right: int) -> Path:
    arms = {
        name: {
            "parameters": 1_000_000,
            "tokens": 5_000_000,
            "cells": [_cell(kind, depth, count, rights=rights) for kind in KINDS for depth in DEPTHS],
        }
        for name, count in right.items()
    }
    path = folder / "twins.json"
    path.write_text(json.dumps({"arms": arms}))
    return path


def _page(folder: Path, path: Path) -> str:
    assert main([str(path), "--out", str(folder / "out")]) == 0
    assert "</svg>" in (folder / "out" / "twins.svg").read_text()
    return (folder / "out" / "twins.md").read_text()


def test_the_page_has_shares_with_intervals_and_what_single_operations_predict(tmp_path: Path) -> None:
    said = _page(tmp_path, _file(tmp_path, bytes=16, pairs=12))
    assert "| bytes | string | 0.80 (0.56 to 0.94) |" in said
    assert "| 0.80 (0.56 to 0.94) | 0.33 |" in said  # 0.8 ** 5
    assert "| bytes | 1,000,000 | 5.0 M | string | 30 to 150 | 1,000 to 5,000 |" in said


@pytest.mark.parametrize(("rights", "p"), [(True, "0.12"), (False, "0.3")])
def test_twins_are_compared_chain_by_chain_where_the_answers_are_known(tmp_path: Path, rights: bool, p: str) -> None:
    """16 and 12 of 20: four chains differ, all in one direction; without the chains only the counts say something."""
    arms = read_arms(_file(tmp_path, rights=rights, bytes=16, pairs=12))
    assert f"| pairs | string | -0.20 (p {p}) |" in comparison_table(arms)


def test_failures_of_an_operation_are_counted_of_all_its_occurrences(tmp_path: Path) -> None:
    arms = read_arms(_file(tmp_path, bytes=0))
    names = [name for depth in DEPTHS for chain in held_out("string", depth, PROGRAMS) for name in chain.names]
    firsts = [chain.names[0] for depth in DEPTHS for chain in held_out("string", depth, PROGRAMS)]
    share = f"{firsts.count('upper') / names.count('upper'):.2f}"
    assert f"| string | upper | {names.count('upper')} | {share} (" in failure_table(arms, ("bytes", "pairs"))
    assert failure_table(arms, ("pairs",)) == "Not measured.\n"


@pytest.mark.parametrize(
    ("right", "sentence"),
    [
        ({"bytes": 0}, "`bytes` is right about no chain"),
        ({"bytes": PROGRAMS}, "`bytes` is right about every chain"),
        ({}, "No twin was measured."),
    ],
)
def test_twins_that_are_never_or_always_right_give_figures_that_say_so(
    tmp_path: Path, right: dict[str, int], sentence: str
) -> None:
    assert sentence in _page(tmp_path, _file(tmp_path, **right))


def test_cells_that_are_missing_leave_gaps(tmp_path: Path) -> None:
    path = _file(tmp_path, bytes=10)
    found = json.loads(path.read_text())
    found["arms"]["bytes"]["cells"] = [_cell("string", 2, 10)]
    path.write_text(json.dumps(found))
    assert "| bytes | string | - | 0.50 (0.27 to 0.73) | - |" in _page(tmp_path, path)
    assert [len(panel.curves) for panel in figure(read_arms(path)).panels] == [1, 0, 0]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"arms": 1}', '{"arms": {"bytes": {}}}'])
def test_a_file_of_something_else_is_refused_in_one_sentence(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(SystemExit):
        main([str(path), "--out", str(tmp_path)])
    assert "cannot be read as results" in capsys.readouterr().err
