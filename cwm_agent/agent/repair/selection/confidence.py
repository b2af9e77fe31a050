"""The chance that a patch is right: a logistic model of what is known at the end of a task.

The coefficients stand in `confidence.json`; `python -m benchmarks.patch_confidence` makes it from faulty programs with
hidden tests, and docs/repair.md shows how well it is calibrated on tasks that it was not fitted to.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cwm_agent.agent.repair.selection.second_look import Selection
from envs.editing.class_priors import is_likely

COEFFICIENTS = Path(__file__).with_name("confidence.json")
EVIDENCE = (
    "logprob",
    "class_rate",
    "edits",
    "characters",
    "odd_type",
    "copied_constant",
    "fitted_constant",
    "likely",
    "rivals",
    "margin",
    "tests",
    "failing",
    "executions",
    "candidates",
)
"""Names of what the model sees; counts as logarithms."""


def evidence_of(
    selection: Selection, marks: Sequence[bool | None], *, executions: int, candidates: int
) -> dict[str, float]:
    """What is known of a patch: its features, its rivals, its tests, and the effort until one passed.

    `marks` are those of the buggy program; `executions` the real ones until a candidate passed, `candidates` the
    programs imagined.
    """
    features = selection.program.features
    return {
        "logprob": features.logprob,
        "class_rate": features.class_rate,
        "edits": features.edits,
        "characters": math.log1p(features.characters),
        "odd_type": float(features.odd_type),
        "copied_constant": float(features.copied_constant),
        "fitted_constant": float(features.fitted_constant),
        "likely": float(is_likely(selection.program.candidate.state.patch)),
        "rivals": float(selection.rivals),
        "margin": selection.margin,
        "tests": math.log(len(marks)),
        "failing": math.log1p(sum(not mark for mark in marks)),
        "executions": math.log(executions),
        "candidates": math.log1p(candidates),
    }


@dataclass(frozen=True, slots=True)
class ConfidenceModel:
    """A logistic model over standardised evidence."""

    intercept: float
    weights: Mapping[str, float]
    means: Mapping[str, float]
    scales: Mapping[str, float]

    def chance(self, evidence: Mapping[str, float]) -> float:
        """The chance that a patch with this evidence is right."""
        parts = (
            weight * (evidence[name] - self.means[name]) / self.scales[name] for name, weight in self.weights.items()
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.intercept + sum(parts)))))


@cache
def shipped_confidence() -> ConfidenceModel:
    """The model whose coefficients are in the package."""
    row = json.loads(COEFFICIENTS.read_text(encoding="utf-8"))
    return ConfidenceModel(row["intercept"], row["weights"], row["means"], row["scales"])
