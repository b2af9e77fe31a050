"""Rolls out programs under one guide in one view and compares them with their real runs, one row per program.

In the program view a deterministic oracle first answers the questions of the real runs, in full batches. A rollout that
follows the real run then finds its answers cached, and only rollouts that diverged ask step by step. After a malformed
answer the rest of that run is not asked ahead.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.oracles.protocol import Answer, Oracle, View, is_deterministic
from cwm_agent.studies.study_protocol import Row
from cwm_agent.verification.step_accuracy import Case, step_queries
from cwm_agent.verification.verifier import TraceComparison
from cwm_agent.verification.view_verification import compare_runs
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Trace

SLACK = 10
"""Steps that a rollout may take beyond the length of the real run."""
FIRST_AHEAD = 8
"""Steps of a run in the first batch; the number doubles with each batch."""


def measured_rows(runs: Sequence[tuple[Program, Any]], oracle: Any, view: View, guide: str) -> list[Row]:
    """One row per program; real runs and oracle are of the view's kind."""
    adapter, chosen = adapter_of(view), parse_guide(guide)
    if adapter.asks_single_steps and is_deterministic(oracle) and (view == "program" or chosen.asks_line):
        _ask_ahead(runs, oracle)
    rows = []
    rollouts = adapter.imagine_runs(runs, oracle, chosen, SLACK)
    for number, ((program, real), rollout) in enumerate(zip(runs, rollouts, strict=True)):
        found = compare_runs(view, program, rollout, real)
        rows.append(_row(number, len(real.frames) - 1, found, end=rollout.end, tokens=rollout.tokens))
    return rows


def _ask_ahead(runs: Sequence[tuple[Program, Trace]], oracle: Oracle) -> None:
    """Fill the cache of a deterministic oracle with its answers on the real runs, up to the first malformed one."""
    going = [step_queries([Case("", program, real)], "program") for program, real in runs]
    ahead = FIRST_AHEAD
    while going:
        batches = [[query for _, query, _, _ in islice(steps, ahead) if query is not None] for steps in going]
        predictions = iter(oracle.imagine([query for queries in batches for query in queries]))
        answers = [[next(predictions).said for _ in queries] for queries in batches]
        going = [
            steps
            for steps, each in zip(going, answers, strict=True)
            if each and all(isinstance(one, Answer) for one in each)
        ]
        ahead *= 2


def _row(number: int, steps: int, found: TraceComparison, *, end: str, tokens: int) -> Row:
    kind = found.divergence.kind if found.divergence else None
    detail = found.divergence.detail if found.divergence else ""
    row = {"program": number, "steps": steps, "depth": found.depth, "kind": kind, "detail": detail[:120]}
    return row | {"complete": found.complete, "final": found.same_outcome, "end": end, "tokens": tokens}
