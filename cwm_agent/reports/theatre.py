"""An imagined run beside the real one, as data for the page: frames, who decided them, the first difference.

Episodes hold what was imagined. The real run is traced again in the sandbox when the report is made, and the page says
so; equal frames are not written twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cwm_agent.imagination.guides import BadGuide, Guide, parse_guide
from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.imagination.imagined_rollout import Rollout
from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.oracles.protocol import VIEWS, View
from cwm_agent.records.frame_deltas import BadFrames, frame_deltas, frames_of
from cwm_agent.verification.verifier import TraceComparison
from cwm_agent.verification.view_verification import compare_runs
from envs.execution.decompose.program import Program
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Frame, Outcome, Trace
from envs.execution.state.history_frames import History
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.tracer.history_recorder import Recorder
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import TraceLimits

LONGEST_REAL_RUN = 3_000
"""Steps after which the real run in a report is cut off."""
LONGEST_VALUE = 2_000
_MARKS: dict[str, Any] = {"m": "imagined", "g": "constrained", "r": "rule", "w": "given"}


@dataclass(slots=True)
class ReportRuns:
    """Traces calls for real, in a sandbox that is opened when first used; None where programs are not to be run."""

    sandbox: Sandbox | None = None
    allowed: bool = True
    problem: str = ""
    """Why nothing can be run."""
    traced: int = 0

    def real(self, view: View, program: Program, arguments: str, world: Mapping[str, Any]) -> Trace | History | None:
        """The real run of a call; None where it cannot be run."""
        if not self.allowed:
            return None
        try:
            sandbox = self._opened()
            limits = TraceLimits(steps=LONGEST_REAL_RUN)
            self.traced += 1
            if adapter_of(view).frame_type is Frame:
                return Reality(sandbox).trace(program, arguments, limits, world)
            return Recorder(sandbox).history(program, arguments, limits, world)
        except ExecutionError as error:
            if self.sandbox is None:  # there is no isolation here: the report is made without real runs
                self.allowed, self.problem = False, str(error)
            return None

    def _opened(self) -> Sandbox:
        if self.sandbox is None:
            self.sandbox = Sandbox()
        return self.sandbox

    def close(self) -> None:
        if self.sandbox is not None:
            self.sandbox.close()


@dataclass(frozen=True, slots=True)
class Scene:
    """One imagined run, read from an episode or taken from a verification."""

    program: Program
    rollout: Rollout | HistoryRollout
    real: Trace | History | None
    comparison: TraceComparison | None


@dataclass(slots=True)
class ScenePrograms:
    """The programs of a page, each written once."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    _numbers: dict[Program, int] = field(default_factory=dict)

    def number(self, program: Program) -> int:
        """The place of a program in the list."""
        if program not in self._numbers:
            self._numbers[program] = len(self.rows)
            temporaries = sorted(program.temporaries)
            row = {"lines": program.lines, "origin": list(program.origin), "level": program.level}
            self.rows.append({**row, "temporaries": temporaries})
        return self._numbers[program]


def view_of(settings: dict[str, Any]) -> tuple[View, Guide]:
    """The view and the guide of a run's settings; the usual ones where they are not known."""
    view = settings.get("view")
    known: View = view if view in VIEWS else "local"
    try:
        return known, parse_guide(str(settings.get("guide") or adapter_of(known).default_guide))
    except BadGuide:
        return known, parse_guide(adapter_of(known).default_guide)


def rollout_of(row: dict[str, Any]) -> Rollout | HistoryRollout:
    """The imagined run of a row of an episode; BadFrames where it cannot be read."""
    frames, marks, outcome = frames_of(row["frames"]), row["marks"], row["outcome"]
    if not frames or len(marks) != len(frames) or set(marks) - set(_MARKS):
        raise BadFrames("marks and frames do not belong together")
    ended = None if outcome is None else Outcome(outcome[0], str(outcome[1]))
    made: Any = Rollout if isinstance(frames[0], Frame) else HistoryRollout
    found: Rollout | HistoryRollout = made(
        tuple(frames), tuple(_MARKS[mark] for mark in marks), row["end"], ended, str(row["reason"])
    )
    return found


def scene(program: Program, rollout: Rollout | HistoryRollout, view: View, real: Trace | History | None) -> Scene:
    """A rollout with its comparison to the real run."""
    if real is None or not real.frames:
        return Scene(program, rollout, None, None)
    return Scene(program, rollout, real, compare_runs(view, program, rollout, real))


def scene_row(found: Scene, imagined: dict[str, Any], programs: ScenePrograms) -> dict[str, Any]:
    """A scene as JSON; `imagined` has the frames of the rollout as its episode has them."""
    row: dict[str, Any] = {"program": programs.number(found.program), "imagined": imagined}
    if found.real is None:
        return row
    real: dict[str, Any] = {"outcome": [found.real.outcome.ending, found.real.outcome.value[:LONGEST_VALUE]]}
    real["output"] = found.real.output[:LONGEST_VALUE]
    shared = _shared(found)
    real |= {"shared": shared, "frames": list(frame_deltas(found.real.frames))[shared:]}
    if shared and shared < len(found.real.frames):  # a patch from the last shared frame, which both runs have
        real["frames"] = list(frame_deltas(found.real.frames[shared - 1 :]))[1:]
    row["real"] = real
    comparison = found.comparison
    if comparison is not None and comparison.divergence is not None:
        each = comparison.divergence
        row["divergence"] = {"step": each.step, "kind": each.kind, "detail": each.detail[:LONGEST_VALUE]}
    row["complete"] = comparison is not None and comparison.complete
    return row


def _shared(found: Scene) -> int:
    """How many frames at the beginning are equal in both runs."""
    assert found.real is not None
    pairs = zip(found.rollout.frames, found.real.frames, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), _shorter(found))


def _shorter(found: Scene) -> int:
    assert found.real is not None
    return min(len(found.rollout.frames), len(found.real.frames))
