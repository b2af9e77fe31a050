"""Names that nothing but class bodies bind: a method `sum` hides no builtin from the functions of the program.

A class body itself sees its own names, so a name that such a body reads does not count. Asks about syntax alone.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from envs.execution.syntax.bindings import BINDERS, binds
from envs.execution.syntax.program_structure import Function, nodes_of


def member_names(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The names, given all nodes of a program."""
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    if not classes:
        return frozenset()
    everywhere = Counter(name for node in nodes if type(node) in BINDERS for name in binds(node))
    inside = Counter(name for node in classes for name in _members(node))
    declared = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    read = {name for node in classes for name in _read(node)}
    return frozenset(name for name, times in inside.items() if everywhere[name] == times) - declared - read


def _members(node: ast.ClassDef) -> Iterator[str]:
    for statement in node.body:
        match statement:
            case ast.FunctionDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def _read(node: ast.ClassDef) -> Iterator[str]:
    """Names that running the class body reads; bodies of its functions are left out."""
    for statement in node.body:
        parts: list[ast.AST] = [statement]
        if isinstance(statement, Function):
            given = statement.args
            parts = [*statement.decorator_list, given, *([statement.returns] if statement.returns else [])]
        yield from (
            each.id
            for part in parts
            for each in nodes_of(part)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
        )
