"""Verification in any view: one function for task files, one that compares a rollout with its real run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from cwm_agent import defaults
from cwm_agent.imagination.view_adapters import FrameType, Level, adapter_of
from cwm_agent.jobs.placement import HERE, Placement
from cwm_agent.oracles.protocol import MarkovView, View
from cwm_agent.verification.history_comparison import compare_histories
from cwm_agent.verification.history_files import verify_histories
from cwm_agent.verification.rollout_tally import Observer
from cwm_agent.verification.task_files import Figures, Programs, Rows, verify_file
from cwm_agent.verification.verifier import TraceComparison, compare
from envs.execution.state.frames import Frame
from envs.execution.state.history_frames import HistoryFrame


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """Settings for the verification of task files."""

    oracle: str = defaults.ORACLE
    view: View = defaults.VIEW
    guides: Sequence[str] = ()
    """Empty for the default guides of the view."""
    level: Level = defaults.LEVEL
    """For views that take a level."""
    limit: int | None = None
    """Most programs of each file."""
    steps: int = defaults.ROLLOUT_STEPS
    rows: Rows = "all"
    programs: Programs = "buggy"
    """For views whose queries show one frame, as `show_wrong`."""
    show_wrong: int = 0
    observer: Observer | None = None
    """Called with each rollout that is compared: a report keeps them."""
    placement: Placement = HERE
    """Where programs are verified."""


def verify_tasks(path: str | Path, settings: VerifySettings) -> list[Figures]:
    """Return the figures of one task file, one entry for each guide."""
    adapter = adapter_of(settings.view)
    return _VERIFY[adapter.frame_type](path, settings, tuple(settings.guides) or adapter.default_guides)


def compare_runs(view: View, program: Any, rollout: Any, real: Any) -> TraceComparison:
    """Return the comparison of a rollout with the real run, in any view."""
    return _COMPARE[adapter_of(view).frame_type](program, rollout, real)


def _verify_steps(path: str | Path, settings: VerifySettings, guides: tuple[str, ...]) -> list[Figures]:
    return verify_file(
        path,
        oracle=settings.oracle,
        view=cast(MarkovView, settings.view),
        guides=guides,
        limit=settings.limit,
        steps=settings.steps,
        rows=settings.rows,
        programs=settings.programs,
        show_wrong=settings.show_wrong,
        observer=settings.observer,
        placement=settings.placement,
    )


def _verify_histories(path: str | Path, settings: VerifySettings, guides: tuple[str, ...]) -> list[Figures]:
    return verify_histories(
        path,
        oracle=settings.oracle,
        guides=guides,
        level=settings.level,
        limit=settings.limit,
        steps=settings.steps,
        rows=settings.rows,
        observer=settings.observer,
        placement=settings.placement,
    )


_VERIFY: dict[FrameType, Callable[[str | Path, VerifySettings, tuple[str, ...]], list[Figures]]] = {
    Frame: _verify_steps,
    HistoryFrame: _verify_histories,
}
_COMPARE: dict[FrameType, Callable[[Any, Any, Any], TraceComparison]] = {
    Frame: compare,
    HistoryFrame: compare_histories,
}
