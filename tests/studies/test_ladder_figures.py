"""`benchmarks.ladder_figures`: depth of plans against errors per step, also of models that say nothing or all right."""

import json
import math
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks import ladder_figures
from benchmarks.ladder_figures import figure, main
from benchmarks.ladder_parts.depth_law import depth_of, deviance, law_fit, rank_correlation, survival_law
from benchmarks.ladder_parts.ladder_points import PlanCount, ladder_points, noise_points

DISTANCES = (1, 2, 4, 8)


def _trace(form: str, swaps: int, action: float, state: float) -> dict[str, Any]:
    frames = 40 * (swaps + 3)
    right = round(40 * ((1 - action) * (1 - state)) ** (swaps + 3))
    return {
        "form": form,
        "swaps": swaps,
        "programs": 40,
        "free": right,
        "forced": 40,
        "free_errors": {"action": 40 - right},
        "first_error": None,
        "frames": frames,
        "action_errors": round(action * frames),
        "state_errors": round(state * frames),
    }


def _plans(form: str, worked: dict[int, int]) -> list[dict[str, Any]]:
    return [
        {"form": form, "distance": distance, "problems": 20, "first": first, "runs": 20, "programs": []}
        for distance, first in worked.items()
    ]


def _ladder(folder: Path, checkpoints: dict[str, tuple[float, float, dict[int, int]]], name: str = "a") -> Path:
    """A file with checkpoints of known error rates and plans."""
    rows = {
        key: {
            "parameters": 200_000,
            "survival": [_trace(form, swaps, action, state) for form in ("straight", "branching") for swaps in (4, 32)],
            "plans": [row for form in ("straight", "branching") for row in _plans(form, worked)],
        }
        for key, (action, state, worked) in checkpoints.items()
    }
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"checkpoints": rows, "missing": []}))
    return path


def _lawful(rate: float) -> dict[int, int]:
    return {distance: round(20 * (1 - rate) ** (distance + 3)) for distance in DISTANCES}


LAWFUL = {
    f"checkpoint-{share}": (rate, 0.3 - rate, _lawful(rate)) for share, rate in ((0.1, 0.2), (0.5, 0.1), (0.9, 0.02))
}
"""Checkpoints whose plans follow the law of their actions; their states get worse."""


def _page(tmp_path: Path, *arguments: str) -> str:
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 0
    for part in ("action", "state"):
        assert "</svg>" in (tmp_path / "out" / f"ladder-{part}.svg").read_text()
    return (tmp_path / "out" / "ladder.md").read_text()


@pytest.mark.parametrize(
    ("worked", "expected"),
    [
        ({1: 20, 2: 20, 4: 20, 8: 20}, (8, 8, 8)),
        ({1: 20, 2: 12, 4: 9, 8: 20}, (2, 1, 8)),
        ({1: 0, 2: 0}, (0, 0, 0)),
        ({1: 9, 2: 20}, (0, 0, 2)),
    ],
)
def test_the_depth_is_the_last_distance_before_half_of_the_plans_fail(
    worked: dict[int, int], expected: tuple[int, int, int]
) -> None:
    found = depth_of([PlanCount(distance, first, 20) for distance, first in worked.items()])
    assert found is not None
    assert (found.depth, found.low, found.high) == expected


def test_the_law_fits_the_errors_that_plans_depend_on(tmp_path: Path) -> None:
    points = ladder_points([_ladder(tmp_path, LAWFUL)])
    action, state = (law_fit(points, part) for part in ("action", "state"))
    assert action is not None
    assert state is not None
    assert action.deviance < 2 < action.constant < state.deviance
    assert action.exponent == pytest.approx(1.0, abs=0.1)
    ranks = [rank_correlation(points, part) for part in ("action", "state")]
    assert [found and round(found[0], 6) for found in ranks] == [-1.0, 1.0]


def test_deviance_is_zero_where_predictions_are_the_shares_and_finite_where_they_are_certain() -> None:
    assert deviance([(5, 20, 0.25), (0, 20, 1e-6)]) == pytest.approx(0.0, abs=1e-3)
    assert 100 < deviance([(20, 20, survival_law(0.999, 50))]) < math.inf


def test_rates_are_of_trained_length_and_never_zero(tmp_path: Path) -> None:
    [point, _] = ladder_points([_ladder(tmp_path, {"last": (0.0, 0.5, {})})])
    assert point.action.frames == 40 * 7  # 4 swaps; 32 are beyond training
    assert point.action.rate == pytest.approx(0.5 / 281)
    assert point.action.interval.high > 0
    assert point.frames(10) == pytest.approx(13.0)


def test_the_page_has_every_table_and_the_curve_behind_the_checkpoints(tmp_path: Path) -> None:
    cells = [
        {"part": part, "rate": rate, **row}
        for part in ("action", "state")
        for rate in (0.01, 0.3)
        for row in _plans("straight", _lawful(rate))
    ]
    noise = tmp_path / "noise.json"
    noise.write_text(json.dumps({"plans": cells}))
    said = _page(tmp_path, str(_ladder(tmp_path, LAWFUL)), "--noise", str(noise))
    assert "| 0.20 M | 0.1 | straight | 0.2000 (0.1548 to 0.2517) |" in said
    assert "| action | 0.3 | straight | 1: 5/20, 2: 3/20, 4: 2/20, 8: 0/20 | 0 (0 to 0) |" in said
    drawn = figure(ladder_points([_ladder(tmp_path, LAWFUL)]), noise_points(noise), "action")
    assert [curve.label for curve in drawn.panels[0].curves] == [ladder_figures.NOISE, "0.20 M parameters"]
    assert [curve.label for curve in drawn.panels[1].curves] == ["0.20 M parameters"]
    marks = drawn.panels[0].curves[1].marks
    assert all(mark.left < mark.x < mark.right for mark in marks if mark.left is not None and mark.right is not None)


def test_the_interval_of_a_point_whose_plans_still_work_where_measuring_ended_is_open_above(tmp_path: Path) -> None:
    checkpoints = {"checkpoint-0.1": (0.1, 0.1, {1: 20, 2: 20}), "checkpoint-0.2": (0.1, 0.1, {1: 20, 2: 20, 4: 0})}
    drawn = figure(ladder_points([_ladder(tmp_path, checkpoints)]), [], "action")
    (curve,) = drawn.panels[0].curves
    assert sorted((mark.y, mark.low, mark.high) for mark in curve.marks) == [(2, 2, 2), (2, 2, 4)]
    assert "2 or more (2 to 2)" in _page(tmp_path, str(_ladder(tmp_path, checkpoints)))


@pytest.mark.parametrize(
    ("checkpoints", "sentence"),
    [
        ({}, "No checkpoint was measured."),
        ({"last": (1.0, 1.0, {})}, "No plan was measured"),
        ({"last": (1.0, 1.0, {1: 0, 2: 0})}, "No plan of any checkpoint works"),
        ({"last": (1.0, 1.0, {1: 0, 2: 0})}, "2 of 2 points have no right action"),
        ({"last": (0.0, 0.0, {1: 20, 2: 20})}, "Every plan of every checkpoint works"),
        ({"last": (0.0, 0.0, {1: 20, 2: 20})}, "2 of 2 points made no error"),
        ({"last": (0.1, 0.1, {1: 20, 2: 3})}, "none: all equal, or under 3 checkpoints"),
    ],
)
def test_a_model_that_says_nothing_or_all_right_still_gives_figures_that_say_so(
    tmp_path: Path, checkpoints: dict[str, Any], sentence: str
) -> None:
    assert sentence in _page(tmp_path, str(_ladder(tmp_path, checkpoints)))


@pytest.mark.parametrize("text", ["", "[]", '{"runs": 1}'])
def test_a_file_of_something_else_is_refused_in_one_sentence(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(SystemExit):
        main([str(path), "--out", str(tmp_path)])
    assert str(path) in capsys.readouterr().err


def test_checkpoints_stand_in_the_order_of_training(tmp_path: Path) -> None:
    names = ["last", *(f"checkpoint-{share}" for share in (0.5, 0.05, 0.95))]
    Random(0).shuffle(names)
    points = ladder_points([_ladder(tmp_path, {name: (0.1, 0.1, {}) for name in names})])
    assert [point.checkpoint for point in points if point.form == "straight"] == ["0.05", "0.5", "0.95", "1"]
