"""Classes that are their own iterators, and what asking them for an iterator once more does.

A loop over `iter(x)` asks the iterator for an iterator again: harmless where `__iter__` is `return self`, and directly
after the first time where it sets fields to what is there already. Asks about syntax alone.
"""

import ast
from collections.abc import Iterable, Sequence

from envs.execution.syntax.program_structure import nodes_of


def has_odd_iterators(node: ast.ClassDef) -> bool:
    """Whether asking an iterator of the class for an iterator twice may differ from asking once."""
    methods = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
    if "__next__" not in methods:
        return False
    own = methods.get("__iter__")
    if own is None or ast.unparse(own.body[-1]) != "return self":
        return True
    return len(own.body) > 1 and (bool(node.bases) or not _may_begin_twice(own.body[:-1], set(methods)))


def begins_anew(nodes: Iterable[ast.AST]) -> bool:
    """Whether an iterator of the program may begin anew when it is asked for an iterator.

    What stands between asking and the first item, such as the lines before a kept generator is used, then matters.
    """
    methods = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name in ("__iter__", "__next__")]
    starts = [node for node in methods if node.name == "__iter__" and _gives_self(node)]
    return len(methods) > len(starts) and any(len(node.body) > 1 for node in starts)


def _gives_self(node: ast.FunctionDef) -> bool:
    return any(isinstance(each, ast.Return) and ast.unparse(each) == "return self" for each in nodes_of(node))


def _may_begin_twice(body: Sequence[ast.stmt], methods: set[str]) -> bool:
    """Whether running the lines once more changes nothing: they set fields to what is there already."""
    stored, read = set[str](), set[str]()
    for statement in body:
        if not isinstance(statement, ast.Assign) or "__setattr__" in methods:
            return False
        for node in nodes_of(statement):
            match node:
                case ast.Attribute(value=ast.Name(id="self"), attr=attr, ctx=context):
                    (read if isinstance(context, ast.Load) else stored).add(attr)
                case ast.Assign() | ast.Tuple() | ast.Constant() | ast.expr_context() | ast.Name(id="self"):
                    pass
                case _:
                    return False
    return not stored & (read | methods) and not read & methods
