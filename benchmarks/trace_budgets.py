"""How many real executions do not fit into a token budget, in each view? Texts of real runs; no model is asked.

    python -m benchmarks.trace_budgets cruxeval_dev.jsonl
    python -m benchmarks.trace_budgets repair --split dev --budgets 1024,4096 --json OUT.json

Every call of the files runs once in the sandbox, as written and decomposed. Tokens are bytes of the embedded models'
spelling. `history` and `history, decomposed` hold the whole execution in the context. The Markov views hold one
question with its answer at a time (`program`, `local`); `in all` is what all their steps take together. A program
exceeds a budget where one of its calls does. A call that does not end within --steps counts with the steps it took,
so its length is a lower bound; one that cannot be traced is left out, and the table says how many were.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from cwm_agent import errors
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.studies.experiments.view_lengths import ViewLength, history_length, markov_lengths
from cwm_agent.studies.workbench import Workbench
from cwm_agent.verification.statistics.exact_intervals import binomial_interval, marked
from envs.execution.decompose.program import decomposed, plain
from envs.execution.state.value_grammar import ExecutionError
from tasks import RepairTask, TraceTask, load
from tasks.output.atomic_file import write_file

BUDGETS = (1_024, 2_048, 4_096, 8_192, 16_384)
STEPS = 20_000


@dataclass(frozen=True, slots=True)
class CallLengths:
    """Tokens of one call, by view."""

    program: str
    call: str
    frames: int
    """Of the run as written."""
    ended: bool
    """Whether both runs ended within the steps."""
    left_out: int
    """Steps of the local view that are not counted."""
    tokens: dict[str, int]


@dataclass(slots=True)
class FileLengths:
    """All calls of a file."""

    file: str
    calls: list[CallLengths] = field(default_factory=list)
    untraced: list[str] = field(default_factory=list)
    """Calls without a trace, with the reason."""


def calls_of(path: str, split: str | None) -> Iterator[tuple[str, TraceTask]]:
    """Each call of a file with the name of its program."""
    for task in load(path).tasks:
        if isinstance(task, TraceTask) and split is None:
            yield task.id, task
        elif isinstance(task, RepairTask) and split in (None, task.split):
            for call in task.traces():
                yield task.id, call


def measured(path: str, split: str | None, steps: int, limit: int | None = None) -> FileLengths:
    """The lengths of all calls of a file."""
    found = FileLengths(path)
    with Workbench("exact") as bench:
        for name, call in list(calls_of(path, split))[:limit]:
            try:
                found.calls.append(_lengths(name, call, bench, steps))
            except ExecutionError as error:
                found.untraced.append(f"{call.id}: {error}")
    return found


def _lengths(name: str, call: TraceTask, bench: Workbench, steps: int) -> CallLengths:
    world = call.world.record()
    whole, split = plain(call.source, call.entry), decomposed(call.source, call.entry)
    as_written = bench.history(whole, call.arguments, steps, world=world)
    trace = bench.trace(split, call.arguments, steps, world=world)
    markov = markov_lengths(split, trace.frames, reruns=False)
    one_by_one = bench.history(split, call.arguments, steps, world=world)
    views: dict[str, ViewLength] = {
        "history": history_length(whole, as_written),
        "history, decomposed": history_length(split, one_by_one),
        **markov,
    }
    tokens = {view: length.longest for view, length in views.items()}
    tokens |= {f"{view}, in all": length.tokens for view, length in markov.items()}
    ended = "truncated" not in (as_written.outcome.ending, trace.outcome.ending)
    return CallLengths(name, call.id, len(as_written.frames), ended, markov["local"].left_out, tokens)


def exceeding(calls: Sequence[CallLengths], view: str, budget: int) -> int:
    """Programs with a call that takes more tokens than the budget."""
    return len({call.program for call in calls if call.tokens[view] > budget})


def table(found: FileLengths, budgets: Sequence[int]) -> str:
    """One line for each view: programs that do not fit into each budget, and the length of a call."""
    calls = found.calls
    if not calls:
        return f"{found.file}: no call could be traced ({len(found.untraced)} were tried).\n"
    programs = len({call.program for call in calls})
    cut = sum(not call.ended for call in calls)
    rows = []
    for view in calls[0].tokens:
        lengths = [call.tokens[view] for call in calls]
        shares = [_share(exceeding(calls, view, budget), programs) for budget in budgets]
        rows.append((view, f"{median(lengths):,.0f}", f"{max(lengths):,}", *shares))
    head = ("view", "tokens of a call, median", "most", *(f"over {budget:,}" for budget in budgets))
    about = (
        f"{found.file}: {programs} programs, {len(calls)} calls; {cut} calls cut off, {len(found.untraced)} untraced"
    )
    left = sum(call.left_out for call in calls)
    return f"{about}, {left} steps of the local view not counted.\n\n{markdown(head, rows)}"


def _share(count: int, programs: int) -> str:
    interval = binomial_interval(count, programs)
    return marked(f"{count / programs:.3f} ({interval.low:.3f} to {interval.high:.3f})", programs)


def parser() -> argparse.ArgumentParser:
    """The options of this command."""
    assert __doc__ is not None
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = made.add_argument
    add("paths", nargs="+", metavar="PATH", help="task files: CRUXEval rows, our JSONL, HumanEvalPack")
    add("--split", choices=("dev", "test"), help="only repair tasks of this split")
    add("--budgets", type=_numbers, default=BUDGETS, help="in tokens, with commas (default: 1,024 to 16,384)")
    add("--steps", type=int, default=STEPS, help="of the longest run (default: %(default)s)")
    add("--limit", type=int, help="only the first N calls of each file")
    add("--json", type=Path, metavar="OUT", help="write the lengths of all calls to a file")
    return made


def _numbers(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isdecimal() and int(part) for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} are no budgets; write positive numbers with commas between them.")
    return tuple(map(int, parts))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every file and print its table."""
    made = parser()
    options = made.parse_args(arguments)
    found: list[FileLengths] = []
    try:
        for path in options.paths:
            found.append(measured(path, options.split, options.steps, options.limit))
            print(table(found[-1], options.budgets), flush=True)
    except errors.USER_ERRORS as error:
        made.error(str(error))
    if options.json:
        write_file(options.json, json.dumps([_record(each) for each in found]) + "\n")
    return 0


def _record(found: FileLengths) -> dict[str, Any]:
    calls = [{"call": call.call, "frames": call.frames, **call.tokens} for call in found.calls]
    return {"file": found.file, "calls": calls, "untraced": found.untraced}


if __name__ == "__main__":
    sys.exit(main())
