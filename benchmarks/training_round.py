"""Trains the main network on classes, generators and library values too, and measures it on the shipped programs.

    python -m benchmarks.training_round --resume cwm_agent/engine/weights/main --deadline 520 --out runs/run10
    python -m benchmarks.training_round --sizes 10x384x1,8x448x7,6x512x4 --deadline 570 --out runs/sizes

The second command trains each size anew for an equal part of the time, one after the other. Both print a table of
`tasks/trace/real_python.jsonl`, even and odd rows apart: every step that a model is asked about, given the real state
before it, in one pass without decoding. A program counts as whole if all its steps are right, so a grounded rollout
of `verify` gives at least that many right outputs. Needs torch, numpy and safetensors only.

Several commands are one long run if each begins with the rate that the one before it left: `--lr 0.003 --decay 0.96
--rate-left 0.6`, then `--resume` with `--lr 0.0018 --decay 0.96`.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from cwm_agent.training.example import Example, Share
from cwm_agent.training.recipe import DataMix, Recipe
from cwm_agent.training.steps.trace_examples import Examiner
from envs.execution.decompose.program import decomposed
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.tracer.tracer import TraceLimits, trace
from tasks import TraceTask, load
from tasks.output.atomic_file import write_file

STEPS = "cwm_agent.training.steps"
SHARES = (
    Share("lines", f"{STEPS}.line_examples:lines", 0.33),
    Share("library", f"{STEPS}.line_examples:library_lines", 0.36),
    Share("steps", f"{STEPS}.program_examples:local_steps", 0.05),
    Share("objects", f"{STEPS}.program_examples:object_steps", 0.08),
    Share("deep", f"{STEPS}.program_examples:deep_steps", 0.01),
    Share("program", f"{STEPS}.program_examples:program_steps", 0.10),
    Share("object-program", f"{STEPS}.program_examples:object_program_steps", 0.05),
    Share("swaps", f"{STEPS}.swap_sources:swap_steps", 0.02),
)
"""Sources of a round and their shares of the rows."""
LENGTH = 4096
"""Tokens of a row in the measurement; a step that is longer counts as wrong."""
ROWS = ("even", "odd")
HELD_OUT = 1000
"""Held-out examples of each source."""


@dataclass(frozen=True, slots=True)
class Half:
    """Counts over the even or the odd rows of a file."""

    name: str
    programs: int
    whole: int
    """Programs with every step right."""
    steps: int
    """Steps that a model is asked about."""
    right: int
    unasked: int
    """Of these, steps that have no text in the local view; they count as wrong."""
    untraced: int
    """Programs whose real run has no trace that returns within the limit; they count as wrong."""


@dataclass(frozen=True, slots=True)
class TracedProgram:
    """The questions of one program's run with their right answers."""

    id: str
    examples: tuple[Example, ...]
    unasked: int


def traced(task: TraceTask, steps: int) -> TracedProgram | None:
    """The questions of a run of the task's call; None if it does not return. Runs the program in this process."""
    try:
        examiner = Examiner(decomposed(task.source, task.entry))
        run = trace(examiner.program, task.arguments, TraceLimits(steps=steps))
    except ExecutionError:
        return None
    if run.outcome.ending != "returned":
        return None
    asked = [step for step in examiner.steps(run.frames) if examiner.asks(step)]
    examples = [example for step in asked if (example := examiner.local_example(step)) is not None]
    return TracedProgram(task.id, tuple(examples), len(asked) - len(examples))


def number_of(task: TraceTask) -> int:
    """The number at the end of the task's id."""
    return int("".join(filter(str.isdecimal, task.id)) or "0")


def measured(
    folder: Path, tasks: Sequence[TraceTask], device: str, *, rows: Sequence[str] = ROWS, steps: int = 2000
) -> Iterator[Half]:
    """Figures of the weights in a folder on the even and the odd rows."""
    import torch

    from cwm_agent.engine import weights
    from cwm_agent.training.exactness import evaluate

    found = torch.cuda.is_available() if device == "auto" else device == "cuda"
    network = weights.load(folder, device="cuda" if found else "cpu").network
    dtype = torch.bfloat16 if found else torch.float32
    for name in rows:
        chosen = [task for task in tasks if number_of(task) % 2 == ROWS.index(name)]
        programs = [each for each in (traced(task, steps) for task in chosen) if each is not None]
        examples = list({example.query: example for each in programs for example in each.examples}.values())
        exactness, wrong = evaluate(network, name, examples, length=LENGTH, batch=8, dtype=dtype)
        failed = {verdict.example.query for verdict in wrong}
        if exactness.left_out:
            failed |= {example.query for example in examples if len(example.query) + len(example.answer) > LENGTH - 8}
        yield half_of(name, chosen, programs, failed)


def half_of(name: str, tasks: Sequence[TraceTask], programs: Sequence[TracedProgram], failed: set[bytes]) -> Half:
    """Counts, from the queries that are answered wrongly."""
    answers = [[example.query not in failed for example in each.examples] for each in programs]
    unasked = sum(each.unasked for each in programs)
    return Half(
        name=name,
        programs=len(tasks),
        whole=sum(all(right) and not each.unasked for right, each in zip(answers, programs, strict=True)),
        steps=sum(map(len, answers)) + unasked,
        right=sum(map(sum, answers)),
        unasked=unasked,
        untraced=len(tasks) - len(programs),
    )


def table(rows: Sequence[tuple[str, Half]]) -> str:
    """A table in Markdown."""
    lines = [
        "| weights | rows | programs | whole | steps | right | share | unasked | untraced |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for weights, half in rows:
        share = half.right / half.steps if half.steps else 0.0
        lines.append(
            f"| {weights} | {half.name} | {half.programs} | {half.whole} | {half.steps} | {half.right} | {share:.4f} "
            f"| {half.unasked} | {half.untraced} |"
        )
    return "\n".join(lines)


def recipe_of(options: argparse.Namespace, size: str, seconds: float) -> Recipe:
    """The recipe of one run that ends within that many seconds."""
    return Recipe(
        data_mix=DataMix(SHARES, options.length, options.seed),
        size=size,
        seconds=seconds,
        deadline=seconds,
        batch=options.batch,
        rate=options.lr,
        adam_rate=options.lr / 2,
        warm_up=0.02,
        decay=options.decay,
        rate_left=options.rate_left,
        query_weight=options.query_weight,
        hard_rows=options.hard_rows,
        device=options.device,
        workers=options.workers,
        rounded=options.rounded,
    )


def parser() -> argparse.ArgumentParser:
    assert __doc__ is not None
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = command.add_argument
    add("--out", type=Path, required=True, help="folder for weights and figures; with --sizes one folder a size in it")
    add("--resume", type=Path, help="folder of weights to continue from (default: train anew)")
    add("--sizes", default="main", metavar="SIZE,SIZE..", help="sizes to train, as in `train --size` (default: main)")
    add("--deadline", type=float, default=520, help="seconds for all training, compilation included (default: 520)")
    add("--lr", type=float, default=0.003, help="learning rate of Muon; AdamW has half of it (default: 0.003)")
    add("--decay", type=float, default=0.6, help="share of the time in which the rate falls (default: 0.6)")
    add("--rate-left", type=float, default=0, help="share of the rate that is left at the end (default: 0)")
    add("--query-weight", type=float, default=0.1, help="weight of tokens outside answers in the loss (default: 0.1)")
    add("--hard-rows", type=int, default=0, help="most rows of a batch that show wrong examples again (default: 0)")
    add("--seed", type=int, default=10, help="of weights and examples (default: 10)")
    add("--batch", type=int, default=32, help="rows per step (default: 32)")
    add("--length", type=int, default=4096, help="tokens per row (default: 4096)")
    add("--workers", type=int, default=15, help="processes that generate examples (default: 15)")
    add("--device", default="auto", help="auto, cpu, cuda (default: auto)")
    add("--rounded", action="store_true", help="train with products rounded to int8")
    add("--only-measure", action="store_true", help="train nothing: measure the weights in --out")
    add("--rows", choices=ROWS, action="append", help="measure these rows only (default: even and odd)")
    add("--limit", type=int, help="measure the first N programs only")
    return command


def main(argv: list[str] | None = None) -> None:
    """Train, measure, print and write `figures.json`."""
    options = parser().parse_args(argv)
    tasks = [task for task in load("trace/real_python").tasks if isinstance(task, TraceTask)][: options.limit]
    sizes = options.sizes.split(",")
    rows: list[tuple[str, Half]] = []
    for size in sizes:
        folder = options.out if len(sizes) == 1 else options.out / size
        if not options.only_measure:
            train_one(options, folder, size, options.deadline / len(sizes))
        rows += [(size, half) for half in measured(folder, tasks, options.device, rows=options.rows or ROWS)]
        print(table(rows), flush=True)
    if not options.only_measure:
        figures = [{"weights": name, **asdict(half)} for name, half in rows]
        write_file(options.out / "figures.json", json.dumps(figures, indent=1) + "\n")


def train_one(options: argparse.Namespace, folder: Path, size: str, seconds: float) -> None:
    """Train one size within that many seconds from now, and print its held-out table."""
    from cwm_agent.training import result_table
    from cwm_agent.training.training_run import run

    started = time.monotonic()
    held_out = [Share(share.name, share.target, HELD_OUT) for share in SHARES if share.name in ("library", "objects")]
    recipe = recipe_of(options, size, seconds)
    print(f"{size}: {seconds:.0f} s", file=sys.stderr, flush=True)
    result = run(recipe, folder, evaluations=held_out, resume=options.resume, started=started)
    print(result_table.table(result), flush=True)


if __name__ == "__main__":
    main()
