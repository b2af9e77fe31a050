"""Edits of whole statements: left out, in the other order, moved out of a block or into one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.source_text import Block, EditDraft, Function, SourceText

_OWNERS = (ast.For, ast.While, ast.If, ast.With, ast.Try)


def deleted(page: SourceText) -> Iterator[EditDraft]:
    """Each statement left out."""
    for block in page.blocks:
        for statement in block.statements:
            lines = page.own_lines(statement)
            if lines is None or isinstance(statement, Function | ast.ClassDef | ast.Import | ast.ImportFrom):
                continue
            if _is_elif(page, statement):
                continue
            alone = len(block.statements) == 1
            text = f"{page.indent(statement)}pass\n" if alone else ""
            if not isinstance(statement, ast.Pass):
                yield EditDraft("statement-delete", *lines, text)


def deleted_pairs(page: SourceText) -> Iterator[EditDraft]:
    """Two simple statements that follow each other left out together."""
    for block in page.blocks:
        for first, second in zip(block.statements, block.statements[1:], strict=False):
            one, two = page.own_lines(first), page.own_lines(second)
            simple = all(isinstance(each, ast.Assign | ast.AugAssign | ast.Expr) for each in (first, second))
            if one and two and simple and len(block.statements) > 2:
                yield EditDraft("statement-delete-two", one[0], two[1], "")


def deleted_branches(page: SourceText) -> Iterator[EditDraft]:
    """An `if` without its `else`."""
    for statement in page.statements(ast.If, ast.For, ast.While):
        body, orelse = statement.body, statement.orelse  # type: ignore[attr-defined]
        if not orelse or _is_elif(page, orelse[0]):
            continue
        last, end = page.own_lines(body[-1]), page.own_lines(orelse[-1])
        if last and end:
            yield EditDraft("branch-delete", last[1], end[1], "")


def swapped(page: SourceText) -> Iterator[EditDraft]:
    """Two statements that follow each other, in the other order."""
    for block in page.blocks:
        for first, second in zip(block.statements, block.statements[1:], strict=False):
            one, two = page.own_lines(first), page.own_lines(second)
            if one is None or two is None or isinstance(first, Function) or isinstance(second, Function):
                continue
            if isinstance(first, ast.Return | ast.Raise | ast.Break | ast.Continue):
                continue
            upper, gap, lower = (page.source[a:b] for a, b in (one, (one[1], two[0]), two))
            if not lower.endswith("\n"):
                lower, upper = f"{lower}\n", upper.removesuffix("\n")
            yield EditDraft("statement-swap", one[0], two[1], f"{lower}{gap}{upper}")


def moved_out(page: SourceText) -> Iterator[EditDraft]:
    """The last statement of a block put behind it, the first one before it."""
    for block in page.blocks:
        if not isinstance(block.owner, _OWNERS) or len(block.statements) < 2:
            continue
        owner = block.owner
        whole, last = page.own_lines(owner), page.own_lines(block.statements[-1])
        first = page.own_lines(block.statements[0])
        if whole is None or last is None or first is None or _is_elif(page, owner):
            continue
        indent = page.indent(owner)
        rest = page.source[last[1] : whole[1]]
        moved = reindented(page, block.statements[-1], indent)
        if not isinstance(block.statements[-1], ast.Break | ast.Continue) or page.loop(owner):
            yield EditDraft("statement-out", last[0], whole[1], f"{_closed(rest)}{moved}")
        if block.field == "body":
            head = page.source[whole[0] : first[0]]
            moved = reindented(page, block.statements[0], indent)
            yield EditDraft("statement-out", whole[0], first[1], f"{moved}{head}")


def moved_in(page: SourceText) -> Iterator[EditDraft]:
    """The statement behind a block put at its end, the one before it at its beginning."""
    for block in page.blocks:
        for first, second in zip(block.statements, block.statements[1:], strict=False):
            one, two = page.own_lines(first), page.own_lines(second)
            if one is None or two is None:
                continue
            for inner in _ends(page, first):
                text = reindented(page, second, page.indent(inner.statements[-1]))
                yield EditDraft("statement-in", *two, text)
            if isinstance(second, _OWNERS) and isinstance(first, ast.Assign | ast.AugAssign | ast.Expr):
                body = second.body[0]
                lines = page.own_lines(body)
                if lines:
                    head = page.source[one[1] : lines[0]]
                    text = reindented(page, first, page.indent(body))
                    yield EditDraft("statement-in", one[0], lines[0], f"{head}{text}")


def _ends(page: SourceText, statement: ast.stmt) -> Iterator[Block]:
    """The blocks that a statement ends with, outermost first."""
    while isinstance(statement, _OWNERS):
        body = getattr(statement, "orelse", None) or statement.body
        block = page.block_of.get(body[-1])
        if block is None:
            return
        yield block
        statement = body[-1]


def reindented(page: SourceText, statement: ast.stmt, indent: str) -> str:
    """The whole lines of a statement at another indentation."""
    lines = page.own_lines(statement)
    assert lines is not None
    old = page.indent(statement)
    texts = page.source[lines[0] : lines[1]].splitlines()
    return "".join(f"{indent}{line.removeprefix(old)}\n" if line.strip() else "\n" for line in texts)


def _closed(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _is_elif(page: SourceText, statement: ast.stmt) -> bool:
    start, _ = page.span(statement)
    return page.source.startswith("elif", start)
