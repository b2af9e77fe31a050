"""Study 4, strings: nested string operations in one step, one by one, and character by character.

    composed    the whole expression is one line: one question to the oracle
    flattened   one operation per line: rolled out in the local view
    characters  operations unrolled into loops over characters: rolled out in the local view

They are compared with the product of the accuracies of single steps, which is the expected accuracy if errors are
independent. Two more parts: accuracy of single steps by the type of the changed value, and programs that change a
collection while they iterate over it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from cwm_agent.oracles.protocol import Answer, Query
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.study_figures import Curve, Panel, PointMark, StudyFigure, named, share_scale
from cwm_agent.studies.experiments.measured_rollouts import measured_rows
from cwm_agent.studies.experiments.string_programs import MUTATING, Chain, chains
from cwm_agent.studies.intervals import mean, share
from cwm_agent.studies.study_protocol import CellResult, Row, Study, StudyOutput
from cwm_agent.studies.workbench import Workbench
from cwm_agent.training.steps.program_examples import held_out_tasks
from cwm_agent.verification.step_accuracy import Case, count_steps
from envs.execution.decompose.program import decomposed, plain
from envs.execution.state.effects import Effect, Question

DEPTHS = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Strings:
    """Chains of one depth, single steps by type, or programs that change a collection during iteration."""

    part: Literal["chains", "types", "mutation"]
    depth: int
    """Operations per chain; 0 for the other parts."""
    count: int
    """Number of programs; each mutating program has two calls."""


def cells(quick: bool) -> list[Strings]:
    """All depths, then types, then mutation."""
    count = 8 if quick else 60
    others = [Strings("types", 0, 12 if quick else 120), Strings("mutation", 0, len(MUTATING))]
    return [*(Strings("chains", depth, count) for depth in DEPTHS), *others]


def measure(cell: Strings, bench: Workbench) -> Sequence[Row]:
    """One row per chain, type or call."""
    if cell.part == "types":
        return _by_type(cell.count, bench)
    if cell.part == "mutation":
        return _mutations(bench)
    drawn = chains(cell.depth, cell.count, bench.seed)
    composed = _composed(drawn, bench)
    flat, atoms = _rolled(drawn, bench, "operations")
    single, _ = _rolled(drawn, bench, "characters")
    return [
        {"program": number, "composed": composed[number], "flattened": flat[number], "characters": single[number]}
        | {"atomic_right": atoms[number][0], "atomic_asked": atoms[number][1]}
        for number in range(len(drawn))
    ]


def _composed(drawn: Sequence[Chain], bench: Workbench) -> list[bool]:
    """Whether the answer to the whole expression as one line is right."""
    queries, wanted = [], []
    for chain in drawn:
        program = plain(chain.composed, "f")
        statement = program.lines[1].strip()
        frame = bench.trace(decomposed(chain.composed, "f"), chain.arguments).frames[0]
        question = Question(statement, 2, "f", reads=(("s", chain.arguments),), heap=())
        queries.append(Query(program, frame, question, "local"))
        real = bench.history(program, chain.arguments).outcome
        wanted.append(Effect(bound=(("t", real.value),)))
    said = [prediction.said for prediction in bench.markov_oracle.imagine(queries)]
    return [isinstance(each, Answer) and each.effect == effect for each, effect in zip(said, wanted, strict=True)]


def _rolled(drawn: Sequence[Chain], bench: Workbench, level: str) -> tuple[list[bool], list[tuple[int, int]]]:
    """Whether each rollout ends with the right result, and the numbers of right and of all single steps."""
    programs = [decomposed(chain.composed, "f", level) for chain in drawn]
    runs = [(program, bench.trace(program, chain.arguments)) for program, chain in zip(programs, drawn, strict=True)]
    rows = measured_rows(runs, bench.markov_oracle, "local", "grounded")
    steps = []
    for number, (program, real) in enumerate(runs):
        counts = count_steps([Case(str(number), program, real)], bench.markov_oracle, "local")
        steps.append(
            (sum(each.right for each in counts.by_type.values()), sum(each.asked for each in counts.by_type.values()))
        )
    return [bool(row["final"]) for row in rows], steps


def _by_type(count: int, bench: Workbench) -> list[Row]:
    """Accuracy of single steps of held-out programs, by the type of the changed value."""
    cases = []
    for task in held_out_tasks(count, bench.seed):
        program = decomposed(task["code"], task["entry"])
        cases.append(Case(task["id"], program, bench.trace(program, task["input"])))
    counts = count_steps(cases, bench.markov_oracle, "local")
    return [{"type": kind, "right": each.right, "asked": each.asked} for kind, each in sorted(counts.by_type.items())]


def _mutations(bench: Workbench) -> list[Row]:
    rows: list[Row] = []
    for each in MUTATING:
        program = decomposed(each.source, "f")
        runs = [(program, bench.trace(program, arguments)) for arguments in each.calls]
        rows += [{**row, "what": each.what} for row in measured_rows(runs, bench.markov_oracle, "local", "grounded")]
    return rows


def shown(results: Sequence[CellResult[Strings]]) -> StudyOutput:
    """Chains by depth, steps by type, and mutation during iteration."""
    by_depth = [each for each in results if each.cell.part == "chains"]
    types = [row for each in results if each.cell.part == "types" for row in each.rows]
    mutation = [row for each in results if each.cell.part == "mutation" for row in each.rows]
    figures = {"strings": _figure(by_depth)} if by_depth else {}
    tables = [_chain_table(by_depth)] if by_depth else []
    tables += [_type_table(types)] if types else []
    tables += [_mutation_table(mutation)] if mutation else []
    return StudyOutput(figures, "\n".join(tables) or "No cell was measured.\n")


def expected_accuracy(result: CellResult[Strings]) -> float:
    """The mean product of single-step accuracies: the accuracy of single steps to the power of a chain's steps."""
    right, asked = (sum(row[what] for row in result.rows) for what in ("atomic_right", "atomic_asked"))
    one = right / asked if asked else 0.0
    return mean([prod([one] * row["atomic_asked"]) for row in result.rows])


_WAYS = {"composed": "one expression", "flattened": "one operation per line", "characters": "character by character"}


def _figure(results: Sequence[CellResult[Strings]]) -> StudyFigure:
    depths = sorted(each.cell.depth for each in results)
    x = named("operations nested", [str(depth) for depth in depths])
    lines = []
    for way, name in _WAYS.items():
        marks = []
        for each in results:
            value, interval = share([float(row[way]) for row in each.rows])
            marks.append(
                PointMark(depths.index(each.cell.depth), value, interval.low, interval.high, programs=len(each.rows))
            )
        lines.append(Curve(name, tuple(marks)))
    product = tuple(PointMark(depths.index(each.cell.depth), expected_accuracy(each)) for each in results)
    lines.append(Curve("product of single steps", product, dashed=True))
    title = "String operations: results right, by depth of nesting"
    return StudyFigure(title, [Panel("local view", tuple(lines))], x, share_scale("share of programs"))


def _chain_table(results: Sequence[CellResult[Strings]]) -> str:
    rows = []
    for each in results:
        counts = [sum(bool(row[way]) for row in each.rows) for way in _WAYS]
        right, asked = (sum(row[what] for row in each.rows) for what in ("atomic_right", "atomic_asked"))
        rows.append((each.cell.depth, len(each.rows), *counts, f"{right} of {asked}", f"{expected_accuracy(each):.3f}"))
    return markdown(("depth", "chains", *_WAYS.values(), "single steps right", "product of single steps"), rows)


def _type_table(rows: Sequence[Row]) -> str:
    table = [(row["type"], row["asked"], f"{row['right'] / row['asked']:.3f}") for row in rows if row["asked"]]
    return markdown(("type of what a step changes", "steps", "right"), table)


def _mutation_table(rows: Sequence[Row]) -> str:
    calls, right = (Counter(row["what"] for row in rows if row["complete"] or every) for every in (True, False))
    table = [(what, f"{right[what]} of {count}", _kinds(rows, what)) for what, count in calls.items()]
    return markdown(("what is done", "whole traces right", "first errors"), table)


def _kinds(rows: Sequence[Row], what: str) -> str:
    return ", ".join(str(row["kind"]) for row in rows if row["what"] == what and row["kind"]) or "none"


STRINGS = Study(
    name="strings",
    question="Do nested string operations fail more in one step than one by one, or character by character?",
    cell=Strings,
    cells=cells,
    measure=measure,
    shown=shown,
    views=lambda cell: "local",
    cost=lambda cell: float(cell.count),
)
