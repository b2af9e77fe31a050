"""How fast does the embedded model imagine, beside plain `generate`, and does it say the same whatever else is asked?

    python -m benchmarks.imagination [--only speed,start,batches,long] [--quick] [--device cuda] [--json OUT]

    speed     imagined steps a second: 64 calls of the shipped tasks with nothing remembered, then a repair's candidates
              with a memo that begins empty, beside one step after another by `generate` of transformers (program view)
    start     seconds from a fresh process to its first prediction
    batches   share of questions that get the same answer alone and among others
    long      rollouts of 10,000 steps: time a step and memory, tenth by tenth
    device    (with --device cuda) tokens a second, and how near that is to what the memory's bandwidth allows

Rounds of the one and the other alternate, since other work on the machine comes and goes: ratios are of the same round.
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
from benchmarks.imagination_parts.imagination_measures import first_prediction, long_rollouts, same_in_batches, speed
from cwm_agent.engine import weights

SECTIONS = ("speed", "start", "batches", "long", "device")


def measured(section: str, model: weights.TrainedModel, device: str, *, quick: bool, seed: int) -> dict[str, Any]:
    """The figures of one section; `quick` shows that it works, its figures are rough."""
    if section == "speed":
        rollouts, rounds = (8, 1) if quick else (64, 3)
        return speed(model, device, rollouts=rollouts, candidates=6 if quick else 150, rounds=rounds, seed=seed)
    if section == "start":
        return first_prediction(device, times=1 if quick else 5)
    if section == "batches":
        return same_in_batches(model, device, questions=40 if quick else 1_000, seed=seed)
    if section == "long":
        return long_rollouts(model, device, rollouts=2 if quick else 4, steps=200 if quick else 10_000)
    return bandwidth(model, device, rows=(1, 4) if quick else (1, 64, 1_024, 4_096), seed=seed)


def chosen(text: str) -> list[str]:
    """The sections that a list names."""
    names = text.split(",")
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no section {unknown[0]!r}; choose of {', '.join(SECTIONS)}")
    return names


def main(arguments: Sequence[str] | None = None) -> None:
    import torch

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=chosen, metavar="NAMES", help="sections, separated by commas")
    parser.add_argument("--quick", action="store_true", help="a smoke run of seconds; its figures say little")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, help="of torch (default: its own choice)")
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
