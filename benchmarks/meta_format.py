"""Checks that histories in Meta's format are read back unchanged, and measures the speed.

    python -m benchmarks.meta_format [--histories 10000] [--seed 0] [--json OUT]

Histories are real runs of random programs, alternately as written and decomposed. `ambiguous` counts frames whose text
occurs on two lines that can both follow: the reader then returns both lines.
"""

import argparse
import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from cwm_agent.oracles.formats import meta_tokens
from cwm_agent.oracles.history_protocol import HistoryQuery
from cwm_agent.training.steps.program_examples import write_program
from cwm_agent.training.steps.short_runs import TooLarge, can_be_stopped, stopped_in_time
from cwm_agent.views.history.byte_marks import pieces_of, spelt
from cwm_agent.views.history.frame_format import prompt
from cwm_agent.views.history.frame_reader import FrameReader
from cwm_agent.views.history.history_state import HistoryState
from envs.execution.decompose.program import Program, decomposed, plain
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.tracer.history_recorder import record
from envs.execution.tracer.tracer import TraceLimits

_LIMITS = TraceLimits(steps=200, characters=50_000, output=2_000)


def histories(count: int, seed: int) -> Iterator[tuple[Program, History]]:
    """Real runs of small random programs."""
    rng, given = Random(seed), 0
    while given < count:
        try:
            with warnings.catch_warnings(), stopped_in_time():
                warnings.simplefilter("ignore")  # a mutant may compare with `is` or call a number
                written = write_program(rng)
                if not can_be_stopped(written.source):
                    continue
                program = (decomposed if given % 2 else plain)(written.source, written.entry)
                found = record(program, written.calls[0], _LIMITS)
        except (ExecutionError, SyntaxError, RecursionError, MemoryError, ValueError, TooLarge):
            continue
        given += 1
        yield program, found


def same(answer: HistoryFrame, real: HistoryFrame) -> str:
    """`identical`, `ambiguous` where several lines are possible, or `wrong`."""
    if answer == real:
        return "identical"
    parts = (answer.event, answer.action, answer.locals, answer.arg, answer.depth)
    alike = parts == (real.event, real.action, real.locals, real.arg, real.depth)
    return "ambiguous" if alike and set(real.lines) <= set(answer.lines) else "wrong"


def checked(program: Program, found: History, counts: Counter[str]) -> None:
    """Counts the results of all frames, by pieces and bytes, and by text where the source allows it."""
    pieces = list(prompt(program, found.frames))[3:]
    counts["bytes"] += len(spelt(pieces))
    counts["bytes differ"] += list(pieces_of(spelt(pieces))) != pieces
    reader = FrameReader(program, HistoryState())
    frames = [frame for piece in pieces if isinstance(frame := reader.feed(piece), HistoryFrame)]
    for answer, real in zip(frames, found.frames, strict=True):
        counts[same(answer, real)] += 1
    if len(found.frames) < 3:
        return
    query = HistoryQuery(program, found.frames[:-1])
    whole = meta_tokens.prompt_text(HistoryQuery(program, found.frames))
    text = whole.removeprefix(meta_tokens.prompt_text(query))
    said_last = meta_tokens.read_text(query, text)
    right = isinstance(said_last, HistoryFrame) and same(said_last, found.frames[-1]) != "wrong"
    counts["last frames from text"] += 1
    counts["last frames from text wrong"] += not right


def measure(count: int, seed: int) -> dict[str, Any]:
    """The counts over a number of histories."""
    counts: Counter[str] = Counter()
    seconds = 0.0
    for program, found in histories(count, seed):
        counts["histories"] += 1
        counts[f"outcome {found.outcome.ending}"] += 1
        began = time.perf_counter()
        checked(program, found, counts)
        seconds += time.perf_counter() - began
    frames = counts["identical"] + counts["ambiguous"] + counts["wrong"]
    return {"seed": seed, "frames": frames, **dict(sorted(counts.items())), "frames_per_second": frames / seconds}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks.meta_format", description=__doc__.partition("\n")[0])
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    found = measure(options.histories, options.seed)
    print(json.dumps(found, indent=2))
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    return 0 if not found.get("wrong") and not found.get("last frames from text wrong") else 1


if __name__ == "__main__":
    sys.exit(main())
