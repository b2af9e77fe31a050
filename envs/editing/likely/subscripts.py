"""Edits of subscripts: change an index or a slice bound, replace an item by a slice and a slice by an item."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import ORDERED
from envs.editing.likely.operands import plus_and_minus_one
from envs.editing.source_text import Replacement, SourceText

_DICT = frozenset({"dict"})


def indexes(code: SourceText) -> Iterator[Replacement]:
    """Replaces an index by itself plus or minus one, by 0 and -1; swaps two indexes."""
    for node in code.nodes:
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice | ast.Tuple):
            continue
        index = node.slice
        if not code.types.of(node.value) & _DICT and code.types.may_be(index, frozenset({"number"})):
            for text in plus_and_minus_one(code, index):
                yield code.replace("index", index, text, precedence.SUM)
            for text in ("0", "-1"):
                if text != code.text(index):
                    yield code.replace("index", index, text)
        match node:
            case ast.Subscript(value=ast.Subscript(value=owner, slice=outer), slice=inner):
                if not isinstance(outer, ast.Slice):
                    start, end = code.span(node)
                    text = f"{code.text(owner)}[{code.text(inner)}][{code.text(outer)}]"
                    yield Replacement("index-swap", start, end, text)


def wrapped_indexes(code: SourceText) -> Iterator[Replacement]:
    """Takes an index modulo the length of its sequence: `xs[i]` as `xs[i % len(xs)]`."""
    for node in code.nodes:
        match node:
            case ast.Subscript(value=ast.Name() | ast.Attribute() as owner, slice=ast.Name() | ast.BinOp() as index):
                known = code.types.of(owner)
                if (known & ORDERED or not known) and "%" not in code.text(index):
                    left = code.operand(index, precedence.PRODUCT)
                    text = f"{left} % len({code.text(owner)})"
                    if code.types.may_be(index, frozenset({"number"})):
                        yield code.replace("index-wrap", index, text, precedence.PRODUCT)


def slices(code: SourceText) -> Iterator[Replacement]:
    """Removes, adds, increments or decrements a slice bound; removes or negates the step."""
    for node in code.loads(ast.Subscript):
        match node:
            case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper, step=step)):
                bounds = [code.text(part) if part else "" for part in (lower, upper, step)]
                for changed in _changed_bounds(code, [lower, upper, step], bounds):
                    yield code.replace("slice", node, f"{_owner_text(code, value)}[{_slice_text(changed)}]")
                yield code.replace("slice-drop", node, code.text(value), precedence.of(value))


def _changed_bounds(code: SourceText, parts: list[ast.expr | None], bounds: list[str]) -> Iterator[list[str]]:
    for place, part in enumerate(parts[:2]):
        others = [] if part is None else ["", *plus_and_minus_one(code, part)]
        others += ["1"] if place == 0 and part is None else ["-1"] if part is None else []
        yield from ([*bounds[:place], other, *bounds[place + 1 :]] for other in others)
    lower, upper, step = bounds
    if lower != upper:
        yield [upper, lower, step]
    if not step and not (lower and upper):
        yield from _other_end(lower, upper)
    if step:
        yield [lower, upper, ""]
        yield [lower, upper, f"-({step})" if not step.isdigit() else f"-{step}"]


def _other_end(lower: str, upper: str) -> Iterator[list[str]]:
    """The part of the same size at the other end, and what is left without it: `[1:]` for `[:-1]`, `[-2:]`, `[:2]`."""
    bound = lower or upper
    if not bound:
        return
    opposite = bound.removeprefix("-") if bound.startswith("-") else f"-{bound}"
    if bound.removeprefix("-").isidentifier() or bound.removeprefix("-").isdigit():
        yield ["", opposite, ""] if lower else [opposite, "", ""]


def _slice_text(bounds: list[str]) -> str:
    lower, upper, step = bounds
    return f"{lower}:{upper}:{step}" if step else f"{lower}:{upper}"


def _owner_text(code: SourceText, node: ast.expr) -> str:
    return code.operand(node, precedence.ATOM)


def items_and_parts(code: SourceText) -> Iterator[Replacement]:
    """Replaces `x[i]` by `x[:i]` and `x[i:]`, `x[i:]` by `x[i]`, and `x[0]` by `x[:i]` for indexes of the program."""
    indexes_used = {
        node.slice.id: None
        for node in code.nodes
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name)
    } | {
        bound.id: None
        for node in code.nodes
        if isinstance(node, ast.Slice)
        for bound in (node.lower, node.upper)
        if isinstance(bound, ast.Name)
    }
    for node in code.loads(ast.Subscript):
        assert isinstance(node, ast.Subscript)
        owner = _owner_text(code, node.value)
        match node.slice:
            case ast.Slice(lower=ast.expr() as bound, upper=None) | ast.Slice(lower=None, upper=ast.expr() as bound):
                yield code.replace("item-for-part", node, f"{owner}[{code.text(bound)}]")
            case ast.expr() as index if not code.types.of(node.value) & _DICT:
                text = code.text(index)
                names = [name for name in indexes_used if name in code.names(node)]
                for other in dict.fromkeys([text, *names]):
                    yield code.replace("part-for-item", node, f"{owner}[:{other}]")
                    yield code.replace("part-for-item", node, f"{owner}[{other}:]")


def parts(code: SourceText) -> Iterator[Replacement]:
    """Replaces a sequence by its reverse, by itself without the first or last item, or by a slice at a variable."""
    for node in code.loads(ast.Name, ast.Call):
        parent = code.parents[node]
        if isinstance(parent, ast.Subscript | ast.Attribute | ast.FormattedValue):
            continue
        whole = isinstance(node, ast.Name) and node.id in code.names(node)
        if (whole and code.types.may_be(node, ORDERED)) or code.types.of(node) & ORDERED:
            if code.is_callee(node):
                continue
            for part in ("[::-1]", "[1:]", "[:-1]"):
                yield code.replace("part", node, f"{code.text(node)}{part}")
            if whole and isinstance(parent, ast.For | ast.comprehension | ast.Call | ast.Return | ast.Assign):
                for name in code.near_names(node, 6):
                    if name != code.text(node) and code.types.name_may_be(name, frozenset({"number"})):
                        yield code.replace("part-by-variable", node, f"{code.text(node)}[:{name}]")
                        yield code.replace("part-by-variable", node, f"{code.text(node)}[{name}:]")
