"""Training data of classes, generators and library values: tables parse, every row yields examples, labels are real."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

import pytest
from rerun_steps import program_examples

from cwm_agent.training.example import Example, Source
from cwm_agent.training.patterns.pattern import pattern_family
from cwm_agent.training.program_writer import inputs
from cwm_agent.training.program_writer.renaming import renamed
from cwm_agent.training.program_writer.template import CLASSES, FAMILIES, GENERATORS, LIBRARY, NESTED, fill
from cwm_agent.training.steps.line_examples import library_lines
from cwm_agent.training.steps.line_labels import line_example
from cwm_agent.training.steps.program_examples import (
    DEEP,
    OBJECT_MIX,
    deep_steps,
    object_program_steps,
    object_steps,
    write_program,
)
from cwm_agent.training.steps.program_mutants import mutated
from cwm_agent.training.steps.short_runs import TooLarge, run_steps, stopped_in_time
from cwm_agent.training.steps.trace_examples import Examiner, TracedStep
from envs.execution.decompose.program import decomposed
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import ExecutionError
from tasks import RepairTask, TraceTask, load

SOURCES = [object_steps, object_program_steps, deep_steps, library_lines]
UNSUPPORTED = {"operators": {"class Session:", "class Plant:"}, "iterators": {"from functools import cmp_to_key"}}
"""Templates by their first line that the stepper does not follow, or whose sorting cannot be stopped at every line."""


@pytest.mark.parametrize(
    ("group", "least"),
    [
        pytest.param(CLASSES, 95, id="classes"),
        pytest.param(GENERATORS, 65, id="generators"),
        pytest.param(LIBRARY, 100, id="library"),
    ],
)
def test_there_are_enough_templates_and_all_differ(group: tuple[str, ...], least: int) -> None:
    templates = [template for name in group for template in FAMILIES[name]]
    assert len(set(templates)) == len(templates) >= least


def examples_of(template: str, seeds: int) -> Iterator[Example]:
    """Local examples of a few fillings of a template."""
    for seed in range(seeds):
        rng = Random(seed)
        program = fill(template, rng)
        arguments = ", ".join(inputs.argument(rng, kind) for kind in program.parameters)
        examiner = Examiner(decomposed(program.source, program.entry))
        try:
            with stopped_in_time():
                run = run_steps(examiner, arguments, 200)
        except TooLarge:
            continue
        for step in run.steps if run else ():
            if (example := examiner.local_example(step)) is not None:
                yield example


@pytest.mark.parametrize("family", [*CLASSES, *GENERATORS, *NESTED, *LIBRARY])
def test_each_template_yields_examples(family: str) -> None:
    known = UNSUPPORTED.get(family, set())
    for template in FAMILIES[family]:
        found = next(examples_of(template, 4), None)
        assert found is not None or template.split("\n", 1)[0] in known, template


@pytest.mark.parametrize("table", ["library", "precision", "rare", "echoes", "readable"])
def test_each_row_of_a_table_yields_examples(table: str) -> None:
    for pattern in pattern_family(table):
        rng = Random(1)
        drawn = (pattern.draw(rng) for _ in range(40))
        found = (line_example(each.statement, each.values, each.kind, constants=each.constants) for each in drawn)
        assert next(filter(None, found), None) is not None, pattern


def test_tables_hold_several_hundred_lines() -> None:
    assert len(pattern_family("library")) >= 300
    assert len(pattern_family("precision")) >= 110


@pytest.mark.parametrize("source", SOURCES)
def test_a_seed_fixes_the_examples(source: Source) -> None:
    first, again, other = (list(islice(source(seed), 40)) for seed in (21, 21, 22))
    assert first == again
    assert first != other


def test_hashes_of_strings_leave_no_trace_in_lines() -> None:
    code = "from itertools import islice; from cwm_agent.training.steps.line_examples import library_lines as lines;"
    code += "import hashlib; print(hashlib.md5(repr(list(islice(lines(11), 800))).encode()).hexdigest())"
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


@pytest.mark.parametrize("seed", range(8))
def test_effects_from_the_trace_equal_those_of_running_the_line_again(seed: int) -> None:
    """Two independent ways to label a step agree, byte for byte."""
    rng = Random(seed)
    checked = 0
    for _ in range(5):
        written = write_program(rng, 1, OBJECT_MIX)
        try:
            examiner = Examiner(decomposed(written.source, written.entry))
            run = run_steps(examiner, written.calls[0], 90)
        except (ExecutionError, SyntaxError, ValueError, TooLarge):
            continue
        if run is None or not run.ended:
            continue
        expected = program_examples(examiner.program, written.calls[0], "", steps=90)
        answers = {(view, one.query): one.answer for view, one in expected}
        for step in run.steps:
            for view, example in (("local", examiner.local_example(step)), ("program", examiner.program_example(step))):
                if example is not None and (view, example.query) in answers:
                    assert example.answer == answers[view, example.query], written.source
                    checked += 1
    assert checked


def test_deep_examples_come_from_the_far_part_of_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first steps of a run are never asked about: every example's step lies behind the first 300."""
    kept: list[TracedStep] = []
    places: dict[int, int] = {}
    asked: list[int] = []
    steps, local_example = Examiner.steps, Examiner.local_example

    def numbered(self: Examiner, frames: Sequence[Frame]) -> list[TracedStep]:
        made = steps(self, frames)
        kept.extend(made)  # so that no other object gets the identity of a step
        places.update({id(step): place for place, step in enumerate(made)})
        return made

    def recorded(self: Examiner, step: TracedStep) -> Example | None:
        asked.append(places[id(step)])
        return local_example(self, step)

    monkeypatch.setattr(Examiner, "steps", numbered)
    monkeypatch.setattr(Examiner, "local_example", recorded)
    assert len(list(islice(deep_steps(5), 60))) == 60
    assert min(asked) >= DEEP


PROGRAM = """
from collections import deque
class Item:
    size = 1
    def __init__(self, label):
        self.label = label
        self.parts = deque([label])
    def grow(self, amount=2):
        self.size += amount
        self.parts.append(amount)
        return self.label
def f(x):
    item = Item(x)
    text = item.grow(amount=5)
    return text, item.size, list(item.parts)
"""


@pytest.mark.parametrize("seed", range(12))
def test_renaming_keeps_what_a_program_does(seed: int) -> None:
    source, entry = renamed(PROGRAM, "f", Random(seed))
    space: dict[str, object] = {}
    exec(source, space)
    assert space[entry]("ab") == ("ab", 6, ["ab", 5])  # type: ignore[operator]
    assert "class Item" not in source
    assert "self." in source


def test_methods_are_mutated() -> None:
    source = (
        "class A:\n    def __init__(self):\n        self.n = 3\n\n    def up(self, k):\n        return self.n + k\n"
    )
    changed = {mutated(source, Random(seed)) for seed in range(20)}
    assert any("self.n - k" in each or "self.n * k" in each for each in changed)


def test_no_template_is_a_program_of_the_tasks() -> None:
    """Programs that are measured on are not trained on: no function or class body occurs in both."""

    def bodies(source: str) -> set[str]:
        kinds = (ast.FunctionDef, ast.ClassDef)
        found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds))
        return {ast.dump(ast.Module(node.body, [])) for node in found if len(node.body) > 1}

    measured: set[str] = set()
    for task in (*load("trace").tasks, *load("repair").tasks):
        assert isinstance(task, TraceTask | RepairTask)
        measured |= bodies(task.source) | bodies(getattr(task, "reference", None) or "")
    for name in (*CLASSES, *GENERATORS, *NESTED, *LIBRARY):
        for template in FAMILIES[name]:
            shared = measured & bodies(ast.unparse(ast.parse(plain(template))))
            assert not shared, (template, shared)


def plain(template: str) -> str:
    """A filling of the template in its own names."""
    return next(made.source for seed in range(40) if (made := fill(template, Random(seed))).entry == "f")


IMPORTS = """
import bisect, copy, functools, heapq, itertools, math, operator, re, string
from collections import Counter, OrderedDict, defaultdict, deque
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
"""


@pytest.mark.parametrize("table", ["library", "precision", "rare", "echoes", "readable"])
def test_each_row_is_one_line_of_a_decomposed_program(table: str) -> None:
    """Rows with two operations would teach lines that no program has."""
    for pattern in pattern_family(table):
        pieces = [piece.lower() if place % 2 else piece for place, piece in enumerate(pattern.pieces)]
        statement = "".join(pieces) if pattern.assigned < 0.5 else f"o = {''.join(pieces)}"
        if statement.startswith("for "):
            continue  # its iterator is made a line before
        source = f"{IMPORTS}def f({', '.join(sorted(set(pieces[1::2])))}):\n    {statement}\n    return 0\n"
        lines = decomposed(source, "f").source.partition("def f(")[2].splitlines()[1:]
        kept = [line for line in lines if line.strip() and "return" not in line]
        assert len(kept) == 1, kept
