"""Results of `benchmarks.model_ladder` and `benchmarks.ladder_noise` as data: a point for each checkpoint and form."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression
from typing import Any

from benchmarks.model_ladder import FILE
from cwm_agent.verification.statistics.exact_intervals import binomial_interval
from cwm_agent.verification.statistics.survival import Interval

FORMS = ("straight", "branching")
TRAINED = 20
"""Swaps of the longest programs of training; error rates are taken up to here."""


class BadLadder(ValueError):
    """A file that holds no results of the ladder; the message says what to do."""


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """Wrong frames of all, each given the real frames before it."""

    errors: int
    frames: int

    @property
    def rate(self) -> float:
        """Errors per frame, with half an error added, so that no rate is 0 or 1."""
        return (self.errors + 0.5) / (self.frames + 1)

    @property
    def interval(self) -> Interval:
        return binomial_interval(self.errors, self.frames)


@dataclass(frozen=True, slots=True)
class PlanCount:
    """Plans of one distance: how many work at their first real run."""

    distance: int
    worked: int
    problems: int


@dataclass(frozen=True, slots=True)
class TraceCount:
    """Programs of one length: how many are followed to their end."""

    swaps: int
    programs: int
    free: int
    forced: int
    frames: int
    """Of all these programs."""
    first_errors: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class LadderPoint:
    """One checkpoint on programs of one form."""

    rung: str
    """Size of the network, by its parameters."""
    checkpoint: str
    form: str
    action: ErrorCount
    state: ErrorCount
    plans: tuple[PlanCount, ...]
    traces: tuple[TraceCount, ...]

    def error(self, part: str) -> ErrorCount:
        return self.action if part == "action" else self.state

    def frames(self, swaps: float) -> float:
        """Frames of a program of so many swaps, on the line through the programs that were measured."""
        lengths = [float(each.swaps) for each in self.traces]
        means = [each.frames / each.programs for each in self.traces]
        if len(set(lengths)) < 2:
            return means[0] / lengths[0] * swaps
        slope, start = linear_regression(lengths, means)
        return start + slope * swaps


@dataclass(frozen=True, slots=True)
class NoisePoint:
    """An oracle of one error rate on programs of one form."""

    part: str
    rate: float
    form: str
    plans: tuple[PlanCount, ...]


def ladder_points(paths: Iterable[Path]) -> list[LadderPoint]:
    """The points of all files or folders, straight before branching, checkpoints in the order of training."""
    found = []
    for path in paths:
        file = path / FILE if path.is_dir() else path
        rows = _json(file).get("checkpoints")
        if not isinstance(rows, dict):
            raise BadLadder(f"{file} holds no checkpoints. Give what `python -m benchmarks.model_ladder` wrote.")
        for name in sorted(rows, key=_trained_share):
            found += [_point(name, rows[name], form) for form in FORMS if _has(rows[name], form)]
    return found


def noise_points(path: Path | None) -> list[NoisePoint]:
    """The points of the oracle of known error rates, by rate; none without a file."""
    if path is None:
        return []
    cells: dict[tuple[str, float, str], list[PlanCount]] = {}
    for row in _json(path).get("plans", []):
        cells.setdefault((row["part"], row["rate"], row["form"]), []).append(_plans(row))
    return [NoisePoint(*key, plans=_ordered(plans)) for key, plans in sorted(cells.items(), key=lambda each: each[0])]


def _trained_share(name: str) -> float:
    """The share of the training after which a checkpoint was written; the last one has no number."""
    found = re.search(r"checkpoint-(\d*\.?\d+)$", name)
    return float(found[1]) if found else 1.0


def _has(row: dict[str, Any], form: str) -> bool:
    return any(each["form"] == form for each in row["survival"])


def _point(name: str, row: dict[str, Any], form: str) -> LadderPoint:
    traces = [each for each in row["survival"] if each["form"] == form]
    trained = [each for each in traces if each["swaps"] <= TRAINED] or traces
    frames = sum(each["frames"] for each in trained)
    action, state = (
        ErrorCount(sum(each[f"{what}_errors"] for each in trained), frames) for what in ("action", "state")
    )
    plans = [_plans(each) for each in row["plans"] if each["form"] == form]
    label = "1" if _trained_share(name) == 1.0 else f"{_trained_share(name):g}"
    return LadderPoint(
        f"{row['parameters'] / 1e6:.2f} M", label, form, action, state, _ordered(plans), tuple(map(_trace, traces))
    )


def _plans(row: dict[str, Any]) -> PlanCount:
    return PlanCount(row["distance"], row["first"], row["problems"])


def _ordered(plans: Sequence[PlanCount]) -> tuple[PlanCount, ...]:
    return tuple(sorted(plans, key=lambda each: each.distance))


def _trace(row: dict[str, Any]) -> TraceCount:
    errors = tuple(sorted(row["free_errors"].items()))
    return TraceCount(row["swaps"], row["programs"], row["free"], row["forced"], row["frames"], errors)


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise BadLadder(f"{path} cannot be read: {error}") from error
    return found if isinstance(found, dict) else {}
