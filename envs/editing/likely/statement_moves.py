"""Edits of whole statements: delete, swap, move out of a block or into one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.source_text import Block, Replacement, SourceText
from envs.editing.variable_scopes import Function

_OWNERS = (ast.For, ast.While, ast.If, ast.With, ast.Try)


def deleted(code: SourceText) -> Iterator[Replacement]:
    """Deletes each statement."""
    for block in code.blocks:
        for statement in block.statements:
            lines = code.own_lines(statement)
            if lines is None or isinstance(statement, Function | ast.ClassDef | ast.Import | ast.ImportFrom):
                continue
            if _is_elif(code, statement):
                continue
            alone = len(block.statements) == 1
            text = f"{code.indent(statement)}pass\n" if alone else ""
            if not isinstance(statement, ast.Pass):
                yield Replacement("statement-delete", *lines, text)


def deleted_pairs(code: SourceText) -> Iterator[Replacement]:
    """Deletes two consecutive simple statements."""
    for block in code.blocks:
        for first, second in zip(block.statements, block.statements[1:], strict=False):
            one, two = code.own_lines(first), code.own_lines(second)
            simple = all(isinstance(each, ast.Assign | ast.AugAssign | ast.Expr) for each in (first, second))
            if one and two and simple and len(block.statements) > 2:
                yield Replacement("statement-delete-two", one[0], two[1], "")


def deleted_branches(code: SourceText) -> Iterator[Replacement]:
    """Deletes the `else` of an `if` or a loop."""
    for statement in code.statements(ast.If, ast.For, ast.While):
        body, orelse = statement.body, statement.orelse  # type: ignore[attr-defined]
        if not orelse or _is_elif(code, orelse[0]):
            continue
        last, end = code.own_lines(body[-1]), code.own_lines(orelse[-1])
        if last and end:
            yield Replacement("branch-delete", last[1], end[1], "")


def swapped(code: SourceText) -> Iterator[Replacement]:
    """Swaps two consecutive statements."""
    for block in code.blocks:
        for first, second in zip(block.statements, block.statements[1:], strict=False):
            one, two = code.own_lines(first), code.own_lines(second)
            if one is None or two is None or isinstance(first, Function) or isinstance(second, Function):
                continue
            if isinstance(first, ast.Return | ast.Raise | ast.Break | ast.Continue):
                continue
            upper, gap, lower = (code.source[a:b] for a, b in (one, (one[1], two[0]), two))
            if not lower.endswith("\n"):
                lower, upper = f"{lower}\n", upper.removesuffix("\n")
            yield Replacement("statement-swap", one[0], two[1], f"{lower}{gap}{upper}")


def moved_far(code: SourceText) -> Iterator[Replacement]:
    """Moves a statement, or two consecutive ones, over two statements or more of its block, up or down."""
    for block in code.blocks:
        lines = [code.own_lines(each) for each in block.statements]
        for first in range(len(lines)):
            for behind in (first + 1, first + 2):
                for place in (*range(first - 1), *range(behind + 2, len(lines) + 1)):
                    yield from _moved(code, lines, first, behind, place)


def _moved(
    code: SourceText, lines: list[tuple[int, int] | None], first: int, behind: int, place: int
) -> Iterator[Replacement]:
    """Moves the statements from `first` to `behind` in front of the statement at `place`."""
    low, high = (place, behind) if place < first else (first, place)
    whole = lines[low:high]
    if behind > len(lines) or any(each is None for each in whole):
        return
    start, middle, end = (lines[at] for at in (low, first if place < first else behind, high - 1))
    assert start
    assert middle
    assert end
    upper, lower = code.source[start[0] : middle[0]], code.source[middle[0] : end[1]]
    yield Replacement("statement-move", start[0], end[1], _with_newline(lower) + upper)


def moved_out(code: SourceText) -> Iterator[Replacement]:
    """Moves the last statement of a block after the block, or the first one before it."""
    for block in code.blocks:
        if not isinstance(block.owner, _OWNERS) or len(block.statements) < 2:
            continue
        owner = block.owner
        whole, last = code.own_lines(owner), code.own_lines(block.statements[-1])
        first = code.own_lines(block.statements[0])
        if whole is None or last is None or first is None or _is_elif(code, owner):
            continue
        indent = code.indent(owner)
        rest = code.source[last[1] : whole[1]]
        moved = reindented(code, block.statements[-1], indent)
        if not isinstance(block.statements[-1], ast.Break | ast.Continue) or code.loop(owner):
            yield Replacement("statement-out", last[0], whole[1], f"{_with_newline(rest)}{moved}")
        if block.field == "body":
            head = code.source[whole[0] : first[0]]
            moved = reindented(code, block.statements[0], indent)
            yield Replacement("statement-out", whole[0], first[1], f"{moved}{head}")


def moved_in(code: SourceText) -> Iterator[Replacement]:
    """Moves the statement after a block to its end, or the one before the block to its beginning."""
    for block in code.blocks:
        for first, second in zip(block.statements, block.statements[1:], strict=False):
            one, two = code.own_lines(first), code.own_lines(second)
            if one is None or two is None:
                continue
            for inner in _trailing_blocks(code, first):
                text = reindented(code, second, code.indent(inner.statements[-1]))
                yield Replacement("statement-in", *two, text)
            if isinstance(second, _OWNERS) and isinstance(first, ast.Assign | ast.AugAssign | ast.Expr):
                body = second.body[0]
                lines = code.own_lines(body)
                if lines:
                    head = code.source[one[1] : lines[0]]
                    text = reindented(code, first, code.indent(body))
                    yield Replacement("statement-in", one[0], lines[0], f"{head}{text}")


def _trailing_blocks(code: SourceText, statement: ast.stmt) -> Iterator[Block]:
    """The blocks that a statement ends with, outermost first."""
    while isinstance(statement, _OWNERS):
        body = getattr(statement, "orelse", None) or statement.body
        block = code.block_of.get(body[-1])
        if block is None:
            return
        yield block
        statement = body[-1]


def reindented(code: SourceText, statement: ast.stmt, indent: str) -> str:
    """The whole lines of a statement at another indentation."""
    lines = code.own_lines(statement)
    assert lines is not None
    old = code.indent(statement)
    texts = code.source[lines[0] : lines[1]].splitlines()
    return "".join(f"{indent}{line.removeprefix(old)}\n" if line.strip() else "\n" for line in texts)


def _with_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _is_elif(code: SourceText, statement: ast.stmt) -> bool:
    start, _ = code.span(statement)
    return code.source.startswith("elif", start)
