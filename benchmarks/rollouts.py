"""How fast are exact rollouts, and does memory stay level? 1,000 rollouts of 1,000 steps.

    python -m benchmarks.rollouts [--rollouts 1000] [--steps 1000] [--json OUT]

Each rollout is the same loop with a branch on other arguments, and ends as returned; the lines are run by Python in the
sandbox. `width` rollouts are under way at a time, and the resident memory of this process is read after every tenth of
them; it is level when the last reading is about the first.
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

_STEPS_A_ROUND = 5.03
"""Of the loop below, on average."""


def starts(rollouts: int, steps: int) -> Iterator[RolloutStart]:
    """The same program on other arguments, of about so many steps."""
    body = "        if a > b:\n            a = a - 7\n        else:\n            b = b - 5\n        a = a + 1\n"
    source = f"def f(a, b):\n    for i in range({round(steps / _STEPS_A_ROUND)}):\n{body}    return a\n"
    program = decomposed(source, "f")
    for number in range(rollouts):
        frame = first_frame(program, f"{number}, {number // 2}")
        assert isinstance(frame, Frame)
        yield RolloutStart(program, frame)


def resident_mib() -> float:
    """Memory of this process that is in use."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("The system does not say how much memory a process uses.")


def measured(oracle: Oracle, rollouts: int, steps: int, width: int) -> dict[str, Any]:
    """Rollouts a second, steps a second, and memory on the way."""
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
    parser.add_argument("--steps", type=int, default=1_000, help="of each rollout, about")
    parser.add_argument("--width", type=int, default=100, help="rollouts under way at a time")
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
