"""The CPU time of a cached step of a rollout, with the step cache and without.

    python -m benchmarks.step_cache --tasks game-of-life tape-machine seat-booking --candidates 50 --json OUT

One half of a task's one-edit candidates fills the cache, the other half is timed, as a search meets candidates: new
programs, and questions most of which were asked before. CPU time of this process; Python answers, in a sandbox, and its
time is taken off. The rollouts are compared too: they must be the same, in the same order.
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
"""Of one rollout."""


class Plain:
    """A cached oracle that does not declare its step cache."""

    def __init__(self, cached: CachedOracle) -> None:
        self._inner = cached
        self.name = cached.name

    def cached(self, queries: Sequence[Query]) -> list[Prediction] | None:
        return self._inner.cached(queries)

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return self._inner.imagine(queries)


class Timed:
    """Passes everything on and keeps the CPU time that took."""

    def __init__(self, inner: Oracle) -> None:
        self._inner = inner
        self.name = inner.name
        self.seconds = 0.0

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        began = time.process_time()
        predictions = self._inner.imagine(queries)
        self.seconds += time.process_time() - began
        return predictions


@dataclass(frozen=True, slots=True)
class StepCacheRow:
    """One task, timed both ways."""

    task: str
    rollouts: int
    steps: int
    hit_rate: float
    """Share of the timed questions that the cache answered."""
    plain_us: float
    """Microseconds of CPU a step where every frame is rendered."""
    step_cache_us: float
    same: bool
    """Whether both ways gave the same rollouts in the same order."""


def measured(name: str, candidates: int, seed: int, sandbox: Sandbox) -> StepCacheRow:
    """A task's candidates, rolled out both ways."""
    begun = [replace(start, steps=STEPS) for start in repair(name, candidates, seed)]
    half = len(begun) // 2
    sides = []
    for hides in (True, False):
        timed = Timed(ExactOracle(Reality(sandbox)))
        cached = CachedOracle(timed)
        oracle: Oracle = Plain(cached) if hides else cached
        rolled_out(begun[:half], oracle)
        asked, hits, elsewhere, began = cached.asked, cached.hits, timed.seconds, time.process_time()
        found = rolled_out(begun[half:], oracle)
        seconds = time.process_time() - began - (timed.seconds - elsewhere)
        sides.append((found, seconds, (cached.hits - hits) / max(1, cached.asked - asked)))
    (plain, slow, share), (swift, fast, _) = sides
    steps = sum(rollout.steps for _, rollout in plain)
    return StepCacheRow(name, len(plain), steps, share, slow / steps * 1e6, fast / steps * 1e6, plain == swift)


def rolled_out(begun: Sequence[RolloutStart], oracle: Oracle, *, width: int = 64) -> list[tuple[int, Rollout]]:
    """The rollouts with their numbers, in the order in which they end."""
    imagining: RolloutLoop[int] = RolloutLoop(oracle, width)
    for number, start in enumerate(begun):
        imagining.begin(number, start, RolloutSettings(whole=False, endless=True))
    found: list[tuple[int, Rollout]] = []
    while len(imagining):
        found += imagining.advance()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), help="repair tasks of the dev split")
    parser.add_argument("--candidates", type=int, default=50, help="one-edit candidates a task (default %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="draws the candidates (default %(default)s)")
    parser.add_argument("--json", type=Path, help="where to write the rows")
    options = parser.parse_args()
    warnings.simplefilter("ignore", SyntaxWarning)  # of candidates such as `x is 1`
    rows = []
    with Sandbox() as sandbox:
        for name in options.tasks:
            row = measured(name, options.candidates, options.seed, sandbox)
            rows.append(asdict(row))
            times = f"{row.plain_us:5.1f} -> {row.step_cache_us:5.1f} us a step"
            print(f"{name:20} {row.steps:8,} steps  {row.hit_rate:6.1%} cached  {times}  same: {row.same}")
    if options.json:
        options.json.write_text(json.dumps({"seed": options.seed, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
