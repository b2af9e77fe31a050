"""Edits of names: another variable in scope, another assignment target, another function of the program."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.source_text import Replacement, SourceText
from envs.editing.variable_scopes import parameters


def variables(code: SourceText) -> Iterator[Replacement]:
    """Replaces each variable that is read by each other variable that may have the same type."""
    for node in code.loads(ast.Name):
        assert isinstance(node, ast.Name)
        names = code.names(node)
        if node.id in names and not code.is_callee(node):
            for other in names:
                if other != node.id and code.types.compatible(node, other):
                    yield code.replace("variable", node, other)


def variables_for_constants(code: SourceText) -> Iterator[Replacement]:
    """Replaces each constant by a variable, and numeric variables by 0 and 1."""
    for node in code.loads(ast.Constant):
        assert isinstance(node, ast.Constant)
        if isinstance(code.parents[node], ast.JoinedStr | ast.Expr) or node.value is None:
            continue
        for name in code.names(node):
            if code.types.compatible(node, name) and code.function(node) is not None:
                yield code.replace("variable-for-constant", node, name)
    for node in code.loads(ast.Name):
        assert isinstance(node, ast.Name)
        if code.types.of(node) == {"number"} and node.id in code.names(node):
            yield from (code.replace("constant-for-variable", node, text) for text in ("0", "1"))


def targets(code: SourceText) -> Iterator[Replacement]:
    """Replaces the target of an assignment by another variable of the function."""
    for statement in code.statements(ast.Assign, ast.AugAssign):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target  # type: ignore[attr-defined]
        if isinstance(target, ast.Name) and code.function(statement) is not None:
            for name in code.names(statement):
                if name != target.id and name not in code.scopes.module_names and code.types.compatible(target, name):
                    start, end = code.span(target)
                    yield Replacement("target", start, end, name)


def callees(code: SourceText) -> Iterator[Replacement]:
    """Replaces the called function by another one of the program with the same number of parameters."""
    functions = {name: len(parameters(node)) for name, node in code.scopes.functions.items()}
    for node in code.loads(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id=name) as function, args=args) if name in functions:
                for other, count in functions.items():
                    if other != name and count == len(args):
                        yield code.replace("callee", function, other)


def attributes(code: SourceText) -> Iterator[Replacement]:
    """Replaces `a.x` by `a.y`, for attributes that the program uses elsewhere."""
    fields = {node.attr: None for node in code.nodes if isinstance(node, ast.Attribute) and not code.is_callee(node)}
    for node in code.nodes:
        if isinstance(node, ast.Attribute) and node.attr in fields:
            end = code.span(node)[1]
            for other in fields:
                if other != node.attr:
                    yield Replacement("attribute", end - len(node.attr), end, other)


def lengths(code: SourceText) -> Iterator[Replacement]:
    """Replaces a number by a length that the program computes elsewhere."""
    known = {code.text(node): None for node in code.loads(ast.Call) if _is_length(node)}
    for node in code.loads(ast.Name, ast.Constant):
        if code.types.of(node) == {"number"} and not code.is_callee(node):
            for text in known:
                inner = text[4:-1]
                if inner in code.names(node) and not isinstance(code.parents[node], ast.UnaryOp):
                    yield code.replace("length", node, text)


def _is_length(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"
