"""Measures the CPU time of a cached rollout step, with and without the step cache.

    python -m benchmarks.step_cache --tasks game-of-life tape-machine seat-booking --candidates 50 --json OUT

The first half of a task's one-edit candidates fills the answer cache, the second half is timed. This is the situation
of a search: new programs with mostly known questions. The time is CPU time of this process, without the time of the
exact oracle, which answers new questions. Both ways must give the same rollouts in the same order.
"""

import argparse
import json
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.imagination_parts.imagination_work import repair
from cwm_agent.imagination.rollout_loop import Rollout, RolloutLoop, RolloutSettings, RolloutStart
from cwm_agent.oracles.backends.exact import ExactOracle
from cwm_agent.oracles.protocol import Oracle, Prediction, Query
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality

TASKS = ("game-of-life", "tape-machine", "seat-booking")
STEPS = 400
"""Most steps of a rollout."""


class Plain:
    """A cached oracle without its step cache: the rollout loop finds cached answers, and no cached steps."""

    def __init__(self, cached: CachedOracle) -> None:
        self._inner = cached
        self.name = cached.name

    def cached(self, queries: Sequence[Query]) -> list[Prediction] | None:
        return self._inner.cached(queries)

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return self._inner.imagine(queries)


class Timed:
    """Measures the CPU time of the oracle inside."""

    def __init__(self, inner: Oracle) -> None:
        self._inner = inner
        self.name = inner.name
        self.seconds = 0.0

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        began = time.process_time()
        predictions = self._inner.imagine(queries)
        self.seconds += time.process_time() - began
        return predictions


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCacheRow:
    """Times of one task, with and without the step cache."""

    task: str
    rollouts: int
    steps: int
    remembered: float
    """Share of the timed questions whose answers were cached."""
    plain_us: float
    """Microseconds of CPU time per step without the step cache."""
    cached_us: float
    """Microseconds of CPU time per step with the step cache."""
    same: bool
    """Whether both ways gave the same rollouts in the same order."""


def measured(name: str, candidates: int, seed: int, sandbox: Sandbox) -> StepCacheRow:
    """The row of a task: its candidates, rolled out without and with the step cache."""
    starts = [replace(start, steps=STEPS) for start in repair(name, candidates, seed)]
    half = len(starts) // 2
    sides = []
    for without in (True, False):
        timed = Timed(ExactOracle(Reality(sandbox)))
        cached = CachedOracle(timed)
        oracle: Oracle = Plain(cached) if without else cached
        rolled_out(starts[:half], oracle)
        asked, hits, before, began = cached.asked, cached.hits, timed.seconds, time.process_time()
        found = rolled_out(starts[half:], oracle)
        seconds = time.process_time() - began - (timed.seconds - before)
        sides.append((found, seconds, (cached.hits - hits) / max(1, cached.asked - asked)))
    (plain, plain_seconds, share), (with_cache, cached_seconds, _) = sides
    steps = sum(rollout.steps for _, rollout in plain)
    return StepCacheRow(
        task=name,
        rollouts=len(plain),
        steps=steps,
        remembered=share,
        plain_us=plain_seconds / steps * 1e6,
        cached_us=cached_seconds / steps * 1e6,
        same=plain == with_cache,
    )


def rolled_out(starts: Sequence[RolloutStart], oracle: Oracle, *, width: int = 64) -> list[tuple[int, Rollout]]:
    """The rollouts with their numbers, in the order in which they end."""
    loop: RolloutLoop[int] = RolloutLoop(oracle, width)
    for number, start in enumerate(starts):
        loop.begin(number, start, RolloutSettings(whole=False, detects_non_termination=True))
    found: list[tuple[int, Rollout]] = []
    while len(loop):
        found += loop.advance()
    return found


def candidate_options(description: str | None) -> argparse.Namespace:
    """The options of a benchmark over one-edit candidates of repair tasks."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), help="repair tasks of the dev split")
    parser.add_argument("--candidates", type=int, default=50, help="one-edit candidates per task (default %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="seed of the candidates (default %(default)s)")
    parser.add_argument("--json", type=Path, help="where to write the rows")
    return parser.parse_args()


def main() -> None:
    options = candidate_options(__doc__)
    warnings.simplefilter("ignore", SyntaxWarning)  # of candidates such as `x is 1`
    rows = []
    with Sandbox() as sandbox:
        for name in options.tasks:
            row = measured(name, options.candidates, options.seed, sandbox)
            rows.append(asdict(row))
            times = f"{row.plain_us:5.1f} -> {row.cached_us:5.1f} us per step"
            print(f"{name:20} {row.steps:8,} steps  {row.remembered:6.1%} cached  {times}  same: {row.same}")
    if options.json:
        options.json.write_text(json.dumps({"seed": options.seed, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
