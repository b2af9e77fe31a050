"""The curve behind the ladder of models: an oracle of known error rates plans the problems of `model_ladder`.

    python -m benchmarks.ladder_noise --rates 0.03,0.1,0.3 --out noise.json

The oracle computes each frame from the last imagined one and errs at a rate per frame, in actions or in states, always
in the same way at the same question, as a model that decodes greedily does; its errors drift on. Each problem has an
oracle of its own, so that a few wrong answers do not decide all problems of a cell. Counts go to a JSON file; the same
command continues it. Runs no model.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.ladder_parts.drifting_oracle import DriftingOracle
from benchmarks.model_ladder import planned
from cwm_agent.oracles.backends.replay import NoisyReplay
from cwm_agent.oracles.history_protocol import HistoryOracle
from cwm_agent.oracles.wrappers.noise import Rates
from cwm_agent.studies.workbench import Workbench
from tasks.output.atomic_file import write_file

PARTS = ("action", "state")


class DriftingBench(Workbench):
    """A workbench whose history oracle errs at known rates, and whose errors drift on."""

    def __init__(self, rates: Rates, seed: int) -> None:
        super().__init__(f"noisy:systematic:action={rates.action:g},state={rates.state:g},seed={seed}", seed)
        self._rates, self._opened = rates, 0

    @property
    def history_oracle(self) -> HistoryOracle:
        """An oracle with errors at other questions than those before."""
        self._opened += 1
        return NoisyReplay(DriftingOracle(), self._rates, "systematic", 1_000_000 * self.seed + self._opened)


def parser() -> argparse.ArgumentParser:
    """The options of this command."""
    assert __doc__ is not None
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = made.add_argument
    add("--rates", default="0.003,0.01,0.03,0.1,0.2,0.3,0.5", help="of errors per frame (default: %(default)s)")
    add("--parts", default=",".join(PARTS), help="where the errors are (default: %(default)s)")
    add("--distances", default="1,2,3,4,6,8", help="commands to the goal of a plan (default: %(default)s)")
    add("--problems", type=int, default=20, help="plans of each distance (default: %(default)s)")
    add("--seed", type=int, default=0)
    add("--seconds", type=float, default=420.0, help="after which no cell is begun (default: %(default)g)")
    add("--out", type=Path, required=True, help="where the counts go, as JSON")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the missing cells, and write after each."""
    options = parser().parse_args(arguments)
    until = time.monotonic() + options.seconds
    found: list[dict[str, Any]] = json.loads(options.out.read_text())["plans"] if options.out.exists() else []
    known = {_key(each) for each in found}
    for cell in _cells(options):
        if _key(cell) in known or time.monotonic() > until:
            continue
        with DriftingBench(Rates(**{cell["part"]: cell["rate"]}), options.seed) as bench:
            counts = planned(bench, cell["form"], cell["distance"], options.problems, until=until)
        if counts is None:
            break
        found.append({**cell, **counts})
        result = {"options": {key: str(value) for key, value in vars(options).items()}, "plans": found}
        write_file(options.out, json.dumps(result, indent=1) + "\n")
    cells, measured = _cells(options), {_key(each) for each in found}
    print(f"{sum(_key(cell) in measured for cell in cells)} of {len(cells)} cells are in {options.out}")
    return 0


def _cells(options: argparse.Namespace) -> list[dict[str, Any]]:
    return [
        {"part": part, "rate": float(rate), "form": form, "distance": int(distance)}
        for rate in options.rates.split(",")
        for part in options.parts.split(",")
        for form in ("straight", "branching")
        for distance in options.distances.split(",")
    ]


def _key(cell: dict[str, Any]) -> tuple[Any, ...]:
    return cell["part"], cell["rate"], cell["form"], cell["distance"]


if __name__ == "__main__":
    sys.exit(main())
