"""Measures the speed of the embedded model against plain `generate`, and whether batches change its answers.

    python -m benchmarks.imagination [--only speed,start,batches,...] [--quick] [--device cuda] [--json OUT]

    speed     imagined steps per second: 64 calls of the shipped tasks without a cache, then the candidates of a repair
              with an empty cache at the start, against single steps by `generate` of transformers (program view)
    start     seconds from the start of a process to its first prediction
    batches   share of questions with the same answer alone and in batches
    precision share of 20,000 held-out questions with the same answer in fp32 and in the precision that is used
    long      rollouts of 10,000 steps: time per step and memory after each tenth
    growth    CPU time of a step by the length of the run (10 to 10,000 steps) and of the program (10 to 1,000 lines)
    device    (with --device cuda) tokens per second, as a share of the limit by memory bandwidth

Rounds of both sides alternate, since other processes may use the machine: each ratio is of one round.
Needs torch, numpy, safetensors and transformers; no sandbox and no Gymnasium.
"""

import argparse
import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.imagination_parts.bandwidth_limits import bandwidth
from benchmarks.imagination_parts.cost_growth import growth
from benchmarks.imagination_parts.imagination_measures import first_prediction, long_rollouts, same_in_batches, speed
from benchmarks.imagination_parts.precision_agreement import same_in_precisions
from cwm_agent.engine import weights

SECTIONS = ("speed", "start", "batches", "precision", "long", "growth", "device")


def measured(section: str, model: weights.TrainedModel, device: str, *, quick: bool, seed: int) -> dict[str, Any]:
    """The numbers of one section; with `quick` the numbers are rough."""
    if section == "speed":
        rollouts, rounds = (8, 1) if quick else (64, 3)
        return speed(model, device, rollouts=rollouts, candidates=6 if quick else 150, rounds=rounds, seed=seed)
    if section == "start":
        return first_prediction(device, times=1 if quick else 5)
    if section == "batches":
        return same_in_batches(model, device, questions=40 if quick else 1_000, seed=seed)
    if section == "precision":
        return same_in_precisions(model, device, questions=40 if quick else 20_000, seed=seed)
    if section == "long":
        return long_rollouts(model, device, rollouts=2 if quick else 4, steps=200 if quick else 10_000)
    if section == "growth":
        sizes = (10, 100) if quick else (10, 100, 1_000)
        return growth(model, device, steps=sizes if quick else (*sizes, 10_000), lines=sizes, seed=seed)
    return bandwidth(model, device, rows=(1, 4) if quick else (1, 64, 1_024, 4_096), seed=seed)


def chosen(text: str) -> list[str]:
    """The sections in a comma-separated list."""
    names = text.split(",")
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no section {unknown[0]!r}; choose of {', '.join(SECTIONS)}")
    return names


def main(arguments: Sequence[str] | None = None) -> None:
    import torch

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=chosen, metavar="NAMES", help="sections, separated by commas")
    parser.add_argument("--quick", action="store_true", help="a short run with rough numbers")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, help="device of torch (default: chosen by torch)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args(arguments)
    if options.threads:
        torch.set_num_threads(options.threads)
    sections = options.only or [name for name in SECTIONS if name != "device" or options.device != "cpu"]
    found: dict[str, Any] = {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "threads": torch.get_num_threads(),
        "waiting": os.environ.get("OMP_WAIT_POLICY"),
        "device": torch.cuda.get_device_name() if options.device.startswith("cuda") else options.device,
        "load": os.getloadavg(),
    }
    model = weights.shipped()
    for section in sections:
        found[section] = measured(section, model, options.device, quick=options.quick, seed=options.seed)
        print(f"{section}: {json.dumps(found[section], indent=1)}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
