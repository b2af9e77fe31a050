"""Bugs of whole statements: missing statements, missing conditions, wrong block, wrong order."""

import ast
from collections.abc import Iterator, Sequence
from random import Random

from cwm_agent.training.policy.bug_text import Bug, Lines, indented

LONGEST_FORGOTTEN = 6
"""Lines of the longest statement that a bug may remove."""
STEP = 4
"""Columns of one indentation level."""


def statement_bugs(function: ast.FunctionDef, nodes: Sequence[ast.AST], lines: Lines, rng: Random) -> Iterator[Bug]:
    """Statement bugs of a function with these nodes."""
    for node in nodes:
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield from _of_block(block, lines, rng, inner=node is not function)
        if isinstance(node, ast.If):
            yield from _of_branches(node, lines)
        if isinstance(node, ast.If | ast.While) and rng.random() < 0.3:
            yield from _of_word(node, lines)


def _of_word(node: ast.If | ast.While, lines: Lines) -> Iterator[Bug]:
    """`while` in place of `if`, or the reverse."""
    word, other = ("if", "while") if isinstance(node, ast.If) else ("while", "if")
    start = lines.span(node)[0]
    if lines.source.startswith(f"{word} ", start):  # not `elif`
        yield Bug("loop-word", start, start + len(word), other)


def _of_block(block: list[ast.stmt], lines: Lines, rng: Random, *, inner: bool) -> Iterator[Bug]:
    for at, each in enumerate(block):
        start, end = lines.whole(each)
        margin = lines.span(each)[0] - start
        if _is_quiet(each) or not lines.source[start : start + margin].isspace():
            continue  # it shares its line with another statement
        yield from _of_statement(each, lines, margin, alone=len(block) == 1)
        if at + 1 < len(block) and lines.whole(block[at + 1])[0] == end:
            after = lines.whole(block[at + 1])
            yield Bug("order", start, after[1], lines.source[slice(*after)] + lines.source[start:end])
            if len(block) > 2 and not _is_quiet(block[at + 1]) and _is_short(lines.source[start : after[1]]):
                yield Bug("forgotten-several", start, after[1], "")
        if inner and 0 < at == len(block) - 1 and margin >= 2 * STEP:
            yield Bug("moved-out", start, end, indented(lines.source[start:end], margin - STEP))
        if at and isinstance(block[at - 1], ast.For | ast.While | ast.If) and rng.random() < 0.7:
            yield Bug("moved-in", start, end, indented(lines.source[start:end], margin + STEP))


def _of_statement(statement: ast.stmt, lines: Lines, margin: int, *, alone: bool) -> Iterator[Bug]:
    start, end = lines.whole(statement)
    text = lines.source[start:end]
    if _is_short(text):
        yield Bug("forgotten", start, end, f"{' ' * margin}pass\n" if alone else "")
    if isinstance(statement, ast.If) and not statement.orelse:
        first, last = lines.whole(statement.body[0], statement.body[-1])
        if first > start:
            yield Bug("forgotten-condition", start, end, indented(lines.source[first:last], margin))
    if isinstance(statement, ast.Break | ast.Continue):
        word, other = ("break", "continue") if isinstance(statement, ast.Break) else ("continue", "break")
        yield Bug("leaving", start, end, text.replace(word, other))
    if isinstance(statement, ast.AugAssign):
        yield Bug("twice", start, end, text + text)


def _of_branches(node: ast.If, lines: Lines) -> Iterator[Bug]:
    """Missing branches: all others, or the next one."""
    if not node.orelse:
        return
    start, end = lines.whole(node.body[-1])[1], lines.whole(node.orelse[-1])[1]
    if lines.source[start:end].count("\n") <= LONGEST_FORGOTTEN + 2:
        yield Bug("forgotten-branch", start, end, "")
    first = node.orelse[0]
    if isinstance(first, ast.If) and lines.source.startswith("elif", lines.span(first)[0]):
        yield Bug("forgotten-branch", lines.whole(first)[0], lines.whole(first.body[-1])[1], "")
        return
    inner, margin = lines.whole(first)[0], lines.span(node)[0] - lines.starts[node.lineno - 1]
    if lines.source[start:inner].strip() == "else:" and lines.source[inner : lines.span(first)[0]].isspace():
        yield Bug("forgotten-else", start, end, indented(lines.source[inner:end], margin))


def _is_short(text: str) -> bool:
    return text.count("\n") <= LONGEST_FORGOTTEN


def _is_quiet(statement: ast.stmt) -> bool:
    """Whether the statement does nothing by itself: docstrings, definitions, `pass`."""
    docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return docstring or isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Pass)
