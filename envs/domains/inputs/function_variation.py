"""Tests of several steps like those of a task: their plain constants with one or two changes that keep every type.

A test that builds an object and calls its methods has no arguments of its own that could be varied; the values in its
statements are varied in their place. Equal texts are changed together: they mostly name the same thing. Runs nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from envs.domains.inputs.input_variation import Vocabulary, changed
from tasks.comparison import EQUAL
from tasks.errors import NotPlain, TaskError
from tasks.reading.constant_folding import fold
from tasks.reading.program_text import parse, unparsed
from tasks.task import FunctionTest
from tasks.value import write_value

CHANGES = (1, 1, 2)
"""Numbers of changes of one test."""
TRIES = 10
"""Draws for each test that is wanted; a test has few constants, so many draws are repetitions."""


def varied_functions(tests: Sequence[FunctionTest], rng: Random, count: int) -> tuple[FunctionTest, ...]:
    """At most `count` different tests whose code no test has, the shortest first; what they expect says nothing."""
    vocabulary = Vocabulary()
    usable = [test for test in tests if _ends_with_result(test.code)]
    for test in usable:
        vocabulary.add([value for _, value in _constants(parse(test.code))])
    known, found = {unparsed(parse(test.code)) for test in usable}, dict[str, FunctionTest]()
    for _ in range(count * TRIES if usable else 0):
        test = rng.choice(usable)
        code = _varied(test.code, vocabulary, rng)
        if code not in known and code not in found:
            comparison = EQUAL if test.comparison.kind == "truth" else test.comparison
            found[code] = FunctionTest(code, "None", comparison, test.setup, test.world)
        if len(found) == count:
            break
    return tuple(found[code] for code in sorted(found, key=lambda code: (len(code), code)))


def _ends_with_result(code: str) -> bool:
    """Whether the last statement returns the result and no other does, and Python can write the code again."""
    tree = parse(code)
    try:
        unparsed(tree)
    except NotPlain:
        return False
    returns = [each for each in ast.walk(tree) if isinstance(each, ast.Return)]
    return len(returns) == 1 and isinstance(tree.body[-1], ast.Return)


def _varied(code: str, vocabulary: Vocabulary, rng: Random) -> str:
    """The code with some constants changed; the same code where it has none."""
    for _ in range(rng.choice(CHANGES)):
        tree = parse(code)
        places = list(_constants(tree))
        if not places:
            return code
        node, value = rng.choice(places)
        new = changed(value, vocabulary, rng)
        code = unparsed(_Replaced(node, value, new).visit(tree))
    return code


class _Replaced(ast.NodeTransformer):
    """Puts a value in the place of a node, and of every text equal to it."""

    def __init__(self, node: ast.expr, old: Any, new: Any) -> None:
        self.node, self.old = node, old
        self.new = parse(f"({write_value(new)}\n)").body[0].value  # type: ignore[attr-defined]

    def visit(self, node: ast.AST) -> Any:
        same = isinstance(self.old, str) and isinstance(node, ast.Constant) and node.value == self.old
        return self.new if node is self.node or same else self.generic_visit(node)


def _constants(tree: ast.AST) -> Iterator[tuple[ast.expr, Any]]:
    """The outermost expressions that are plain values, with their values."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.JoinedStr | ast.FunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.expr) and not isinstance(node, ast.Name):
            try:
                yield node, fold(node)
                continue
            except (NotPlain, TaskError):
                pass
        yield from _constants(node)
