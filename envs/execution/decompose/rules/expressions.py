"""Expressions to single operations on atoms, in Python's order of evaluation.

`operate` writes the lines an expression needs first and returns what is left of it: one operation, which the caller
must place on the very next line, or an atom. Calls, comprehensions and lambdas register themselves from their files.
"""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.syntax.bindings import walrus_names
from envs.execution.syntax.program_structure import nodes_of

Node = TypeVar("Node", bound=ast.expr)
Rule = Callable[[FunctionBody, Any], ast.expr]
Special = Callable[[FunctionBody, ast.expr], ast.expr | None]
_RULES: dict[type[ast.expr], Rule] = {}
_SPECIAL: list[Special] = []


@dataclass(frozen=True, slots=True)
class Later:
    """What is evaluated between reading an operand and using it."""

    stirs: bool
    """Something that takes lines of its own, so it may fail or have effects."""
    rebinds: frozenset[str]
    """Names bound by a walrus on the way."""


def rule(
    kind: type[Node],
) -> Callable[[Callable[[FunctionBody, Node], ast.expr]], Callable[[FunctionBody, Node], ast.expr]]:
    """Registers the rule for one kind of expression."""

    def register(function: Callable[[FunctionBody, Node], ast.expr]) -> Callable[[FunctionBody, Node], ast.expr]:
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


def special(function: Special) -> Special:
    """Registers a rule that is asked before all others and may decline."""
    _SPECIAL.append(function)
    return function


def operate(body: FunctionBody, node: ast.expr) -> ast.expr:
    """One operation on atoms, or an atom, after the lines that its operands need."""
    for function in _SPECIAL:
        if (value := function(body, node)) is not None:
            return value
    return _RULES.get(type(node), keep_whole)(body, node)


def atom(body: FunctionBody, node: ast.expr) -> ast.expr:
    """An atom that holds the expression's value."""
    value = operate(body, node)
    return value if is_atom(value) else keep(body, value)


def keep(body: FunctionBody, value: ast.expr) -> ast.Name:
    """A fresh temporary that holds the value."""
    name = body.temporary()
    body.writer.write(f"{name} = {text(value)}")
    return ast.Name(name, ast.Load())


def operands(body: FunctionBody, nodes: Sequence[ast.expr]) -> list[ast.expr]:
    """Atoms for several operands, evaluated left to right; a starred one stays starred."""
    return [operand(body, node, after) for node, after in zip(nodes, afters(body, nodes), strict=True)]


def operand(body: FunctionBody, node: ast.expr, after: Later) -> ast.expr:
    """An atom whose value stays what it is while the later operands are evaluated."""
    if isinstance(node, ast.Starred):
        value = operand(body, node.value, after)
        if after.stirs:  # the iterable is read before the operands after it are evaluated
            value = keep(body, ast.List([ast.Starred(value)]))
        return ast.Starred(value)
    value = atom(body, node)
    if isinstance(value, ast.Name) and must_capture(body, value.id, after):
        return keep(body, value)
    return value


def later(body: FunctionBody, nodes: Sequence[ast.expr]) -> Later:
    """What the evaluation of these nodes can do to a name that was read before."""
    rebinds: frozenset[str] = frozenset()
    if body.program.walrus:
        inside = (n for node in nodes for n in nodes_of(node))
        rebinds = frozenset(walrus_names(inside))
    return Later(stirred(nodes), rebinds)


def afters(body: FunctionBody, nodes: Sequence[ast.expr]) -> list[Later]:
    """For each operand what comes after it."""
    found = [Later(False, frozenset())]
    for node in reversed(nodes[1:]):
        here, rest = later(body, [node]), found[-1]
        found.append(Later(here.stirs or rest.stirs, here.rebinds | rest.rebinds))
    return found[::-1] if nodes else []


def stirred(nodes: Sequence[ast.expr]) -> bool:
    """Whether evaluating any of these takes a line of its own."""
    return not all(is_atom(n.value if isinstance(n, ast.Starred) else n) for n in nodes)


def must_capture(body: FunctionBody, name: str, after: Later) -> bool:
    """Whether the name's value, or its absence, must be kept in a temporary before the later operands run."""
    return after.stirs and (body.volatile(name) or not body.surely_bound(name) or name in after.rebinds)


def keep_whole(body: FunctionBody, node: ast.expr) -> ast.expr:
    """The expression as it is, reported as atomic on the line that takes it."""
    body.writer.remark = f"{type(node).__name__} is not decomposed"
    return node


@rule(ast.Name)
def _name(body: FunctionBody, node: ast.Name) -> ast.expr:
    return ast.Name(body.name(node.id), ast.Load())


@rule(ast.Constant)
def _constant(body: FunctionBody, node: ast.Constant) -> ast.expr:
    return node


@rule(ast.UnaryOp)
def _unary(body: FunctionBody, node: ast.UnaryOp) -> ast.expr:
    return node if is_number(node) else ast.UnaryOp(node.op, atom(body, node.operand))


@rule(ast.BinOp)
def _binary(body: FunctionBody, node: ast.BinOp) -> ast.expr:
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


@rule(ast.Attribute)
def _attribute(body: FunctionBody, node: ast.Attribute) -> ast.expr:
    return ast.Attribute(atom(body, node.value), node.attr, ast.Load())


@rule(ast.NamedExpr)
def _walrus(body: FunctionBody, node: ast.NamedExpr) -> ast.expr:
    name = body.name(node.target.id)
    body.writer.write(f"{name} = {text(operate(body, node.value))}")
    body.bind([name])
    return ast.Name(name, ast.Load())


def place(body: FunctionBody, node: ast.Subscript, between: Sequence[ast.expr] = ()) -> ast.Subscript:
    """The item with atoms for object and index; `between` is evaluated between reading it and writing it again."""
    parts = [node.value, *index_parts(node.slice)]
    waiting = afters(body, [*parts, *between])
    atoms = [operand(body, part, waiting[index]) for index, part in enumerate(parts)]
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


def _with_parts(body: FunctionBody, index: ast.expr, atoms: list[ast.expr]) -> ast.expr:
    match index:
        case ast.Slice():
            rest = iter(atoms)
            return ast.Slice(*(next(rest) if p else None for p in (index.lower, index.upper, index.step)))
        case ast.Tuple(elts=parts) if any(isinstance(p, ast.Slice) for p in parts):
            body.writer.remark = "an index of several slices"
            rest = iter(atoms)
            return ast.Tuple([_with_parts(body, p, [next(rest) for _ in index_parts(p)]) for p in parts], ast.Load())
        case _:
            return atoms[0]
