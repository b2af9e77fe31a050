"""An independent count of the operations on each line; shares no code with decompose, so that it can check it.

An operation is one computation: an operator, a comparison, a call (a method's lookup belongs to it), a
lookup of an attribute, item or slice, a display, a formatted string, a comprehension, a store into an item or
attribute, an unpacking, a boolean choice. Names, constants and `not` in a plain test are free.
"""

import ast
from collections.abc import Mapping


def operations_by_line(source: str) -> Mapping[int, int]:
    """For each line: how many operations its statement does before the next line runs."""
    counts: dict[int, int] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            line = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
            counts[line] = counts.get(line, 0) + _statement(node)
    return counts


def _statement(node: ast.stmt | ast.ExceptHandler | ast.match_case) -> int:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
            return 1 + len(node.decorator_list) + _total([*node.decorator_list, *defaults])
        case ast.ClassDef():
            return 1 + len(node.decorator_list) + _total([*node.decorator_list, *node.bases])
        case ast.If() | ast.While():
            return _test(node.test)
        case ast.For() | ast.AsyncFor():
            hidden = 0 if isinstance(node.iter, ast.Name) else 1
            return 1 + hidden + _expression(node.iter) + (0 if isinstance(node.target, ast.Name) else 1)
        case ast.With() | ast.AsyncWith():
            return sum(1 + _expression(item.context_expr) for item in node.items)
        case ast.ExceptHandler():
            return 1 + _caught(node.type)
        case ast.Match():
            return 1 + _expression(node.subject)
        case ast.match_case():
            return 1 + (_expression(node.guard) if node.guard else 0)
        case ast.Try() | ast.TryStar():
            return 0
        case _:
            return _simple(node)


def _simple(node: ast.stmt) -> int:
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            return 1 + _total(values) + _places(targets)  # a swap is one step
        case ast.Assign():
            return sum(_store(target) for target in node.targets) + _expression(node.value) + len(node.targets) - 1
        case ast.AugAssign():
            return 1 + 2 * _store(node.target) + _expression(node.value)
        case ast.AnnAssign():
            return _store(node.target) + (_expression(node.value) if node.value else 0)
        case ast.Delete():
            return sum(max(1, _store(target)) for target in node.targets)
        case ast.Return() | ast.Expr():
            return _expression(node.value) if node.value else 0
        case ast.Raise():
            return 1 + _total([part for part in (node.exc, node.cause) if part])
        case ast.Assert():
            return 1 + _total([part for part in (node.test, node.msg) if part])
        case ast.Import():
            return len(node.names)
        case _:
            return 0


def _caught(kind: ast.expr | None) -> int:
    if isinstance(kind, ast.Tuple):  # a tuple of types is part of the match
        return sum(_caught(part) for part in kind.elts)
    return 0 if kind is None or isinstance(kind, ast.Name | ast.Attribute) else _expression(kind)


def _test(node: ast.expr) -> int:
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = node.operand
    return _expression(node)


def _store(target: ast.expr) -> int:
    match target:
        case ast.Name():
            return 0
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return 1 + _places(parts)
        case ast.Starred(value=inner):
            return _store(inner)
        case ast.Subscript():
            return 1 + _expression(target.value) + _index(target.slice)
        case ast.Attribute():
            return 1 + _expression(target.value)
        case _:
            return 1


def _places(targets: list[ast.expr]) -> int:
    return sum(_store(target) for target in targets)


def _index(node: ast.expr) -> int:
    if isinstance(node, ast.Slice):
        return _total([part for part in (node.lower, node.upper, node.step) if part])
    return _expression(node)


def _total(nodes: list[ast.expr]) -> int:
    return sum(_expression(node) for node in nodes)


def _constant(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return all(_constant(part) for part in parts)
        case ast.Dict(keys=keys, values=values):
            return all(key is not None and _constant(key) for key in keys) and all(map(_constant, values))
        case _:
            return False


def _expression(node: ast.expr) -> int:
    match node:
        case ast.Name() | ast.Constant():
            return 0
        case _ if _constant(node):
            return 0 if isinstance(node, ast.UnaryOp) else 1
        case ast.Call(func=ast.Attribute(value=receiver)):
            return 1 + _expression(receiver) + _arguments(node)
        case ast.Call():
            return 1 + _expression(node.func) + _arguments(node)
        case ast.Subscript():
            return 1 + _expression(node.value) + _index(node.slice)
        case ast.Starred():
            return _expression(node.value)
        case ast.Compare():
            return len(node.ops) + _total([node.left, *node.comparators])
        case ast.BoolOp():
            return len(node.values) - 1 + _total(node.values)
        case ast.JoinedStr():
            return 1 + sum(_formatted(part) for part in node.values)
        case ast.Lambda():
            return 1 + _expression(node.body)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return 2 + sum(_expression(n) for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr))
        case _:
            return 1 + sum(_expression(n) for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr))


def _arguments(node: ast.Call) -> int:
    return _total([*node.args, *(keyword.value for keyword in node.keywords)])


def _formatted(part: ast.expr) -> int:
    if not isinstance(part, ast.FormattedValue):
        return 0
    spec = part.format_spec.values if isinstance(part.format_spec, ast.JoinedStr) else []
    return _expression(part.value) + sum(_formatted(inner) for inner in spec)
