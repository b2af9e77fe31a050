"""Imagined against real as data for the page: observations for survival curves and error kinds, and calibration."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.episodes.episode_details import rollout_row
from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.imagination.rollout_loop import Rollout
from cwm_agent.reports.html_file import ReportData
from cwm_agent.reports.theatre import Scene, ScenePrograms, scene_row
from cwm_agent.verification.history_files import HistoryCase
from cwm_agent.verification.statistics.calibration import EDGES
from cwm_agent.verification.step_accuracy import Case
from cwm_agent.verification.verifier import TraceComparison
from tasks.task import CallTest

MOST_SCENES = 200
"""Programs of a verification that can be stepped through; wrong ones come first."""
MOST_NAMES = 40
"""Names behind one point of a figure."""


@dataclass(slots=True)
class BeliefCounts:
    """Confidence and correctness of beliefs, in bins, with the tasks behind each."""

    bins: list[list[tuple[float, bool, int]]] = field(default_factory=lambda: [[] for _ in EDGES])

    def add_one(self, confidence: float, right: bool, task: int) -> None:
        self.bins[bisect_right(EDGES, min(max(confidence, 0.0), 1.0)) - 1].append((confidence, right, task))

    def add(self, number: int, episode: Episode) -> None:
        """Count the beliefs about all candidates of a task that were run."""
        extra = episode.details.get("runs")
        for run, more in zip(episode.runs, extra if isinstance(extra, list) else (), strict=False):
            answer = more.get("imagined") if isinstance(more, dict) else None
            for belief, mark, told in zip(
                run.beliefs, run.marks, answer if isinstance(answer, list) else (), strict=False
            ):
                if belief is not None and mark is not None and _is_told(told):
                    self.add_one(float(told[1]), belief == mark, number)

    @property
    def count(self) -> int:
        return sum(map(len, self.bins))

    def rows(self) -> list[dict[str, Any]]:
        """The bins that hold anything: confidence, share right, count, and the tasks with a wrong one."""
        return [
            {
                "from": low,
                "count": len(each),
                "confidence": sum(one[0] for one in each) / len(each),
                "right": sum(one[1] for one in each) / len(each),
                "tasks": sorted({one[2] for one in each if not one[1]})[:MOST_NAMES],
            }
            for low, each in zip(EDGES, self.bins, strict=True)
            if each
        ]


def _is_told(value: object) -> bool:
    """Whether a value is an imagined result with its confidence."""
    return isinstance(value, list) and len(value) == 2 and isinstance(value[1], float | int)


def comparisons_of(number: int, page: dict[str, Any]) -> list[dict[str, Any]]:
    """The compared scenes of a task's page as observations."""
    found = []
    for at, each in enumerate((page.get("theatre") or {}).get("scenes", ())):
        if "real" in each:
            wrong = each.get("divergence")
            steps = len(each["imagined"]["marks"]) - 1
            row: dict[str, Any] = {"task": number, "scene": at, "name": page["id"]}
            depth = max(0, wrong["step"] - 1) if wrong else steps
            found.append({**row, "depth": depth, "kind": wrong["kind"] if wrong else None, "length": steps})
    return found


@dataclass(slots=True)
class VerificationRecord:
    """Takes the rollouts of a verification as they are compared; its report has figures and a theatre."""

    observations: list[dict[str, Any]] = field(default_factory=list)
    _pages: list[dict[str, Any]] = field(default_factory=list)
    _counts: BeliefCounts = field(default_factory=BeliefCounts)
    _right: int = 0

    def take(
        self, guide: str, case: Case | HistoryCase, rollout: Rollout | HistoryRollout, comparison: TraceComparison
    ) -> None:
        """Note one rollout; `guide` names the curve that it belongs to."""
        wrong = comparison.divergence
        number: int | None = None
        if len(self._pages) < MOST_SCENES and (wrong is not None or self._right < MOST_SCENES // 4):
            number = len(self._pages)
            self._right += wrong is None
            self._pages.append(_page(f"{case.id} · {guide}", case, rollout, comparison))
        self.observations.append(
            {
                "curve": guide,
                "task": number,
                "scene": 0,
                "name": case.id,
                "depth": comparison.depth,
                "kind": wrong.kind if wrong else None,
                "length": len(case.real) - 1 if case.real else 0,
            }
        )
        if rollout.end == "outcome" and number is not None and rollout.logprob:
            self._counts.add_one(math.exp(min(rollout.logprob, 0.0)), comparison.same_outcome, number)

    def report(self, title: str, figures: list[dict[str, Any]]) -> ReportData:
        """The report of the verification; `figures` are those that `verify` prints."""
        tasks = [{"id": page["id"], "status": page["status"]} for page in self._pages]
        found: dict[str, Any] = {
            "title": title,
            "observations": self.observations,
            "figures": [_shown(each) for each in figures],
        }
        found["calibration"] = self._counts.rows()
        found["calibrated"] = "outcomes of imagined calls"
        index = {"title": title, "verification": [found], "scenes": tasks}
        return ReportData(index, self._pages)


def _page(
    name: str, case: Case | HistoryCase, rollout: Rollout | HistoryRollout, comparison: TraceComparison
) -> dict[str, Any]:
    assert case.program is not None
    programs = ScenePrograms()
    row = scene_row(Scene(case.program, rollout, case.real, comparison), rollout_row(rollout), programs)
    status = "right" if comparison.complete else "wrong" if comparison.divergence else "censored"
    made = case.test if isinstance(case, Case) else None
    given = made.arguments if isinstance(made, CallTest) else ""
    test = {"text": f"{case.program.entry}({given})", "expected": made.expected} if made else None
    return {
        "id": name,
        "status": status,
        "tests": [test] if test else [],
        "theatre": {
            "programs": programs.rows,
            "scenes": [{"test": 0 if test else None, "patch": [], "run": None, **row}],
        },
    }


def _shown(figures: dict[str, Any]) -> dict[str, Any]:
    """The figures of one guide that the page shows."""
    names = ("file", "oracle", "view", "guide", "programs", "attempted", "output_exact", "trace_exact", "step_exact")
    more = ("by_rule", "d50", "d90", "kinds", "tokens", "seconds", "step_exact_by_type", "calibration")
    return {name: figures[name] for name in (*names, *more) if name in figures}
