"""Programs rolled out under one guide in one view, with one row of results each: shared by several studies.

The program view is asked about the steps of the real runs first, in full batches: a deterministic oracle then says the
same again as long as a rollout stays with reality, and only rollouts that left it are asked step by step. Where it no
longer says anything that can be read, the rest of that run is not asked about.
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
"""Steps that a rollout may take beyond the real run before it is cut off."""
FIRST_AHEAD = 8
"""Steps of a run that are asked about at once, to begin with; then twice as many each time."""


def measured_rows(runs: Sequence[tuple[Program, Any]], oracle: Any, view: View, guide: str) -> list[Row]:
    """A row for each program; real runs and oracle are of the view's kind."""
    adapter, chosen = adapter_of(view), parse_guide(guide)
    if adapter.asks_single_steps and is_deterministic(oracle) and (view == "program" or chosen.asks_line):
        _read_ahead(runs, oracle)
    rows = []
    rollouts = adapter.imagine_runs(runs, oracle, chosen, SLACK)
    for number, ((program, real), rollout) in enumerate(zip(runs, rollouts, strict=True)):
        found = compare_runs(view, program, rollout, real)
        rows.append(_row(number, len(real.frames) - 1, found, rollout.end, rollout.tokens))
    return rows


def _read_ahead(runs: Sequence[tuple[Program, Trace]], oracle: Oracle) -> None:
    """Have a deterministic oracle say what it says of the real steps, of each run as far as it can be read."""
    going = [step_queries([Case("", program, real)], "program") for program, real in runs]
    ahead = FIRST_AHEAD
    while going:
        asked = [[query for _, query, _, _ in islice(steps, ahead) if query is not None] for steps in going]
        said = iter(oracle.imagine([query for queries in asked for query in queries]))
        answers = [[next(said).said for _ in queries] for queries in asked]
        going = [
            steps
            for steps, each in zip(going, answers, strict=True)
            if each and all(isinstance(one, Answer) for one in each)
        ]
        ahead *= 2


def _row(number: int, steps: int, found: TraceComparison, end: str, tokens: int) -> Row:
    kind = found.divergence.kind if found.divergence else None
    detail = found.divergence.detail if found.divergence else ""
    row = {"program": number, "steps": steps, "depth": found.depth, "kind": kind, "detail": detail[:120]}
    return row | {"complete": found.complete, "final": found.same_outcome, "end": end, "tokens": tokens}
