"""Asks the shipped model held-out lines of one pattern table, and counts right answers by kind.

    python -m benchmarks.table_accuracy reckoned --each 60

An answer is right if it is byte for byte what Python does, without its workings. Tells which rows of a table a model
needs workings or more data for, before it is trained on them.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

import cwm_agent.training
from cwm_agent.engine import weights
from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.training.example import HELD_OUT_SEED, Example
from cwm_agent.training.patterns.pattern import Pattern, pattern_family
from cwm_agent.training.steps.line_examples import ANSWER_LIMIT, QUERY_LIMIT
from cwm_agent.training.steps.line_labels import line_example
from cwm_agent.views.scratchpad.scratchpad import SIGN


@dataclass(frozen=True, slots=True)
class KindAccuracy:
    """Counts of one kind of lines."""

    kind: str
    asked: int
    right: int
    worked: int
    """Questions whose right answer has workings."""
    answer_bytes: int
    """Of all right answers together, workings included."""


def questions(table: str, *, each: int, seed: int) -> dict[str, list[Example]]:
    """Held-out lines of a table, so many of each kind; those that raise are left out."""
    by_kind: dict[str, list[Pattern]] = {}
    for pattern in pattern_family(table):
        by_kind.setdefault(pattern.kind, []).append(pattern)
    rng = Random(HELD_OUT_SEED + seed)
    return {kind: list(islice(_drawn(rng, rows), each)) for kind, rows in by_kind.items()}


def _drawn(rng: Random, rows: Sequence[Pattern]) -> Iterator[Example]:
    while True:
        drawn = rng.choices(rows, [row.weight for row in rows])[0].draw(rng)
        found = line_example(drawn.statement, drawn.values, drawn.kind, constants=drawn.constants, imports=True)
        if found is None or found.answer.startswith(b"!"):
            continue
        if len(found.query) <= QUERY_LIMIT and len(found.answer) <= ANSWER_LIMIT:
            yield found


def without_workings(answer: bytes) -> bytes:
    """The rows of an answer that are read."""
    return b"\n".join(row for row in answer.split(b"\n") if not row.startswith(SIGN.encode()))


def measured(engine: Engine, asked: Mapping[str, Sequence[Example]]) -> Iterator[KindAccuracy]:
    """The counts of each kind, one after the other."""
    for kind, examples in asked.items():
        prompts = [Prompt(example.query, context=example.context) for example in examples]
        found = engine.complete(prompts, max_tokens=ANSWER_LIMIT)
        right = Counter(
            without_workings(answer.text) == without_workings(example.answer)
            for answer, example in zip(found, examples, strict=True)
        )
        worked = sum(example.answer.startswith(SIGN.encode()) for example in examples)
        yield KindAccuracy(kind, len(examples), right[True], worked, sum(len(each.answer) for each in examples))


def main(argv: list[str] | None = None) -> None:
    """Print a table in Markdown, row by row."""
    assert __doc__ is not None
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("table", help="name of a table in cwm_agent/training/tables/patterns")
    command.add_argument("--each", type=int, default=60, help="questions of each kind (default: 60)")
    command.add_argument("--seed", type=int, default=0, help="of the questions (default: 0)")
    command.add_argument("--weights", type=Path, help="folder of weights (default: the shipped ones)")
    options = command.parse_args(argv)
    known = sorted(
        path.stem for path in (Path(cwm_agent.training.__file__).parent / "tables" / "patterns").glob("*.txt")
    )
    if options.table not in known:
        command.error(f"there is no table {options.table!r}; choose one of {', '.join(known)}")
    if options.each < 1:
        command.error("--each must be 1 or more")
    engine = Engine(weights.load(options.weights) if options.weights else weights.shipped(), threads=1)
    print("| kind | asked | right | share | with workings | bytes of an answer |\n|---|---|---|---|---|---|")
    for row in measured(engine, questions(options.table, each=options.each, seed=options.seed)):
        share, size = row.right / row.asked, row.answer_bytes / row.asked
        print(f"| {row.kind} | {row.asked} | {row.right} | {share:.2f} | {row.worked} | {size:.0f} |", flush=True)


if __name__ == "__main__":
    main()
