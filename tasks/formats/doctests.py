"""Reads the doctests of a program as tests: `>>> f(2)` with `4` is a call with its exact result.

An example without output is set-up for later examples of the same docstring; an example that raises becomes code. Other
printed output is only known by running the example, so the reader reports the example and leaves it out.
"""

import ast
import doctest
from collections.abc import Iterator, Sequence
from pathlib import Path

from tasks.asserts import EXACT, expecting
from tasks.errors import NotPlain, Problem, TaskError, shortened
from tasks.program_text import parse, unparsed
from tasks.suites import code_test, suite_budget
from tasks.task import CodeTest, Test
from tasks.value import read_value
from tasks.work_budget import WorkBudget


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
    before: list[ast.stmt] = []
    try:
        for example in doctest.DocTestParser().get_examples(text):
            body = parse(example.source).body
            if not example.want:
                before += body
                continue
            try:
                yield _test(example, body, before, entry, budget)
            except TaskError as error:
                yield shortened(f"{example.source.strip()!r}: {error}")
    except (ValueError, TaskError) as error:  # ValueError: doctest's own
        yield shortened(f"does not parse: {error}")


def _test(
    example: doctest.Example, body: Sequence[ast.stmt], before: Sequence[ast.stmt], entry: str, budget: WorkBudget
) -> Test:
    want = example.want.strip()
    if example.exc_msg is not None:
        return _raising(example.exc_msg.strip(), body, before, budget)
    match body:
        case [ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[printed], keywords=[]))]:
            return code_test(before, _statement(f"assert str({unparsed(printed)}) == {want!r}"), (), budget)
        case [ast.Expr(value=value)]:
            try:
                test = expecting(value, read_value(want), EXACT, entry)
            except NotPlain:
                test = None
            return test or code_test(before, _statement(f"assert repr({unparsed(value)}) == {want!r}"), (), budget)
    raise TaskError("the example prints while it runs; write it as an assert")


def _raising(message: str, body: Sequence[ast.stmt], before: Sequence[ast.stmt], budget: WorkBudget) -> CodeTest:
    """Code that passes if the body raises the exception of the doctest with the same message."""
    lines = "\n".join(f"    {line}" for part in body for line in unparsed(part).splitlines())
    shown = "f'{type(error).__name__}: {error}'.removesuffix(': ')"
    return code_test(
        before,
        _statement(
            f"try:\n{lines}\nexcept Exception as error:\n    assert {shown} == {message!r}\n"
            f"else:\n    raise AssertionError('nothing was raised')"
        ),
        (),
        budget,
    )


def _statement(text: str) -> ast.stmt:
    (statement,) = parse(text).body
    return statement
