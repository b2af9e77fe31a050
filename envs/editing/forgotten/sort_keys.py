"""Edits of sorts and of what needs sorted items."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.source_text import Replacement, SourceText


def tie_breaks(code: SourceText) -> Iterator[Replacement]:
    """Adds a second part to a sort key: `key=lambda x: f(x)` as `(f(x), x)`; or puts it in front."""
    for node in code.loads(ast.Lambda):
        match node:
            case ast.Lambda(args=ast.arguments(args=[ast.arg(arg=name)]), body=body) if isinstance(
                code.parents[node], ast.keyword
            ):
                parts = body.elts if isinstance(body, ast.Tuple) else [body]
                texts = [code.text(each) for each in parts]
                if name not in texts:
                    yield code.replace("tie-break", body, f"({', '.join([*texts, name])})")
                    yield code.replace("tie-break", body, f"({', '.join([name, *texts])})")
                if isinstance(body, ast.Tuple) and len(texts) == 2:
                    yield code.replace("tie-break", body, f"({texts[1]}, {texts[0]})")


def sorted_groups(code: SourceText) -> Iterator[Replacement]:
    """Sorts what `groupby` groups, by the same key."""
    for node in code.loads(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="groupby") | ast.Attribute(attr="groupby"), args=[items, *rest]):
                if rest:
                    key = f", key={code.text(rest[0])}"
                else:
                    key = "".join(f", key={code.text(each.value)}" for each in node.keywords if each.arg == "key")
                yield code.replace("sorted-groups", items, f"sorted({code.text(items)}{key})")
