"""Edits of names: another variable in scope, another target, another function of the program."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.guessed_types import NUMBERS
from envs.editing.source_text import EditDraft, SourceText
from envs.editing.variable_scopes import parameters


def variables(page: SourceText) -> Iterator[EditDraft]:
    """Each variable that is read replaced by each other one that may hold the same kind of value."""
    for node in page.loads(ast.Name):
        assert isinstance(node, ast.Name)
        names = page.names(node)
        if node.id in names and not _is_callee(page, node):
            for other in names:
                if other != node.id and page.kinds.alike(node, other):
                    yield page.replace("variable", node, other)


def variables_for_constants(page: SourceText) -> Iterator[EditDraft]:
    """Each number or text written out replaced by a variable, and variables by 0 and 1."""
    for node in page.loads(ast.Constant):
        assert isinstance(node, ast.Constant)
        if isinstance(page.parents[node], ast.JoinedStr | ast.Expr) or node.value is None:
            continue
        for name in page.names(node):
            if page.kinds.alike(node, name) and page.function(node) is not None:
                yield page.replace("variable-for-constant", node, name)
    for node in page.loads(ast.Name):
        assert isinstance(node, ast.Name)
        if page.kinds.of(node) == {"number"} and node.id in page.names(node):
            yield from (page.replace("constant-for-variable", node, text) for text in ("0", "1"))


def targets(page: SourceText) -> Iterator[EditDraft]:
    """An assignment to another variable of the function."""
    for statement in page.statements(ast.Assign, ast.AugAssign):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target  # type: ignore[attr-defined]
        if isinstance(target, ast.Name) and page.function(statement) is not None:
            for name in page.names(statement):
                if name != target.id and name not in page.scopes.data and page.kinds.alike(target, name):
                    start, end = page.span(target)
                    yield EditDraft("target", start, end, name)


def callees(page: SourceText) -> Iterator[EditDraft]:
    """A call of another function of the program that takes as many arguments."""
    functions = {name: len(parameters(node)) for name, node in page.scopes.functions.items()}
    for node in page.loads(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id=name) as function, args=args) if name in functions:
                for other, count in functions.items():
                    if other != name and count == len(args):
                        yield page.replace("callee", function, other)


def attributes(page: SourceText) -> Iterator[EditDraft]:
    """`a.x` as `a.y`, for fields that the program has elsewhere."""
    fields = {node.attr: None for node in page.nodes if isinstance(node, ast.Attribute) and not _is_callee(page, node)}
    for node in page.nodes:
        if isinstance(node, ast.Attribute) and node.attr in fields:
            end = page.span(node)[1]
            for other in fields:
                if other != node.attr:
                    yield EditDraft("attribute", end - len(node.attr), end, other)


def lengths(page: SourceText) -> Iterator[EditDraft]:
    """A number replaced by a length that the program computes elsewhere, and `len(x)` by `len(y)`'s neighbours."""
    known = {page.text(node): None for node in page.loads(ast.Call) if _is_length(node)}
    for node in page.loads(ast.Name, ast.Constant):
        if page.kinds.of(node) == {"number"} and not _is_callee(page, node):
            for text in known:
                inner = text[4:-1]
                if inner in page.names(node) and not isinstance(page.parents[node], ast.UnaryOp):
                    yield page.replace("length", node, text)


def _is_length(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


def _is_callee(page: SourceText, node: ast.expr) -> bool:
    parent = page.parents[node]
    return isinstance(parent, ast.Call) and parent.func is node


def numeric_names(page: SourceText, node: ast.AST) -> list[str]:
    """Variables in scope that may be numbers."""
    return [name for name in page.names(node) if page.kinds.name_may(name, NUMBERS)]
