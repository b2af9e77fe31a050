"""Programs that draw, imagined beside real: distributions of outcomes, and the model's own distributions of draws.

    python -m benchmarks.chance --oracle exact [--programs 200] [--runs 100] [--seed 0] [--from 0] [--json OUT]
    python -m benchmarks.chance --merge PART PART ...     the table of several parts that --json wrote

Programs are those of `benchmarks/random_programs/chance_programs.py`. `total variation` is between the imagined and a
real sample, `between real` that of two real samples of the same size, which is what chance alone gives.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.random_programs.chance_programs import chance_arguments, chance_program
from cwm_agent.oracles.protocol import ScoresAnswers
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.verification.chance.chance_files import distribution_lines
from cwm_agent.verification.chance.chance_runs import ChanceCall, ChanceSettings, asked_draws, compare_calls
from cwm_agent.verification.chance.outcome_distributions import DistributionComparison, OutcomeCalibration, summary
from envs.execution.decompose.program import decomposed
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality
from tasks.output.terminal_text import print_line

Part = dict[str, Any]


def measured(oracle: str, seeds: Sequence[int], runs: int) -> Part:
    """The figures of some programs, one row a program, as JSON."""
    began = time.perf_counter()
    with Sandbox() as sandbox:
        reality = Reality(sandbox)
        asked = oracle_named(oracle, lambda: reality)
        calls = [ChanceCall(f"chance-{seed}", chance_program(seed), "f", chance_arguments(seed)) for seed in seeds]
        found = compare_calls(calls, CachedOracle(asked), reality, ChanceSettings(runs=runs))
        draws = _draws(calls, asked, reality) if isinstance(asked, ScoresAnswers) else []
        reality.close()
    return {
        "oracle": oracle,
        "runs": runs,
        "programs": [asdict(each) for each in found.found],
        "calibration": found.calibration.rows,
        "of_real": found.of_real.rows,
        "problems": list(found.problems),
        "draws": draws,
        "tokens": found.tokens,
        "seconds": time.perf_counter() - began,
    }


def _draws(calls: Sequence[ChanceCall], oracle: ScoresAnswers, reality: Reality) -> list[dict[str, Any]]:
    """The model's distribution of each draw of one real run a program."""
    found = []
    for call in calls:
        program = decomposed(call.source, call.entry)
        frames = reality.trace(program, call.arguments).frames
        found += [asdict(each) for each in asked_draws(frames, program, oracle)]
    return found


def merged(parts: Sequence[Part]) -> dict[str, Any]:
    """The summary of several parts of one measurement."""
    calibration, of_real = (_summed([part[name] for part in parts]) for name in ("calibration", "of_real"))
    found = [DistributionComparison(**row) for part in parts for row in part["programs"]]
    draws = [row for part in parts for row in part["draws"]]
    asked = (
        {name: sum(row[name] for row in draws) / len(draws) for name in ("total_variation", "mass")} if draws else {}
    )
    return {
        "oracle": parts[0]["oracle"],
        "runs": parts[0]["runs"],
        **summary(found, calibration),
        "calibration_error_of_real": of_real.error,
        "as_real": sum(each.excess < 0.1 for each in found),
        "problems": [problem for part in parts for problem in part["problems"]],
        "draws": {"count": len(draws), **asked},
        "tokens": sum(part["tokens"] for part in parts),
        "seconds": sum(part["seconds"] for part in parts),
    }


def _summed(tables: Sequence[list[list[float]]]) -> OutcomeCalibration:
    """The calibration of all parts together."""
    found = OutcomeCalibration()
    for table in tables:
        for row, more in zip(found.rows, table, strict=True):
            row[:] = [one + other for one, other in zip(row, more, strict=True)]
    return found


def show(figures: dict[str, Any]) -> None:
    """Print the figures."""
    for line in distribution_lines(figures):
        print_line(line)
    print_line(f"  excess below 0.1           {figures['as_real']} of {figures['programs']}")
    if figures["draws"]["count"]:
        draws = figures["draws"]
        print_line(
            f"  the model's own draws: {draws['count']}, total variation {draws['total_variation']:.3f}, "
            f"mass on possible values {draws['mass']:.3f}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    command.add_argument("--oracle", default="exact", help="exact, embedded, or any other oracle by its name")
    command.add_argument("--programs", type=int, default=200, help="how many programs (default 200)")
    command.add_argument("--runs", type=int, default=ChanceSettings().runs, help="imagined runs of each program")
    command.add_argument("--seed", type=int, default=0, help="of the programs (default 0)")
    command.add_argument("--from", type=int, default=0, dest="first", help="the first program, to measure in parts")
    command.add_argument("--json", type=Path, help="write the rows to a file")
    command.add_argument("--merge", type=Path, nargs="+", help="show the table of parts that --json wrote")
    options = command.parse_args(arguments)
    if options.programs < 1 or options.runs < 2:
        command.error("--programs must be at least 1, and --runs at least 2.")
    if options.merge:
        show(merged([json.loads(path.read_text()) for path in options.merge]))
        return 0
    first = 10_000 * options.seed + options.first
    part = measured(options.oracle, range(first, first + options.programs), options.runs)
    if options.json:
        options.json.write_text(json.dumps(part) + "\n")
    show(merged([part]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
