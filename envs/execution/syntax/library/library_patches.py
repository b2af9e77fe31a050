"""Whether a program changes what it imports: it stores or deletes an attribute of a module, a class or a function.

Names count whatever their scope, and so do names and attributes that are given such a thing: by an assignment, a loop,
or a call of a function of the program.
"""

import ast
from collections.abc import Collection, Iterator, Sequence

from envs.execution.syntax.bindings import binds, parameters
from envs.execution.syntax.program_structure import Function, children_of, nodes_of

_PATCHING = frozenset({"setattr", "delattr"})
_PATCHING_METHODS = frozenset({"__setattr__", "__delattr__"})
_HANDING_ON = frozenset({"getattr", "type"})
"""Builtins whose result belongs to their argument."""


def patches_library(nodes: Sequence[ast.AST]) -> bool:
    """Whether a program of these nodes may store or delete an attribute of anything that it imports."""
    places = list(_changed(nodes))
    if not places:
        return False
    names = _imported(nodes)
    return any(place is None or _is_one(place, names) for place in places)


def _changed(nodes: Sequence[ast.AST]) -> Iterator[ast.expr | None]:
    """What has its attributes changed; None where that is not to be seen."""
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        match node:
            case ast.Attribute(value=value, attr=attr, ctx=ctx):
                if not isinstance(ctx, ast.Load) and _is_class_of(value):
                    yield None
                if not isinstance(ctx, ast.Load) or attr == "__dict__" or attr in _PATCHING_METHODS:
                    yield value
            case ast.Name(id="setattr" | "delattr") if node not in called:
                yield None
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *_]):
                if name in _PATCHING or name in _PATCHING_METHODS:
                    yield first


def _is_class_of(node: ast.expr) -> bool:
    """Whether it is the class of some object other than `self`, which may be the library's."""
    match node:
        case ast.Call(func=ast.Name(id="type"), args=[held]) | ast.Attribute(value=held, attr="__class__"):
            return not (isinstance(held, ast.Name) and held.id == "self")
    return False


def _imported(nodes: Sequence[ast.AST]) -> set[str]:
    """Names and attributes that may hold something that the program imports."""
    names = {name for node in nodes if isinstance(node, ast.alias) for name in binds(node)}
    given = list(_given(nodes))
    before = -1
    while len(names) > before:
        before = len(names)
        for targets, value in given:
            if not names.issuperset(targets) and _is_one(value, names):
                names.update(targets)
    return names


def _given(nodes: Sequence[ast.AST]) -> Iterator[tuple[list[str], ast.expr]]:
    """Names and attributes with what they are given."""
    functions: dict[str, list[str]] = {}
    for node in nodes:
        if isinstance(node, Function):
            functions.setdefault(node.name, []).extend(set(parameters(node.args)) - {"self", "cls"})
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                yield [name for target in targets for name in _held(target)], value
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                yield _held(target), value
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                yield _held(target), value
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in functions:
                yield from ((functions[name], each) for each in (*node.args, *(word.value for word in node.keywords)))


def _held(target: ast.expr) -> list[str]:
    """Names and attributes that a target binds."""
    nodes = nodes_of(target)
    return [*(name for node in nodes for name in binds(node)), *(n.attr for n in nodes if isinstance(n, ast.Attribute))]


def _is_one(node: ast.expr, names: Collection[str]) -> bool:
    """Whether an expression may be one of these, or hold one; what a call makes is another object."""
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop()
        match each:
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in names:
                return True
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in _HANDING_ON:
                waiting.append(first)
            case ast.Call() | ast.Lambda():
                continue
            case ast.Subscript(value=value) | ast.Attribute(value=value):
                waiting.append(value)
            case _:
                waiting += children_of(each)
    return False
