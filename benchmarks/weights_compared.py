"""Asks two sets of weights the same held-out questions: right answers of each, mended and broken ones.

    python -m benchmarks.weights_compared OLD cwm_agent/engine/weights/main --each 1200

OLD is a folder of earlier weights, as `git worktree` brings back. An answer is right if it is byte for byte what Python
does, without its workings. The questions are those of the generators as they are now, so tables that the older weights
were not trained on are among them. p is that of the exact sign test over mended and broken answers.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import comb
from pathlib import Path

from benchmarks.table_accuracy import without_workings
from cwm_agent.engine import weights
from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.training.example import HELD_OUT_SEED, Example, resolve
from cwm_agent.training.steps.line_examples import ANSWER_LIMIT
from tasks.output.terminal_text import print_line, print_text

SOURCES = (
    "line_examples:lines",
    "line_examples:library_lines",
    "program_examples:object_steps",
    "program_examples:program_steps",
)
_BATCH = 200


@dataclass(frozen=True, slots=True)
class WeightsComparison:
    """Counts of one source."""

    asked: int
    right_before: int
    right_after: int
    mended: int
    broken: int

    @property
    def p(self) -> float:
        """Chance of so uneven a split or a more uneven one if either change is as likely."""
        changed, fewer = self.mended + self.broken, min(self.mended, self.broken)
        ways = sum(comb(changed, each) for each in range(fewer + 1))
        return float(min(1, 2 * ways / 2**changed))


def compared(before: Engine, after: Engine, examples: Sequence[Example]) -> WeightsComparison:
    """The counts of both engines on the same questions."""
    first, second = (_right(engine, examples) for engine in (before, after))
    mended = sum(new and not old for old, new in zip(first, second, strict=True))
    broken = sum(old and not new for old, new in zip(first, second, strict=True))
    return WeightsComparison(len(examples), sum(first), sum(second), mended, broken)


def _right(engine: Engine, examples: Sequence[Example]) -> list[bool]:
    found: list[bool] = []
    for begin in range(0, len(examples), _BATCH):
        batch = examples[begin : begin + _BATCH]
        answers = engine.complete([Prompt(each.query, context=each.context) for each in batch], max_tokens=ANSWER_LIMIT)
        found += [
            without_workings(answer.text) == without_workings(each.answer)
            for answer, each in zip(answers, batch, strict=True)
        ]
    return found


def main(argv: list[str] | None = None) -> None:
    """Print a table in Markdown, row by row."""
    assert __doc__ is not None
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("before", type=Path, help="folder of weights")
    command.add_argument("after", type=Path, help="folder of weights")
    command.add_argument("--each", type=int, default=1200, help="questions of each source (default: 1200)")
    command.add_argument("--seed", type=int, default=0, help="of the questions (default: 0)")
    options = command.parse_args(argv)
    if options.each < 1:
        command.error("--each must be 1 or more")
    before, after = (Engine(weights.load(folder), threads=1) for folder in (options.before, options.after))
    print_text("| source | asked | right before | right after | mended | broken | p |\n|---|---|---|---|---|---|---|")
    for source in SOURCES:
        drawn = resolve(f"cwm_agent.training.steps.{source}")(HELD_OUT_SEED + options.seed)
        row = compared(before, after, list(islice(drawn, options.each)))
        counts = f"{row.asked} | {row.right_before} | {row.right_after} | {row.mended} | {row.broken}"
        print_line(f"| {source} | {counts} | {row.p:.2g} |")


if __name__ == "__main__":
    main()
