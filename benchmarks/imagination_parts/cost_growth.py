"""How the cost of an imagined step grows with the length of the run and of the program: CPU time, one rollout alone."""

import time
from collections.abc import Sequence
from random import Random
from typing import Any

from benchmarks.imagination_parts.imagination_work import loops
from cwm_agent.engine import weights
from cwm_agent.engine.engine import Engine
from cwm_agent.imagination.rollout_loop import RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.backends.embedded import EmbeddedOracle
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from envs.execution.decompose.program import decomposed
from envs.execution.state.frames import Frame
from envs.execution.stepper.first_frame import first_frame

NAMES = "abcde"
"""Variables of the programs: few, so that frames do not grow with the program."""


def written(lines: int, seed: int) -> str:
    """A program of so many lines, each of which is run once and adds to a variable."""
    rng = Random(seed)
    body = [f"    {rng.choice(NAMES)} = {rng.choice(NAMES)} + {rng.randrange(1, 90)}" for _ in range(lines - 2)]
    return "\n".join([f"def f({', '.join(NAMES)}):", *body, "    return a\n"])


def growth(
    model: weights.TrainedModel, device: str, *, steps: Sequence[int], lines: Sequence[int], seed: int
) -> dict[str, Any]:
    """Milliseconds per step by steps of the run and by lines of the program, and what preparing the program takes."""
    engine = Engine(model, device=device)
    _rolled(engine, next(iter(loops(1, 10))), 10)  # the first questions of everything are slow
    by_steps = [{"steps": count, **_rolled(engine, next(iter(loops(1, count))), count)} for count in steps]
    return {"by_steps": by_steps, "by_lines": [_of_program(engine, count, seed) for count in lines]}


def _of_program(engine: Engine, lines: int, seed: int) -> dict[str, Any]:
    began = time.process_time()
    program = decomposed(written(lines, seed), "f")
    frame = first_frame(program, "1, 2, 3, 4, 5")
    prepared = time.process_time() - began
    assert isinstance(frame, Frame)
    return {"lines": lines, "ms_prepared": 1_000 * prepared, **_rolled(engine, RolloutStart(program, frame), 2 * lines)}


def _rolled(engine: Engine, start: RolloutStart, steps: int) -> dict[str, Any]:
    """One rollout with an empty answer cache."""
    began = time.process_time()
    [found] = imagine([start], CachedOracle(EmbeddedOracle(engine)), RolloutSettings(steps=steps))
    spent, taken = time.process_time() - began, len(found.frames) - 1
    return {"taken": taken, "end": found.end, "ms_a_step": 1_000 * spent / max(1, taken)}
