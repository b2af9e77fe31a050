"""Edits of constants: one more, one less, none, another constant of the program, an item of a display."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.source_text import EditDraft, SourceText

_MOST_OTHERS = 12
"""Other constants of the program that are tried in one place, in order of appearance."""


def constants(page: SourceText) -> Iterator[EditDraft]:
    """Each constant replaced by its neighbours, by neutral values and by others of its type in the program."""
    known = _constants_of(page)
    for node in page.loads(ast.Constant):
        assert isinstance(node, ast.Constant)
        if isinstance(page.parents[node], ast.JoinedStr | ast.Expr):
            continue
        for operator, text in _alternatives(node.value, known):
            if text != page.text(node):
                yield page.replace(operator, node, text, precedence.SIGN if text[0] == "-" else precedence.ATOM)


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


def _constants_of(page: SourceText) -> dict[type, list[str]]:
    found: dict[type, dict[str, None]] = {}
    for node in page.loads(ast.Constant):
        assert isinstance(node, ast.Constant)
        if not isinstance(page.parents[node], ast.JoinedStr | ast.Expr) and node.value is not None:
            found.setdefault(type(node.value), {}).setdefault(page.text(node))
    return {kind: list(texts)[:_MOST_OTHERS] for kind, texts in found.items()}


def displays(page: SourceText) -> Iterator[EditDraft]:
    """A list, tuple or set written out with one item less, or with one more constant of the program."""
    known = _constants_of(page)
    for node in page.loads(ast.List, ast.Tuple, ast.Set):
        assert isinstance(node, ast.List | ast.Tuple | ast.Set)
        if isinstance(page.parents[node], ast.Subscript | ast.For | ast.comprehension) or not node.elts:
            continue
        items = [page.text(item) for item in node.elts]
        for place in range(len(items)):
            if 1 < len(items) <= 8:
                yield _display(page, node, items[:place] + items[place + 1 :])
        last = node.elts[-1]
        if isinstance(last, ast.Constant) and len(items) <= 8:
            for text in known.get(type(last.value), ()):
                if text not in items:
                    yield _display(page, node, [*items, text])


def _display(page: SourceText, node: ast.List | ast.Tuple | ast.Set, items: list[str]) -> EditDraft:
    opening, closing = {ast.List: ("[", "]"), ast.Tuple: ("(", ")"), ast.Set: ("{", "}")}[type(node)]
    comma = "," if isinstance(node, ast.Tuple) and len(items) == 1 else ""
    start, end = page.span(node)
    bare = isinstance(node, ast.Tuple) and not page.text(node).startswith("(")
    text = ", ".join(items) + comma
    return EditDraft("display", start, end, text if bare else f"{opening}{text}{closing}")


def collections(page: SourceText) -> Iterator[EditDraft]:
    """An empty list for an empty dict or set, `[x]` for `x` where lists are joined, and back."""
    empty = {"[]": ("{}", "set()"), "{}": ("[]", "set()"), "set()": ("[]", "{}"), "()": ("[]",)}
    for node in page.loads(ast.List, ast.Dict, ast.Call, ast.Tuple):
        for text in empty.get(page.text(node), ()):
            yield page.replace("collection", node, text)
    for node in page.loads(ast.List):
        match node:
            case ast.List(elts=[item]) if not isinstance(item, ast.Starred):
                yield page.replace("collection", node, page.text(item), precedence.of(item))
    for node in page.loads(ast.Name, ast.Subscript, ast.Call):
        parent = page.parents[node]
        joins = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add)
        if joins and page.kinds.may(node, frozenset({"list", "number", "text"})):
            other = parent.right if node is parent.left else parent.left  # type: ignore[attr-defined]
            if page.kinds.of(other) & {"list"} or isinstance(other, ast.Call):
                yield page.replace("collection", node, f"[{page.text(node)}]")
