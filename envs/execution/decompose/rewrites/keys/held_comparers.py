"""A key of `cmp_to_key` that a variable holds, made where a sort, a `max` or a `min` uses it.

    by_size = cmp_to_key(compare)           by_size = compare
    sorted(items, key=by_size)              sorted(items, key=cmp_to_key(by_size))

No frame can hold the key itself; rules follow a call that makes it. Only for a name that is bound once, outside
classes, and is used for nothing but such calls (`compared_calls.py`). Knows only syntax.
"""

import ast
from collections import Counter

from envs.execution.decompose.rewrites.keys.compared_calls import is_ordering
from envs.execution.decompose.rewrites.library_names import hides_names, library_functions
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.bindings import binds
from envs.execution.syntax.program_structure import nodes_of

_COMPARER = "functools.cmp_to_key"


@rewriting({"functools"}, {"cmp_to_key"}, in_place=True)
def with_held_comparers(tree: ast.Module) -> ast.Module:
    """The program with such keys made by the calls; may change the tree."""
    comparers = {text for text, meaning in library_functions(tree, [_COMPARER]).items() if meaning == _COMPARER}
    if not comparers or hides_names(tree):
        return tree
    nodes = nodes_of(tree)
    members = {part for node in nodes if isinstance(node, ast.ClassDef) for part in node.body}
    held = {
        name: node
        for node in nodes
        if isinstance(node, ast.Assign) and node not in members and (name := _held(node, comparers))
    }
    bound = Counter(name for node in nodes for name in _bound(node))
    keys = [key for node in nodes if (key := _sorting_key(node)) is not None]
    for name, node in held.items():
        uses = [word for word in keys if isinstance(word.value, ast.Name) and word.value.id == name]
        loads = [each for each in nodes if isinstance(each, ast.Name) and each.id == name and _is_load(each)]
        if bound[name] == 1 and len(loads) == len(uses) > 0 and isinstance(node.value, ast.Call):
            comparer = node.value.func
            node.value = node.value.args[0]
            for word in uses:
                word.value = ast.copy_location(ast.Call(comparer, [word.value], []), word.value)
    return ast.fix_missing_locations(tree)


def _held(node: ast.Assign, comparers: set[str]) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func, args=[given], keywords=[])):
            known = isinstance(func, ast.Name | ast.Attribute) and ast.unparse(func) in comparers
            return name if known and isinstance(given, ast.Name | ast.Lambda) else None
    return None


def _sorting_key(node: ast.AST) -> ast.keyword | None:
    """The key of `sorted(items, key=...)`, `items.sort(key=...)`, `max(items, key=...)` or `min`."""
    if not isinstance(node, ast.Call) or not is_ordering(node):
        return None
    return next((word for word in node.keywords if word.arg == "key"), None)


def _bound(node: ast.AST) -> list[str]:
    """Names that a node binds, or declares to be those of another scope."""
    if isinstance(node, ast.Global | ast.Nonlocal):
        return node.names
    return binds(node)


def _is_load(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
