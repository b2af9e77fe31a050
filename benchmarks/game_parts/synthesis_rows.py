"""Synthesised models by number of trajectories and of faults: how right they are, and how planning in them plays."""

from __future__ import annotations

from typing import Any

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.settings import Settings
from cwm_agent.synthesis.synthesis_run import SynthesisOrder, run_synthesis
from envs.execution.sandbox.sandbox import Sandbox

FAST = {"planner": "baseline:climb", "oracle": "none", "policy": "none"}
"""Repairs by real runs alone, so that many drafts can be measured."""


def synthesis_row(game: str, trajectories: int, faults: int, seed: int) -> dict[str, Any]:
    """Return the figures of one draft; no faults mean that the body of `step` is missing."""
    missing = "" if faults else "step"
    order = SynthesisOrder(game, trajectories, faults, missing, matches=6, simulations=60, seed=seed)
    settings = Settings(**FAST, budget=Budget(300), seed=seed)  # type: ignore[arg-type]
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
