"""Edits of constants: plus or minus one, a neutral value, another constant of the program, an item of a display."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.source_text import Replacement, SourceText

_MAX_OTHERS = 12
"""Limit of other constants of the program tried at one place, in order of appearance."""


def constants(code: SourceText) -> Iterator[Replacement]:
    """Replaces each constant by itself plus or minus one, by neutral values, and by others of its type."""
    known = _constants_of(code)
    for node in code.loads(ast.Constant):
        assert isinstance(node, ast.Constant)
        if isinstance(code.parents[node], ast.JoinedStr | ast.Expr):
            continue
        for operator, text in _alternatives(node.value, known):
            if text != code.text(node):
                yield code.replace(operator, node, text, precedence.SIGN if text[0] == "-" else precedence.ATOM)


def _alternatives(value: object, known: dict[type, list[str]]) -> Iterator[tuple[str, str]]:
    match value:
        case bool():
            yield "constant-flip", str(not value)
        case int() | float():
            yield "constant-step", repr(value + 1)
            yield "constant-step", repr(value - 1)
            yield from (("constant-neutral", text) for text in ("0", "1", "2", "-1"))
            if value:
                yield "constant-neutral", repr(-value)
            if isinstance(value, float) and value.is_integer():
                yield "constant-neutral", repr(int(value))
        case str():
            yield from (("constant-neutral", text) for text in ('""', '" "'))
            for changed in (value.upper(), value.lower(), value.strip()):
                if changed != value:
                    yield "constant-neutral", repr(changed)
        case None:
            yield from (("constant-neutral", text) for text in ("0", "[]", '""', "False", "True"))
    for text in known.get(type(value), ()):
        yield "constant-other", text


def _constants_of(code: SourceText) -> dict[type, list[str]]:
    found: dict[type, dict[str, None]] = {}
    for node in code.loads(ast.Constant):
        assert isinstance(node, ast.Constant)
        if not isinstance(code.parents[node], ast.JoinedStr | ast.Expr) and node.value is not None:
            found.setdefault(type(node.value), {}).setdefault(code.text(node))
    return {type_: list(texts)[:_MAX_OTHERS] for type_, texts in found.items()}


def displays(code: SourceText) -> Iterator[Replacement]:
    """Removes one item of a list, tuple or set display, or adds a constant of the program."""
    known = _constants_of(code)
    for node in code.loads(ast.List, ast.Tuple, ast.Set):
        assert isinstance(node, ast.List | ast.Tuple | ast.Set)
        if isinstance(code.parents[node], ast.Subscript | ast.For | ast.comprehension) or not node.elts:
            continue
        items = [code.text(item) for item in node.elts]
        for place in range(len(items)):
            if 1 < len(items) <= 8:
                yield _display(code, node, items[:place] + items[place + 1 :])
        last = node.elts[-1]
        if isinstance(last, ast.Constant) and len(items) <= 8:
            for text in known.get(type(last.value), ()):
                if text not in items:
                    yield _display(code, node, [*items, text])


def _display(code: SourceText, node: ast.List | ast.Tuple | ast.Set, items: list[str]) -> Replacement:
    opening, closing = {ast.List: ("[", "]"), ast.Tuple: ("(", ")"), ast.Set: ("{", "}")}[type(node)]
    comma = "," if isinstance(node, ast.Tuple) and len(items) == 1 else ""
    start, end = code.span(node)
    bare = isinstance(node, ast.Tuple) and not code.text(node).startswith("(")
    text = ", ".join(items) + comma
    return Replacement("display", start, end, text if bare else f"{opening}{text}{closing}")


def collections(code: SourceText) -> Iterator[Replacement]:
    """Replaces an empty collection by one of another type; `[x]` by `x`; `x` by `[x]` where lists are joined."""
    empty = {"[]": ("{}", "set()"), "{}": ("[]", "set()"), "set()": ("[]", "{}"), "()": ("[]",)}
    for node in code.loads(ast.List, ast.Dict, ast.Call, ast.Tuple):
        for text in empty.get(code.text(node), ()):
            yield code.replace("collection", node, text)
    for node in code.loads(ast.List):
        match node:
            case ast.List(elts=[item]) if not isinstance(item, ast.Starred):
                yield code.replace("collection", node, code.text(item), precedence.of(item))
    for node in code.loads(ast.Name, ast.Subscript, ast.Call):
        parent = code.parents[node]
        joins = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add)
        if joins and code.types.may_be(node, frozenset({"list", "number", "text"})):
            other = parent.right if node is parent.left else parent.left  # type: ignore[attr-defined]
            if code.types.of(other) & {"list"} or isinstance(other, ast.Call):
                yield code.replace("collection", node, f"[{code.text(node)}]")
