"""Measures steps a second through the exact oracle, which answers from processes of the sandbox.

    python -m benchmarks.exact_oracle --candidates 50 --json OUT

The one-edit candidates of some repair tasks are rolled out together, with an answer cache as in a search (all of them)
and without one (the first `--candidates`), which asks about every line. Each program has a process of its own.
"""

import json
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from benchmarks.imagination_parts.imagination_work import repair
from benchmarks.step_cache import STEPS, candidate_options, rolled_out
from cwm_agent.imagination.rollout_loop import RolloutStart
from cwm_agent.oracles.backends.exact import ExactOracle
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactOracleRow:
    """Speed of one task's candidates."""

    task: str
    cached: bool
    rollouts: int
    steps: int
    seconds: float
    """On the wall."""


def measured(name: str, starts: Sequence[RolloutStart], sandbox: Sandbox, *, cached: bool) -> ExactOracleRow:
    """The row of some candidates of one task."""
    reality = Reality(sandbox)
    oracle = ExactOracle(reality)
    began = time.perf_counter()
    found = rolled_out(starts, CachedOracle(oracle) if cached else oracle)
    seconds = time.perf_counter() - began
    reality.close()
    steps = sum(rollout.steps for _, rollout in found)
    return ExactOracleRow(task=name, cached=cached, rollouts=len(found), steps=steps, seconds=seconds)


def main() -> None:
    options = candidate_options(__doc__)
    warnings.simplefilter("ignore", SyntaxWarning)  # of candidates such as `x is 1`
    rows = []
    with Sandbox() as sandbox:
        for name in options.tasks:
            starts = [replace(start, steps=STEPS) for start in repair(name, options.candidates, options.seed)]
            for cached in (True, False):
                row = measured(name, starts if cached else starts[: options.candidates], sandbox, cached=cached)
                rows.append(asdict(row))
                way = "with cache" if cached else "without"
                print(
                    f"{name:20} {way:10} {row.steps:8,} steps in {row.seconds:5.1f} s, {row.steps / row.seconds:,.0f}/s"
                )
    if options.json:
        options.json.write_text(json.dumps({"seed": options.seed, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
