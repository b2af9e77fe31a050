"""Synthesised models by number of trajectories and of faults: how right they are, and how planning in them plays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.settings import Settings
from cwm_agent.synthesis.synthesis_run import SynthesisOrder, run_synthesis
from envs.execution.sandbox.sandbox import Sandbox

REPAIRS: dict[str, Settings] = {
    "climb": Settings(planner="baseline:climb", oracle="none", policy="none", budget=Budget(300)),
    "agent": Settings(budget=Budget(50, seconds=60.0)),
}
"""What repairs a draft: real runs alone, so that many drafts can be measured, or the agent as it ships."""


def synthesis_row(game: str, trajectories: int, faults: int, seed: int, *, repair: str, matches: int) -> dict[str, Any]:
    """Return the figures of one draft; no faults mean that the body of `step` is missing."""
    missing = "" if faults else "step"
    order = SynthesisOrder(game, trajectories, faults, missing, matches=matches, simulations=60, seed=seed)
    settings = replace(REPAIRS[repair], seed=seed)
    with Sandbox() as sandbox:
        report = run_synthesis(order, settings, sandbox)
    return {
        "game": game,
        "trajectories": trajectories,
        "faults": faults or "missing step",
        "seed": seed,
        "draft": report.before.whole,
        "model": report.after.whole,
        "reached": report.played.on_reached.whole,
        "complete": all(rule.failed == 0 for rule in report.rules),
        "in_model": report.played.model_score,
        "in_game": report.played.real_score,
        "executions": sum(rule.executions for rule in report.rules),
    }
