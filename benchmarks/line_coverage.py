"""Measures how many lines of real programs the line generator covers, by shape and types.

    python -m benchmarks.line_coverage TASKS.jsonl --samples 200000 --rows even

A shape is the line in the local view with constants replaced by their types, and the types of the values it reads.
Coverage is the share of real steps whose shape occurs in the generator's samples. Missing shapes are listed for even
rows only, most frequent first: odd rows are for measuring.
"""

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from cwm_agent.training.example import HELD_OUT_SEED
from cwm_agent.training.steps.line_examples import lines
from cwm_agent.views.local import local_view
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.effects import Question
from envs.execution.state.value_grammar import ExecutionError, Unsupported
from envs.execution.stepper.stepper import Stepper
from envs.execution.stepper.value_rules import split_items
from envs.execution.tracer.tracer import TraceLimits, trace
from tasks import load
from tasks.task import CallTest, RepairTask, TraceTask

_NUMBER = re.compile(r"-?\d+$")
_REAL = re.compile(r"-?(?:\d|inf|nan)")
_KIND = re.compile(r"([A-Za-z_.]+)\(")
_LABEL = re.compile(r"#\d+")


def queries(path: Path, rows: str, steps: int) -> Iterator[str]:
    """Queries of the local view from real runs of the tasks in a file."""
    for task in load(path).tasks:
        digits = re.findall(r"\d+", task.id)
        if rows != "all" and digits and int(digits[-1]) % 2 != (rows == "odd"):
            continue
        for source, entry, arguments in _calls(task):
            try:
                program = decomposed(source, entry)
            except ExecutionError:
                continue
            yield from _asked(program, arguments, steps)


def _calls(task: object) -> Iterator[tuple[str, str, str]]:
    if isinstance(task, TraceTask):
        yield task.source, task.entry, task.arguments
    elif isinstance(task, RepairTask):
        for source in filter(None, (task.source, task.reference)):
            for test in (*task.tests, *task.hidden):
                if isinstance(test, CallTest):
                    yield source, task.entry, test.arguments


def _asked(program: Program, arguments: str, steps: int) -> Iterator[str]:
    stepper = Stepper(program)
    for frame in trace(program, arguments, TraceLimits(steps=steps)).frames:
        if frame.event != "line":
            continue
        try:
            question = stepper.ask(frame)
            if isinstance(question, Question):
                yield local_view.ask(question).text
        except Unsupported:
            continue


def shape(query: str) -> str:
    """The line without its constants, and the types of the values it reads."""
    line, *values = query.split("\n")
    header = line.startswith("for ")
    tree = _Abstract().visit(ast.parse(f"{line}: pass" if header else line).body[0])
    text = ast.unparse(tree).partition(":\n")[0] if header else ast.unparse(tree)
    return " | ".join(
        [text, *[f"{name}={type_of(value)}" for name, _, value in (row.partition("=") for row in values)]]
    )


class _Abstract(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.expr:  # the name ast gives it
        return ast.Name(type(node.value).__name__.upper())

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        inner = self.visit(node.operand)
        constant = isinstance(node.operand, ast.Constant) and isinstance(node.op, ast.USub)
        return inner if constant else ast.UnaryOp(node.op, inner)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        parts = [ast.unparse(part.value) for part in node.values if isinstance(part, ast.FormattedValue)]
        return ast.Name(f"fstring({', '.join(parts)})")

    def visit_List(self, node: ast.List) -> ast.expr:
        return self._display(node, "LIST")

    def visit_Tuple(self, node: ast.Tuple) -> ast.expr:
        return self._display(node, "TUPLE")

    def visit_Set(self, node: ast.Set) -> ast.expr:
        return self._display(node, "SET")

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        return self._display(node, "DICT")

    def _display(self, node: ast.expr, name: str) -> ast.expr:
        if any(isinstance(part, ast.Name) for part in ast.walk(node)):
            return self.generic_visit(node)  # type: ignore[return-value]
        return ast.Name(name)


def type_of(text: str, depth: int = 1) -> str:
    """The type of a value's text; of a container also that of its first item."""
    text = _LABEL.sub("", text, count=1) if text.startswith("#") else text
    if not text:
        return "known"
    if text[0] in "'\"":
        return "str"
    if text in ("True", "False"):
        return "bool"
    if _NUMBER.match(text):
        return "int"
    if _REAL.match(text):
        return "float"
    if text[0] in "[({":
        return _container(text, depth)
    match = _KIND.match(text)
    inner = split_items(f"({text[match.end() : -1]})") if match else []
    return f"{match[1]}({type_of(inner[0], depth)})" if match and inner else match[1] if match else text


def _container(text: str, depth: int) -> str:
    items = split_items(text)
    name = {"[": "list", "(": "tuple", "{": "set"}[text[0]]
    if text[0] == "{" and (not items or _is_row(items[0])):
        name = "dict"
    if not items or not depth:
        return name
    return f"{name}[{type_of(items[0].partition(': ')[0] if name == 'dict' else items[0], depth - 1)}]"


def _is_row(item: str) -> bool:
    return ": " in re.sub(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", "''", item)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--rows", choices=("even", "odd", "all"), default="even")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--show", type=int, default=40)
    options = parser.parse_args()
    made = {shape(example.query.decode()) for example in islice(lines(HELD_OUT_SEED), options.samples)}
    asked = Counter(map(shape, queries(options.path, options.rows, options.steps)))
    total = sum(asked.values())
    missing = {each: count for each, count in asked.items() if each not in made}
    covered = 1 - sum(missing.values()) / total
    print(f"{total} steps of {len(asked)} shapes; {len(made)} shapes made in {options.samples} samples")
    print(f"covered {covered:.2%} of the steps; {len(missing)} shapes missing")
    if options.rows == "even":
        for each, count in Counter(missing).most_common(options.show):
            print(f"{count:6d}  {each}")


if __name__ == "__main__":
    main()
