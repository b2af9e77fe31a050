"""Checks that decompose keeps the behaviour of programs, and counts the operations that it leaves on one line.

    python -m benchmarks.decompose --programs 10000 --json OUT
    python -m benchmarks.decompose --objects 1000 --constructs 1000 --operators 1000 --first-seed 5000
    python -m benchmarks.decompose --cruxeval ROWS.jsonl --humanevalfix ROWS.jsonl

Compares original and decomposed programs call by call, counts operations on executed lines with an independent counter,
and finds steps of the real runs, plain and decomposed, that are not edges of the control-flow graph. Failures are
listed for rows with an even number only. The programs run in this process: use trusted rows only.
"""

import argparse
import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from benchmarks.program_checks.behaviour import Behaviour, BehaviourRecorder, Moves, observe, observe_test
from benchmarks.program_checks.operation_counts import operations_by_line
from benchmarks.random_programs.construct_programs import construct_arguments, construct_program
from benchmarks.random_programs.object_programs import object_arguments, object_program
from benchmarks.random_programs.operator_programs import operator_arguments, operator_program
from benchmarks.random_programs.program_generator import arguments, program
from envs.execution.decompose.decomposition import Decomposed, Level, decompose
from envs.execution.syntax.control_flow_graph import control_flows

LIMIT = 100_000
"""Steps that an original call may take; its decomposed version may take 40 times as many."""


@dataclass(slots=True)
class DecomposeTally:
    """Counts over one set of programs."""

    programs: int = 0
    calls: int = 0
    too_long: int = 0
    different: list[str] = field(default_factory=list)
    """Programs whose decomposed version behaved differently."""
    missing_edges: list[str] = field(default_factory=list)
    """Programs with a real step that is no edge."""
    executed_lines: int = 0
    executed_crowded: int = 0
    """Executed lines with more than one operation."""
    atomic: Counter[str] = field(default_factory=Counter)
    """Lines that decompose reports as atomic, by reason."""

    @property
    def crowded_share(self) -> float:
        """Share of executed lines that hold more than one operation."""
        return self.executed_crowded / max(1, self.executed_lines)


@dataclass(frozen=True, slots=True)
class DecomposeCase:
    """One program and how to call it."""

    name: str
    source: str
    entry: str
    calls: tuple[str, ...] = ()
    test: str | None = None


def examine(cases: Iterable[DecomposeCase], level: Level = "operations") -> DecomposeTally:
    """Runs every case as written and decomposed, and counts the differences."""
    tally = DecomposeTally()
    for case in cases:
        tally.programs += 1
        decomposed = decompose(case.source, case.entry, level=level)
        tally.atomic.update(reason for _, reason in decomposed.atomic)
        _examine_case(case, decomposed, tally)
    return tally


def _examine_case(case: DecomposeCase, decomposed: Decomposed, tally: DecomposeTally) -> None:
    before, after = Moves(), Moves()
    for call in case.calls or (None,):
        plain, rewritten = BehaviourRecorder(LIMIT, moves=before), BehaviourRecorder(LIMIT * 40, moves=after)
        seen = _observed(case, case.source, call, plain)
        if seen is None:
            tally.too_long += 1
            continue
        tally.calls += 1
        if seen != _observed(case, decomposed.source, call, rewritten):
            tally.different.append(case.name)
    _count_lines(decomposed.source, after, tally)
    if missing_edges(case.source, before) or missing_edges(decomposed.source, after):
        tally.missing_edges.append(case.name)


def _observed(
    case: DecomposeCase, source: str, call: str | None, recorder: BehaviourRecorder
) -> list[Behaviour] | None:
    if case.test is not None:
        return observe_test(source, case.entry, case.test, recorder)
    seen = observe(source, case.entry, call or "", recorder)
    return None if seen is None else [seen]


def _count_lines(source: str, moves: Moves, tally: DecomposeTally) -> None:
    operations = operations_by_line(source)
    for (_, _, line), times in moves.items():
        if isinstance(line, int):
            tally.executed_lines += times
            tally.executed_crowded += times if operations.get(line, 0) > 1 else 0


def missing_edges(source: str, moves: Moves) -> list[tuple[int, int | str, int | str]]:
    """Real steps that the control-flow graphs of the source do not have."""
    graphs = control_flows(source)
    return [move for move in moves if not _is_edge(graphs[move[0]], move[1], move[2])]


def _is_edge(graph: Any, source: int | str, target: int | str) -> bool:
    if target == "return":  # an exception that passes through a `finally` leaves without a further event
        return bool(graph.has_edge(source, "return")) or bool(graph.has_edge(source, "raise"))
    return bool(graph.has_edge(source, target))


def generated(count: int, first: int = 0) -> Iterator[DecomposeCase]:
    """Cases from the generator of random programs."""
    for seed in range(first, first + count):
        yield DecomposeCase(f"seed {seed}", program(seed), "f", tuple(arguments(seed)))


_MAKERS = {
    "objects": (object_program, object_arguments),
    "constructs": (construct_program, construct_arguments),
    "operators": (operator_program, operator_arguments),
}


def generated_kind(kind: str, count: int, first: int = 0) -> Iterator[DecomposeCase]:
    """Cases from one of the generators of programs with classes and library values."""
    make, call = _MAKERS[kind]
    for seed in range(first, first + count):
        yield DecomposeCase(f"seed {seed}", make(seed), "f", (call(seed),))


def cruxeval(path: Path) -> Iterator[DecomposeCase]:
    """Cases from rows with `code` and `input`."""
    for row in _rows(path):
        yield DecomposeCase(row["id"], row["code"], "f", (row["input"],))


def humanevalfix(path: Path) -> Iterator[DecomposeCase]:
    """Cases from rows with a right and a wrong solution and a test."""
    for row in _rows(path):
        for kind in ("canonical", "buggy"):
            source = row["prompt" if kind == "canonical" else "declaration"] + row[f"{kind}_solution"]
            yield DecomposeCase(f"{row['task_id']} {kind}", source, row["entry_point"], test=row["test"])


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _may_be_named(name: str) -> bool:
    number = re.search(r"\d+", name)
    return number is None or name.startswith("seed") or int(number.group()) % 2 == 0


def _shown(tally: DecomposeTally) -> dict[str, Any]:
    shown: dict[str, Any] = {name: getattr(tally, name) for name in ("programs", "calls", "too_long")}
    for name in ("different", "missing_edges"):
        failed: list[str] = getattr(tally, name)
        shown[name] = {"count": len(failed), "named": [case for case in failed if _may_be_named(case)]}
    shown |= {"executed_lines": tally.executed_lines, "executed_crowded": tally.executed_crowded}
    return shown | {"crowded_share": round(tally.crowded_share, 5), "atomic": dict(tally.atomic.most_common())}


def main(argv: list[str] | None = None) -> None:
    """Measure the sets that the arguments name and print the counts as JSON."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=0, help="number of random programs")
    for kind in _MAKERS:
        parser.add_argument(f"--{kind}", type=int, default=0, help=f"number of random programs with {kind}")
    parser.add_argument("--first-seed", type=int, default=0, help="seed of the first random program")
    parser.add_argument("--cruxeval", type=Path, help="JSONL rows with code, input, id")
    parser.add_argument("--humanevalfix", type=Path, help="JSONL rows with prompt, solutions and test")
    parser.add_argument("--level", choices=get_args(Level), default="operations", help="level of decompose")
    parser.add_argument("--json", type=Path, help="file for the result")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore", SyntaxWarning)  # random programs compare oddly on purpose
    result: dict[str, Any] = {}
    if options.programs:
        result["generated"] = _shown(examine(generated(options.programs, options.first_seed), options.level))
    for kind in _MAKERS:
        if count := getattr(options, kind):
            result[kind] = _shown(examine(generated_kind(kind, count, options.first_seed), options.level))
    if options.cruxeval:
        result["cruxeval"] = _shown(examine(cruxeval(options.cruxeval), options.level))
    if options.humanevalfix:
        result["humanevalfix"] = _shown(examine(humanevalfix(options.humanevalfix), options.level))
    text = json.dumps(result, indent=2)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
