"""Reads the doctests of a program as tests: `>>> f(2)` with `4` is a call with its exact result.

An example without output is set-up for later examples of the same docstring, and so is one that uses what they set up.
An example that is no such call, or that raises, becomes a function that returns what Python would show. Other printed
output is only known by running the example, so the reader reports the example and leaves it out.
"""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tasks.asserts import EXACT, Expectation, expecting
from tasks.comparison import EQUAL
from tasks.errors import NotPlain, Problem, TaskError, shortened
from tasks.reading.program_text import parse, unparsed
from tasks.reading.work_budget import WorkBudget
from tasks.suites import bound_names, code_test, function_of, read_names, suite_budget
from tasks.task import Test

if TYPE_CHECKING:
    import doctest
from tasks.value import read_value

_SHOWN_ERROR = """
try: pass
except Exception as error: return f'{type(error).__name__}: {error}'.removesuffix(': ')
"""


def read_doctests(path: Path, source: str, entry: str) -> Iterator[Test | Problem]:
    """The tests in the docstrings of a source, and a problem for each example that cannot be read."""
    budget = suite_budget()
    for owner in ast.walk(parse(source)):
        if not isinstance(owner, ast.Module | ast.FunctionDef | ast.ClassDef):
            continue
        text = ast.get_docstring(owner, clean=True)
        if text and ">>>" in text:
            for found in _examples(text, entry, budget):
                yield Problem(path, getattr(owner, "lineno", 1), "doctest", found) if isinstance(found, str) else found


def _examples(text: str, entry: str, budget: WorkBudget) -> Iterator[Test | str]:
    """The tests of a docstring, and a message for each example that cannot be read."""
    import doctest  # it imports the debugger and unittest

    before: list[ast.stmt] = []
    try:
        for example in doctest.DocTestParser().get_examples(text):
            body = parse(example.source).body
            if example.want:
                try:
                    yield _test(example, body, before, entry, budget=budget)
                except TaskError as error:
                    yield shortened(f"{example.source.strip()!r}: {error}")
            if not example.want or (example.exc_msg is None and _uses(body, before)):
                before += body
    except (ValueError, TaskError) as error:  # ValueError: doctest's own
        yield shortened(f"does not parse: {error}")


def _uses(body: Sequence[ast.stmt], before: Sequence[ast.stmt]) -> bool:
    """Whether statements may change what earlier ones made."""
    made = frozenset[str]().union(*map(bound_names, before))
    return not made.isdisjoint(frozenset[str]().union(*map(read_names, body)))


def _test(
    example: "doctest.Example", body: Sequence[ast.stmt], before: Sequence[ast.stmt], entry: str, budget: WorkBudget
) -> Test:
    want = example.want.strip()
    if example.exc_msg is not None:
        return _raising(example.exc_msg.strip(), body, before, budget)
    match body:
        case [ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[printed], keywords=[]))]:
            return _returning(Expectation(_called("str", printed), want, EQUAL), before, budget)
        case [ast.Expr(value=value)]:
            try:
                shown = read_value(want)
            except NotPlain:
                return _returning(Expectation(_called("repr", value), want, EQUAL), before, budget)
            test = expecting(value, shown, EXACT, entry) if _is_alone(value, entry) else None
            return test or _returning(Expectation(value, shown, EXACT), before, budget)
    raise TaskError("the example prints while it runs; write it as an assert")


def _is_alone(value: ast.expr, entry: str) -> bool:
    """Whether an example is a call of the entry with plain values."""
    try:
        return expecting(value, None, EXACT, entry) is not None
    except NotPlain:
        return False


def _returning(seen: Expectation, before: Sequence[ast.stmt], budget: WorkBudget) -> Test:
    found = function_of(before, [ast.Return(seen.expression)], (), budget, seen=seen)
    return found or code_test(
        before, _statement(f"assert {unparsed(seen.expression)} == {seen.expected!r}"), (), budget
    )


def _raising(message: str, body: Sequence[ast.stmt], before: Sequence[ast.stmt], budget: WorkBudget) -> Test:
    """A function that returns the exception of the body as a doctest shows it."""
    (raising,) = parse(_SHOWN_ERROR).body
    assert isinstance(raising, ast.Try)
    raising.body = list(body)
    seen = Expectation(ast.Constant("nothing was raised"), message, EQUAL)
    found = function_of(before, [raising, ast.Return(seen.expression)], (), budget, seen=seen)
    if found is None:
        raise TaskError("the example cannot stand in a function; write it as an assert")
    return found


def _called(name: str, argument: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [argument], [])


def _statement(text: str) -> ast.stmt:
    (statement,) = parse(text).body
    return statement
