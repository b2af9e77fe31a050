"""Twins of equal parameters and seconds: bytes and byte pairs, attention and recurrence, dense and sparse traces.

    python -m benchmarks.model_twins --seconds 110 --out twins.json                     five arms, about 9.5 minutes
    python -m benchmarks.model_twins --arms bytes,pairs --seconds 280 --out tokens.json

Arms: `bytes` (attention over bytes, every frame written: the reference), `pairs` (byte pairs learnt from the same
text), `recurrence` (a linear recurrence in place of attention), `every-2` (each second frame written) and `outcome`
(the result alone). Chains of 1 to 5 operations on a string, and on an integer and a list as the control that is no
string. Counted of each held-out cell: chains whose whole answer, and whose last frame given the real ones before it,
is the network's first choice; the operation at which each wrong answer begins; tokens of an execution, and numbers
that generation keeps. Needs torch, and for `pairs` tokenizers, which comes with transformers. The result is JSON.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks.twin_parts.network_training import TrainingPace, batch_of, trained_twin
from benchmarks.twin_parts.operation_chains import DEPTHS, KINDS, OperationChain, chains, held_out
from benchmarks.twin_parts.sequence_networks import (
    BadTwin,
    Mixing,
    TwinNetwork,
    TwinShape,
    count,
    matched,
    state_numbers,
)
from benchmarks.twin_parts.token_codecs import TokenCodec, codec_named
from benchmarks.twin_parts.token_rows import END, TokenBatch, TokenRow, padded
from tasks.output.atomic_file import write_file


@dataclass(frozen=True, slots=True)
class TwinArm:
    """One of the networks that are compared."""

    codec: str = "bytes"
    mixing: Mixing = "attention"
    every: int = 1
    """Which frames are written; 0 for the last alone."""


ARMS = {
    "bytes": TwinArm(),
    "pairs": TwinArm(codec="pairs"),
    "recurrence": TwinArm(mixing="recurrence"),
    "every-2": TwinArm(every=2),
    "outcome": TwinArm(every=0),
}


def row_of(chain: OperationChain, codec: TokenCodec, every: int) -> TokenRow:
    """Question, answer and end as tokens; each frame is encoded on its own, so that its place is known."""
    question = codec.ids(chain.question)
    ids = list(question)
    frames = chain.answer(every).split("|")
    for frame in frames[:-1]:
        ids += codec.ids(frame + "|")
    last = len(ids)
    return TokenRow((*ids, *codec.ids(frames[-1]), END), len(question), last)


def _batches(arm: TwinArm, codec: TokenCodec, shape: TwinShape, options: argparse.Namespace) -> Iterator[TokenBatch]:
    """Batches of new chains; generation is part of the seconds of every arm alike."""
    stream = chains(options.seed)
    while True:
        rows = [row_of(next(stream), codec, arm.every) for _ in range(options.batch)]
        yield padded([row for row in rows if len(row.ids) <= shape.longest])


@torch.inference_mode()
def measured(network: TwinNetwork, arm: TwinArm, codec: TokenCodec, programs: int) -> list[dict[str, Any]]:
    """Counts of each kind and depth."""
    return [
        {"kind": kind, "depth": depth, **_cell(network, arm, codec, held_out(kind, depth, programs))}
        for kind in KINDS
        for depth in DEPTHS
    ]


def _cell(network: TwinNetwork, arm: TwinArm, codec: TokenCodec, cases: Sequence[OperationChain]) -> dict[str, Any]:
    device = next(network.parameters()).device
    rows = [row_of(case, codec, arm.every) for case in cases]
    ids, _ = batch_of(rows, network.shape.longest)
    said = network(ids[:, :-1].to(device)).argmax(-1).cpu()
    failures: Counter[str] = Counter()
    last = 0
    whole: list[bool] = []
    for number, (case, row) in enumerate(zip(cases, rows, strict=True)):
        wrong = (said[number] != ids[number, 1:])[: len(row.ids) - 1]
        first = next((at for at in range(row.answer - 1, len(row.ids) - 1) if wrong[at]), None)
        whole.append(first is None)
        last += not wrong[row.last - 1 :].any()
        if first is not None:
            failures[_operation_at(case, codec, arm.every, first + 1 - row.answer)] += 1
    tokens = sum(len(row.ids) for row in rows) / len(rows)
    return {
        "programs": len(rows),
        "whole": sum(whole),
        "rights": "".join(str(int(right)) for right in whole),
        "last": last,
        "failures": dict(failures),
        "tokens": tokens,
        "kept": state_numbers(network.shape, round(tokens)),
    }


def _operation_at(chain: OperationChain, codec: TokenCodec, every: int, at: int) -> str:
    """The operation whose frame holds the answer's token at a place; of a sparse trace, those since the last frame."""
    frames = chain.answer(every).split("|")
    for number, frame in enumerate(frames):
        at -= len(codec.ids(frame + ("|" if number < len(frames) - 1 else ""))) + (number == len(frames) - 1)
        if at < 0 or number == len(frames) - 1:
            end = chain.depth if number == len(frames) - 1 else (number + 1) * max(1, every)
            start = 0 if not every else number * every
            return "+".join(chain.names[start:end])
    raise AssertionError("an answer has a frame")


def parser() -> argparse.ArgumentParser:
    """The options of this command."""
    assert __doc__ is not None
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = made.add_argument
    add("--arms", default=",".join(ARMS), help="which, by name (default: all)")
    add("--seconds", type=float, default=110.0, help="of training for each arm (default: %(default)g)")
    add("--layers", type=int, default=4)
    add("--width", type=int, default=192)
    add("--batch", type=int, default=256, help="chains of a step (default: %(default)s)")
    add("--lr", type=float, default=2e-3)
    add("--programs", type=int, default=200, help="held-out chains of each kind and depth (default: %(default)s)")
    add("--texts", type=int, default=20_000, help="that byte pairs are learnt from (default: %(default)s)")
    add("--seed", type=int, default=0)
    add("--out", type=Path, required=True, help="where the counts go, as JSON")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and measure every arm; write after each."""
    made = parser()
    options = made.parse_args(arguments)
    names = options.arms.split(",")
    if unknown := [name for name in names if name not in ARMS]:
        made.error(f"--arms: no arm named {unknown[0]!r}; choose among {', '.join(ARMS)}")
    base = TwinShape("attention", 258, options.layers, options.width, 8 * options.width // 3)
    found: dict[str, Any] = {}
    for name in names:
        arm = ARMS[name]
        codec = codec_named(arm.codec, seed=options.seed, texts=options.texts)
        bare = TwinShape(arm.mixing, codec.size, options.layers, options.width)
        try:
            shape = matched(bare, count(base))
        except BadTwin as error:
            made.error(str(error))
        pace = TrainingPace(options.seconds, options.lr, options.seed)
        twin = trained_twin(shape, _batches(arm, codec, shape, options), pace)
        found[name] = {
            "parameters": sum(each.numel() for each in twin.network.parameters()),
            "tokens": twin.tokens,
            "cells": measured(twin.network, arm, codec, options.programs),
        }
        result = {"options": {key: str(value) for key, value in vars(options).items()}, "arms": found}
        write_file(options.out, json.dumps(result, indent=1) + "\n")
        print(table({name: found[name]}), flush=True)
    return 0


def table(arms: dict[str, Any]) -> str:
    """Whole answers by kind and depth, one line for each arm and kind."""
    lines = []
    for name, arm in arms.items():
        for kind in KINDS:
            cells = [cell for cell in arm["cells"] if cell["kind"] == kind]
            counts = "  ".join(f"{cell['depth']}: {cell['whole']}/{cell['programs']}" for cell in cells)
            lines.append(f"{name:11s} {arm['parameters']:9,d} parameters  {kind:8s} {counts}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
