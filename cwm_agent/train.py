"""Train a model from generated examples: the world model, the history model or the edit policy.

    python -m cwm_agent.train --size main --source local=package.module:function:0.7 --seconds 480 --out runs/first
    python -m cwm_agent.train --view history --seconds 300 --out runs/history

The same in Python:

    from pathlib import Path
    from cwm_agent.training.example import Share
    from cwm_agent.training.recipe import DataMix, Recipe
    from cwm_agent.training.training_run import run
    copies = Share("copies", "cwm_agent.training.steps.copy_task:copies")
    run(Recipe(DataMix((copies,), length=256), size="tiny", seconds=5), Path("runs/first"))
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwm_agent.commands.command_line import CommandParser, defaults_of
from cwm_agent.oracles.service.placement_options import add_cluster_options
from tasks.output.terminal_text import print_line, print_text

if TYPE_CHECKING:
    from cwm_agent.training.example import Share
    from cwm_agent.training.recipe import Recipe

PROGRAM = "python -m cwm_agent.train"

SMOKE = "cwm_agent.training.steps.copy_task:copies"
HISTORY = (
    "swaps=cwm_agent.training.steps.history_examples:swap_histories:0.75",
    "programs=cwm_agent.training.steps.history_examples:program_histories:0.25",
)
"""Sources of the small history model: whole runs."""


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    """The command line; imports no torch."""
    command = CommandParser(__doc__, PROGRAM, program)
    from cwm_agent.training.recipe import DataMix, Recipe

    usual = {**defaults_of(DataMix), **defaults_of(Recipe)}
    _add_data(command.add_argument, usual)
    _add_files(command.add_argument)
    _add_optimisation(command.add_argument, usual)
    _add_machine(command.add_argument, usual)
    return command


def _add_data(add: Callable[..., object], usual: Mapping[str, Any]) -> None:
    add("--view", choices=("history",),
        help="history: whole runs as examples, size small, and an evaluation on swap programs at the end")  # fmt: skip
    add("--source", action="append", default=[], metavar="NAME=MODULE:FUNCTION[:WEIGHT]",
        help=f"source of examples and its share of the rows; repeatable (default: {SMOKE}, a smoke run)")  # fmt: skip
    add("--swaps", type=_lengths, default="8,16,20,24,32,64,128", metavar="N,N..",
        help="history: lengths of the swap programs for evaluation (default: %(default)s)")  # fmt: skip
    add("--evaluate", action="append", default=[], metavar="NAME=MODULE:FUNCTION[:COUNT]",
        help="held-out examples for evaluation at the end (default: 2000 of each source; history: 500)")  # fmt: skip
    add("--batch", type=int, default=usual["batch"], help="rows per step (default: %(default)s)")
    add("--length", type=int, default=usual["length"],
        help="tokens per row; a multiple of 128 on an accelerator (default: %(default)s)")  # fmt: skip
    add("--seed", type=int, default=usual["seed"], help="seed of weights and examples (default: %(default)s)")


def _add_files(add: Callable[..., object]) -> None:
    add("--out", type=Path, required=True, help="folder for weights, card and failures; with --export the task file")
    add("--export", metavar="heldout|mutants|swaps:N",
        help="do not train: write held-out programs as a task file for verify")  # fmt: skip
    add("--count", type=int, default=200, metavar="N", help="tasks to export (default: %(default)s)")
    add("--resume", type=Path, help="folder of weights to continue from")
    add("--keep-optimiser", action="store_true", help="save the optimiser's state too, for --resume")
    add("--checkpoints", type=_shares, default="", metavar="SHARE,SHARE..",
        help="also keep the weights after these shares of the time, as in 0.1,0.3,1, in OUT/checkpoint-*")  # fmt: skip


def _add_optimisation(add: Callable[..., object], usual: Mapping[str, Any]) -> None:
    add("--size", help="tiny, small (2.3 M parameters), main (17.9 M), or a depth (default: main; history: small)")
    add("--seconds", type=float, default=usual["seconds"],
        help="time to train, after the first compiled step (default: %(default)g)")  # fmt: skip
    add("--deadline", type=float, help="seconds from now by which training must stop, compilation included")
    add("--lr", type=float, default=usual["rate"], help="learning rate of Muon (default: %(default)s)")
    add("--adam-lr", type=float, default=usual["adam_rate"],
        help="learning rate of AdamW, for all but matrices (default: %(default)s)")  # fmt: skip
    add("--weight-decay", type=float, default=usual["weight_decay"], help="of matrices (default: %(default)s)")
    add("--warm-up", type=float, default=usual["warm_up"],
        help="share of the time in which the rate rises (default: %(default)s)")  # fmt: skip
    add(
        "--decay",
        type=float,
        default=usual["decay"],
        help="share of the time in which the rate falls (default: %(default)s)",
    )
    add("--rate-left", type=float, default=usual["rate_left"],
        help="share of the rate that is left at the end, for a next run (default: %(default)s)")  # fmt: skip
    add("--query-weight", type=float, default=usual["query_weight"],
        help="weight of tokens outside answers in the loss (default: %(default)s)")  # fmt: skip
    add("--hard-rows", type=int, default=usual["hard_rows"],
        help="most rows of a batch that show wrongly answered examples again (default: %(default)s)")  # fmt: skip


def _add_machine(add: Callable[..., object], usual: Mapping[str, Any]) -> None:
    add("--workers", type=int, help="processes that generate examples (default: cores less one; of a cluster all)")
    add_cluster_options(add, replicas=False)
    add("--device", default=usual["device"], help="auto, cpu, cuda (default: %(default)s)")
    add(
        "--precision", choices=("auto", "bf16", "fp32"), default=usual["precision"], help="auto: bf16 on an accelerator"
    )
    add("--rounded", action="store_true", help="round products to int8, as the engine does on a CPU")
    add("--attention", choices=("auto", "flex", "sdpa"), default=usual["attention"],
        help="auto: flex on an accelerator if it works, else sdpa (slower, runs anywhere)")  # fmt: skip
    add("--no-compile", action="store_true", help="never use torch.compile")


def _shares(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(",") if part)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of shares; write them as in 0.1,0.3,1") from None


def _lengths(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers; write them as in 8,16,32") from None


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Parse, train, print; 0 when weights were saved."""
    started = time.monotonic()
    options = parser(program).parse_args(arguments)
    if options.export:
        return _export(options.export, options.count, options.seed, options.out)
    from cwm_agent.training.example import SourceError
    from cwm_agent.training.recipe import BadRecipe

    try:
        shares, evaluations = _sources(options)
        recipe = _recipe(options, shares)
    except (SourceError, BadRecipe) as error:
        print_line(f"error: {error}", error=True)
        return 2
    if not _train(options, recipe, evaluations, started):
        return 1
    if options.view == "history":
        for folder in (options.out, *sorted(options.out.glob("checkpoint-*"))):
            _evaluate_swaps(folder, options.swaps, recipe.device)
    return 0


def _sources(options: argparse.Namespace) -> tuple[tuple["Share", ...], list["Share"]]:
    """Sources for training and for evaluation; SourceError if one cannot be used."""
    from cwm_agent.training.example import parse_share, resolve

    default = list(HISTORY) if options.view == "history" else [f"copies={SMOKE}"]
    shares = tuple(parse_share(text) for text in options.source or default)
    count = 500 if options.view == "history" else 2000  # a whole run is much longer than a line
    targets = options.evaluate or [f"{share.name}={share.target}:{count}" for share in shares]
    evaluations = [parse_share(text) for text in targets]
    for share in (*shares, *evaluations):
        resolve(share.target)
    return shares, evaluations


def _recipe(options: argparse.Namespace, shares: tuple["Share", ...]) -> "Recipe":
    """The options as a recipe; BadRecipe if they do not fit together."""
    from cwm_agent.training.recipe import DataMix, Recipe

    return Recipe(
        data_mix=DataMix(shares, options.length, options.seed),
        size=options.size or ("small" if options.view == "history" else "main"),
        seconds=options.seconds,
        deadline=options.deadline,
        batch=options.batch,
        rate=options.lr,
        adam_rate=options.adam_lr,
        weight_decay=options.weight_decay,
        warm_up=options.warm_up,
        decay=options.decay,
        rate_left=options.rate_left,
        query_weight=options.query_weight,
        hard_rows=options.hard_rows,
        attention=options.attention,
        device=options.device,
        precision=options.precision,
        rounded=options.rounded,
        compiled=False if options.no_compile else None,
        checkpoints=options.checkpoints,
        workers=(os.cpu_count() or 1) - 1 if options.workers is None else options.workers,
    )


def _train(options: argparse.Namespace, recipe: "Recipe", evaluations: list["Share"], started: float) -> bool:
    """Train, save and print the result; prints the reason and returns False on failure."""
    from cwm_agent.engine.weights import WeightsError
    from cwm_agent.jobs.errors import JobError
    from cwm_agent.oracles.service.placement_options import chosen_placement
    from cwm_agent.training.data_feed import FeedError
    from cwm_agent.training.example import SourceError
    from cwm_agent.training.recipe import BadRecipe
    from cwm_agent.training.result_table import table
    from cwm_agent.training.training_loop import DivergedError
    from cwm_agent.training.training_run import run
    from tasks.output.atomic_file import WriteError

    try:
        result = run(
            recipe,
            options.out,
            evaluations=evaluations,
            resume=options.resume,
            keep_optimiser=options.keep_optimiser,
            report=print_text,
            started=started,
            placement=replace(chosen_placement(options, options.workers or 0), apart=True) if options.cluster else None,
        )
    except (BadRecipe, JobError, DivergedError, FeedError, SourceError, WeightsError, WriteError) as error:
        print_line(f"error: {error}", error=True)
        return False
    print_text(table(result))
    return True


def _export(what: str, count: int, seed: int, out: Path) -> int:
    """Write a task file of held-out programs; returns 0 on success."""
    from cwm_agent.training.steps.program_examples import held_out_tasks, mutant_tasks
    from cwm_agent.training.steps.swap_sources import swap_tasks
    from tasks.output.atomic_file import WriteError, write_file

    kind, _, number = what.partition(":")
    if kind == "swaps" and number.isdecimal() and int(number):
        rows = swap_tasks(int(number), count, seed)
    elif what in ("heldout", "mutants"):
        rows = held_out_tasks(count, seed) if what == "heldout" else mutant_tasks(count, seed)
    else:
        print_line(f"error: --export {what!r} is unknown. Give heldout, mutants or swaps:N, N from 1.", error=True)
        return 2
    try:
        write_file(out, "".join(json.dumps(_trace_row(row)) + "\n" for row in rows))
    except WriteError as error:
        print_line(f"error: {error}", error=True)
        return 1
    print_line(f"{len(rows)} tasks in {out}. Use them: python -m cwm_agent.verify {out}")
    return 0


def _trace_row(row: Mapping[str, str]) -> dict[str, str]:
    """A generated program as a row of a task file."""
    return {"kind": "trace", "id": row["id"], "source": row["code"], "entry": row["entry"], "arguments": row["input"]}


def _evaluate_swaps(folder: Path, lengths: Sequence[int], device: str) -> None:
    """Measure the trained network on swap programs, print the result and add it to the model's card."""
    import torch

    from cwm_agent.engine import weights
    from cwm_agent.training.steps import history_accuracy

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    model = weights.load(folder, device=device)
    rows = [
        row
        for conditional in (False, True)
        for row in history_accuracy.measure_swaps(model.network, lengths=lengths, conditional=conditional)
    ]
    weights.save(model.network, folder, {**model.card, "swaps followed": [row.describe() for row in rows]})
    print_text(f"\n{folder}{history_accuracy.table(rows)}")


if __name__ == "__main__":
    sys.exit(main())
