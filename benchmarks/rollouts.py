"""Measures speed and memory of exact rollouts: 1,000 rollouts of 1,000 steps.

    python -m benchmarks.rollouts [--rollouts 1000] [--steps 1000] [--json OUT]

Each rollout is the same loop with a branch, with other arguments, and ends with a return; Python executes the lines in
the sandbox. `width` rollouts are active at a time. The resident memory of this process is read after each tenth of the
rollouts; it should not grow.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cwm_agent.imagination.rollout_loop import RolloutSettings, RolloutStart, imagine_each
from cwm_agent.oracles.backends.exact import ExactOracle
from cwm_agent.oracles.protocol import Oracle
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from envs.execution.decompose.program import decomposed
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Frame
from envs.execution.stepper.first_frame import first_frame
from envs.execution.tracer.reality import Reality

_STEPS_PER_ROUND = 5.03
"""Mean steps per round of the loop below."""


def starts(rollouts: int, steps: int) -> Iterator[RolloutStart]:
    """Starts of one program with different arguments, of about `steps` steps each."""
    body = "        if a > b:\n            a = a - 7\n        else:\n            b = b - 5\n        a = a + 1\n"
    source = f"def f(a, b):\n    for i in range({round(steps / _STEPS_PER_ROUND)}):\n{body}    return a\n"
    program = decomposed(source, "f")
    for number in range(rollouts):
        frame = first_frame(program, f"{number}, {number // 2}")
        assert isinstance(frame, Frame)
        yield RolloutStart(program, frame)


def resident_mib() -> float:
    """Resident memory of this process in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("/proc/self/status has no line VmRSS; this benchmark needs Linux.")


def measured(oracle: Oracle, rollouts: int, steps: int, width: int) -> dict[str, Any]:
    """Time, steps per second, and memory after each tenth of the rollouts."""
    began, taken, readings = time.perf_counter(), 0, []
    wanted = ((start, RolloutSettings(steps=2 * steps)) for start in starts(rollouts, steps))
    for done, (_, rollout) in enumerate(imagine_each(wanted, oracle, width=width), start=1):
        assert rollout.end == "outcome", rollout.reason
        taken += len(rollout.frames)
        if done % max(1, rollouts // 10) == 0:
            readings.append(round(resident_mib(), 1))
    seconds = time.perf_counter() - began
    return {
        "rollouts": rollouts,
        "steps": taken,
        "steps_a_second": taken / seconds,
        "seconds": seconds,
        "width": width,
        "resident_mib": readings,
    }


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.rollouts", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--rollouts", type=int, default=1_000)
    parser.add_argument("--steps", type=int, default=1_000, help="approximate steps of each rollout")
    parser.add_argument("--width", type=int, default=100, help="rollouts active at a time")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args()
    found: dict[str, Any] = {}
    with Sandbox() as sandbox:
        for name in ("exact", "exact, remembered"):
            reality = Reality(sandbox)
            oracle: Oracle = ExactOracle(reality)
            if name != "exact":
                oracle = CachedOracle(oracle)
            found[name] = measured(oracle, options.rollouts, options.steps, options.width)
            reality.close()
            print(f"{name}: {found[name]}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
