"""Edits of subscripts: an index one off, bounds of a slice, an item for a part and a part for an item."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import ORDERED
from envs.editing.likely.operands import stepped
from envs.editing.source_text import EditDraft, SourceText

_DICT = frozenset({"dict"})


def indexes(page: SourceText) -> Iterator[EditDraft]:
    """An index one more or less, the last or first item, and two indexes in the other order."""
    for node in page.nodes:
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice | ast.Tuple):
            continue
        index = node.slice
        if not page.kinds.of(node.value) & _DICT and page.kinds.may(index, frozenset({"number"})):
            for text in stepped(page, index):
                yield page.replace("index", index, text, precedence.SUM)
            for text in ("0", "-1"):
                if text != page.text(index):
                    yield page.replace("index", index, text)
        match node:
            case ast.Subscript(value=ast.Subscript(value=owner, slice=outer), slice=inner):
                if not isinstance(outer, ast.Slice):
                    start, end = page.span(node)
                    text = f"{page.text(owner)}[{page.text(inner)}][{page.text(outer)}]"
                    yield EditDraft("index-swap", start, end, text)


def slices(page: SourceText) -> Iterator[EditDraft]:
    """Each bound of a slice left out, one more, one less, or put in; the step left out or turned round."""
    for node in page.loads(ast.Subscript):
        match node:
            case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper, step=step)):
                bounds = [page.text(part) if part else "" for part in (lower, upper, step)]
                for changed in _changed(page, [lower, upper, step], bounds):
                    yield page.replace("slice", node, f"{_owner(page, value)}[{_joined(changed)}]")
                yield page.replace("slice-drop", node, page.text(value), precedence.of(value))


def _changed(page: SourceText, parts: list[ast.expr | None], bounds: list[str]) -> Iterator[list[str]]:
    for place, part in enumerate(parts[:2]):
        others = [] if part is None else ["", *stepped(page, part)]
        others += ["1"] if place == 0 and part is None else ["-1"] if part is None else []
        yield from ([*bounds[:place], other, *bounds[place + 1 :]] for other in others)
    lower, upper, step = bounds
    if lower != upper:
        yield [upper, lower, step]
    if step:
        yield [lower, upper, ""]
        yield [lower, upper, f"-({step})" if not step.isdigit() else f"-{step}"]


def _joined(bounds: list[str]) -> str:
    lower, upper, step = bounds
    return f"{lower}:{upper}:{step}" if step else f"{lower}:{upper}"


def _owner(page: SourceText, node: ast.expr) -> str:
    return page.operand(node, precedence.ATOM)


def items_and_parts(page: SourceText) -> Iterator[EditDraft]:
    """`x[i]` as `x[:i]`, `x[i:]` or `x`; `x[i:]` as `x[i]`; `x[0]` as `x[:i]` for the indexes of the program."""
    indexes_used = {
        node.slice.id: None
        for node in page.nodes
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name)
    } | {
        bound.id: None
        for node in page.nodes
        if isinstance(node, ast.Slice)
        for bound in (node.lower, node.upper)
        if isinstance(bound, ast.Name)
    }
    for node in page.loads(ast.Subscript):
        assert isinstance(node, ast.Subscript)
        owner = _owner(page, node.value)
        match node.slice:
            case ast.Slice(lower=ast.expr() as bound, upper=None) | ast.Slice(lower=None, upper=ast.expr() as bound):
                yield page.replace("item-for-part", node, f"{owner}[{page.text(bound)}]")
            case ast.expr() as index if not page.kinds.of(node.value) & _DICT:
                text = page.text(index)
                names = [name for name in indexes_used if name in page.names(node)]
                for other in dict.fromkeys([text, *names]):
                    yield page.replace("part-for-item", node, f"{owner}[:{other}]")
                    yield page.replace("part-for-item", node, f"{owner}[{other}:]")


def parts(page: SourceText) -> Iterator[EditDraft]:
    """A sequence turned round, without its first or last item, or up to or from a variable."""
    for node in page.loads(ast.Name, ast.Call):
        parent = page.parents[node]
        if isinstance(parent, ast.Subscript | ast.Attribute | ast.FormattedValue):
            continue
        whole = isinstance(node, ast.Name) and node.id in page.names(node)
        if (whole and page.kinds.may(node, ORDERED)) or page.kinds.of(node) & ORDERED:
            if isinstance(parent, ast.Call) and parent.func is node:
                continue
            for part in ("[::-1]", "[1:]", "[:-1]"):
                yield page.replace("part", node, f"{page.text(node)}{part}")
            if whole and isinstance(parent, ast.For | ast.comprehension | ast.Call | ast.Return | ast.Assign):
                for name in page.near_names(node, 6):
                    if name != page.text(node) and page.kinds.name_may(name, frozenset({"number"})):
                        yield page.replace("part-by-variable", node, f"{page.text(node)}[:{name}]")
                        yield page.replace("part-by-variable", node, f"{page.text(node)}[{name}:]")
