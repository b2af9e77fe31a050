"""Expressions to single operations on atoms, in Python's order of evaluation.

`operate` writes the lines an expression needs first and returns what is left of it: one operation, which the caller
must place on the very next line, or an atom. Calls, comprehensions and lambdas register themselves from their files.
"""

import ast
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from envs.execution.rewriting.body import Body, text

Node = TypeVar("Node", bound=ast.expr)
Rule = Callable[[Body, Any], ast.expr]
_RULES: dict[type[ast.expr], Rule] = {}
FLAT_FROM = 20
"""A boolean operator of so many operands is tested flat, since each nested test costs a level of indentation."""


def rule(kind: type[Node]) -> Callable[[Callable[[Body, Node], ast.expr]], Callable[[Body, Node], ast.expr]]:
    """Registers the rule for one kind of expression."""

    def register(function: Callable[[Body, Node], ast.expr]) -> Callable[[Body, Node], ast.expr]:
        _RULES[kind] = function
        return function

    return register


def is_number(node: ast.expr) -> bool:
    """A number, possibly negative."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float, complex)


def is_atom(node: ast.expr) -> bool:
    """A name or a constant: what an operation may work on."""
    return isinstance(node, ast.Name | ast.Constant) or is_number(node)


def is_constant_display(node: ast.expr) -> bool:
    """A display of constants only, such as `[[1], [2]]`: one operation."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return all(_is_constant(part) for part in parts)
        case ast.Dict(keys=keys, values=values):
            return all(k is not None and _is_constant(k) for k in keys) and all(map(_is_constant, values))
        case _:
            return False


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or is_number(node) or is_constant_display(node)


def operate(body: Body, node: ast.expr) -> ast.expr:
    """One operation on atoms, or an atom, after the lines that its operands need."""
    return _RULES.get(type(node), _keep_whole)(body, node)


def atom(body: Body, node: ast.expr) -> ast.expr:
    """An atom that holds the expression's value."""
    value = operate(body, node)
    return value if is_atom(value) else keep(body, value)


def keep(body: Body, value: ast.expr) -> ast.Name:
    """A fresh temporary that holds the value."""
    name = body.temporary()
    body.page.write(f"{name} = {text(value)}")
    return ast.Name(name, ast.Load())


def settle(body: Body, name: str, node: ast.expr) -> None:
    """Writes the lines after which `name`, a temporary, holds the expression's value."""
    match node:
        case ast.BoolOp() if not _retests(body, node):
            _settle_boolean(body, name, node)
        case ast.IfExp():
            with body.page.block(f"if {condition(body, node.test)}:"), body.branch():
                settle(body, name, node.body)
            with body.page.block("else:"), body.branch():
                settle(body, name, node.orelse)
        case ast.Compare() if len(node.ops) > 1:
            _settle_chain(body, name, node)
        case _:
            value = text(operate(body, node))
            if value != name:
                body.page.write(f"{name} = {value}")


def condition(body: Body, node: ast.expr) -> str:
    """What to write after `if`: an atom or `not` and an atom."""
    negated = False
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node, negated = node.operand, not negated
    if body.program.custom_truth and _branches(node):
        name = body.temporary()
        _decide(body, name, node)
        value: ast.expr = ast.Name(name, ast.Load())
    else:
        value = atom(body, node)
    return f"not {text(value)}" if negated else text(value)


def operands(body: Body, nodes: Sequence[ast.expr]) -> list[ast.expr]:
    """Atoms for several operands, evaluated left to right; a starred one stays starred."""
    return [operand(body, node, nodes[index + 1 :]) for index, node in enumerate(nodes)]


def operand(body: Body, node: ast.expr, later: Sequence[ast.expr]) -> ast.expr:
    """An atom whose value stays what it is while the later operands are evaluated."""
    if isinstance(node, ast.Starred):
        value = operand(body, node.value, later)
        if stirred(later):  # the iterable is read before the operands after it are evaluated
            value = keep(body, ast.List([ast.Starred(value)]))
        return ast.Starred(value)
    value = atom(body, node)
    if isinstance(value, ast.Name) and must_capture(body, value.id, later):
        return keep(body, value)
    return value


def stirred(nodes: Sequence[ast.expr]) -> bool:
    """Whether evaluating any of these takes a line of its own."""
    return not all(is_atom(n.value if isinstance(n, ast.Starred) else n) for n in nodes)


def must_capture(body: Body, name: str, later: Sequence[ast.expr]) -> bool:
    """Whether the name's value, or its absence, must be noted before the later operands run."""
    if not stirred(later):
        return False
    return body.volatile(name) or not body.surely_bound(name) or any(rebinds(node, name) for node in later)


def rebinds(node: ast.AST, name: str) -> bool:
    """Whether a walrus inside the node binds the name."""
    return any(isinstance(n, ast.NamedExpr) and n.target.id == name for n in ast.walk(node))


def _keep_whole(body: Body, node: ast.expr) -> ast.expr:
    body.page.remark = f"{type(node).__name__} is not decomposed"
    return node


@rule(ast.Name)
def _name(body: Body, node: ast.Name) -> ast.expr:
    return ast.Name(body.name(node.id), ast.Load())


@rule(ast.Constant)
def _constant(body: Body, node: ast.Constant) -> ast.expr:
    return node


@rule(ast.UnaryOp)
def _unary(body: Body, node: ast.UnaryOp) -> ast.expr:
    return node if is_number(node) else ast.UnaryOp(node.op, atom(body, node.operand))


@rule(ast.BinOp)
def _binary(body: Body, node: ast.BinOp) -> ast.expr:
    spine: list[ast.BinOp] = [node]  # `a + b + c + ...` leans left; a loop keeps long sums off the call stack
    while isinstance(spine[-1].left, ast.BinOp):
        spine.append(spine[-1].left)
    value: ast.expr = spine[-1].left
    for step in reversed(spine):
        left, right = operands(body, [value, step.right])
        value = ast.BinOp(left, step.op, right)
        if step is not node:
            value = keep(body, value)
    return value


@rule(ast.BoolOp)
def _boolean(body: Body, node: ast.BoolOp) -> ast.expr:
    if _retests(body, node):
        return _keep_whole(body, node)
    return _settled(body, node)


@rule(ast.IfExp)
def _conditional(body: Body, node: ast.IfExp) -> ast.expr:
    return _settled(body, node)


def _settled(body: Body, node: ast.expr) -> ast.expr:
    name = body.temporary()
    settle(body, name, node)
    return ast.Name(name, ast.Load())


@rule(ast.Compare)
def _compare(body: Body, node: ast.Compare) -> ast.expr:
    if len(node.ops) > 1:
        return _settled(body, node)
    left, right = operands(body, [node.left, node.comparators[0]])
    return ast.Compare(left, node.ops, [right])


@rule(ast.Attribute)
def _attribute(body: Body, node: ast.Attribute) -> ast.expr:
    return ast.Attribute(atom(body, node.value), node.attr, ast.Load())


@rule(ast.Subscript)
def _subscript(body: Body, node: ast.Subscript) -> ast.expr:
    return place(body, node)


@rule(ast.NamedExpr)
def _walrus(body: Body, node: ast.NamedExpr) -> ast.expr:
    name = body.name(node.target.id)
    body.page.write(f"{name} = {text(operate(body, node.value))}")
    body.bind([name])
    return ast.Name(name, ast.Load())


def place(body: Body, node: ast.Subscript, later: Sequence[ast.expr] = ()) -> ast.Subscript:
    """The item with atoms for object and index; `later` is evaluated between reading it and writing it again."""
    parts = index_parts(node.slice)
    atoms = [operand(body, part, [*parts[i:], *later]) for i, part in enumerate([node.value, *parts])]
    return ast.Subscript(atoms[0], _with_parts(body, node.slice, atoms[1:]), node.ctx)


def index_parts(index: ast.expr) -> list[ast.expr]:
    """Expressions of an index, in order of evaluation."""
    match index:
        case ast.Slice():
            return [p for p in (index.lower, index.upper, index.step) if p]
        case ast.Tuple(elts=parts) if any(isinstance(p, ast.Slice) for p in parts):
            return [part for p in parts for part in index_parts(p)]
        case _:
            return [index]


def _with_parts(body: Body, index: ast.expr, atoms: list[ast.expr]) -> ast.expr:
    match index:
        case ast.Slice():
            rest = iter(atoms)
            return ast.Slice(*(next(rest) if p else None for p in (index.lower, index.upper, index.step)))
        case ast.Tuple(elts=parts) if any(isinstance(p, ast.Slice) for p in parts):
            body.page.remark = "an index of several slices"
            rest = iter(atoms)
            return ast.Tuple(
                [_with_parts(body, p, [next(rest) for _ in index_parts(p)]) for p in parts], ast.Load()
            )
        case _:
            return atoms[0]


def _settle_boolean(body: Body, name: str, node: ast.BoolOp) -> None:
    test = f"if {name}:" if isinstance(node.op, ast.And) else f"if not {name}:"
    settle(body, name, node.values[0])
    if len(node.values) > FLAT_FROM:
        for value in node.values[1:]:
            with body.page.block(test), body.branch():
                settle(body, name, value)
    elif len(node.values) > 1:
        with body.page.block(test), body.branch():
            _settle_boolean(body, name, ast.BoolOp(node.op, node.values[1:]))


def _settle_chain(body: Body, name: str, node: ast.Compare) -> None:
    first, rest = node.comparators[0], node.comparators[1:]
    left, right = operands(body, [node.left, first])
    if isinstance(right, ast.Name) and must_capture(body, right.id, rest):
        right = keep(body, right)
    body.page.write(f"{name} = {text(ast.Compare(left, node.ops[:1], [right]))}")
    if rest:
        with body.page.block(f"if {name}:"), body.branch():
            _settle_chain(body, name, ast.Compare(right, node.ops[1:], rest))


def _branches(node: ast.expr) -> bool:
    return isinstance(node, ast.BoolOp) or (isinstance(node, ast.Compare) and len(node.ops) > 1)


def _retests(body: Body, node: ast.BoolOp) -> bool:
    """Where truth is the program's own, `(a and b) or c` would ask `a` twice as two lines; Python asks once."""
    return body.program.custom_truth and any(isinstance(value, ast.BoolOp) for value in node.values[:-1])


def _decide(body: Body, name: str, node: ast.expr) -> None:
    """Leaves True or False in `name`, asking each operand's truth exactly once."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and _branches(node.operand):
        _decide(body, name, node.operand)
        body.page.write(f"{name} = not {name}")
    elif isinstance(node, ast.BoolOp):
        _decide(body, name, node.values[0])
        if len(node.values) > 1:
            test = f"if {name}:" if isinstance(node.op, ast.And) else f"if not {name}:"
            with body.page.block(test), body.branch():
                _decide(body, name, ast.BoolOp(node.op, node.values[1:]))
    elif isinstance(node, ast.Compare) and len(node.ops) > 1:
        _decide_chain(body, name, node)
    else:
        with body.page.block(f"if {condition(body, node)}:"):
            body.page.write(f"{name} = True")
        with body.page.block("else:"):
            body.page.write(f"{name} = False")


def _decide_chain(body: Body, name: str, node: ast.Compare) -> None:
    left, right = operands(body, [node.left, node.comparators[0]])
    if isinstance(right, ast.Name) and must_capture(body, right.id, node.comparators[1:]):
        right = keep(body, right)
    _decide(body, name, ast.Compare(left, node.ops[:1], [right]))
    if len(node.ops) > 1:
        with body.page.block(f"if {name}:"), body.branch():
            _decide_chain(body, name, ast.Compare(right, node.ops[1:], node.comparators[1:]))
