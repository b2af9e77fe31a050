"""Simple statements, one operation a line, and the table of rules for all statements.

Each kind of compound statement has a module of its own.
"""

import ast
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.assignment_targets import store
from envs.execution.decompose.rules.boolean_operators import condition
from envs.execution.decompose.rules.expressions import (
    atom,
    is_number,
    keep,
    later,
    must_capture,
    operand,
    operands,
    operate,
    place,
)
from envs.execution.decompose.rules.generators import yield_each
from envs.execution.decompose.rules.object_fields import called_fields, item_place
from envs.execution.decompose.verbatim import verbatim

Node = TypeVar("Node", bound=ast.stmt)
_RULES: dict[type[ast.stmt], Callable[[FunctionBody, Any], None]] = {}


def statement(
    kind: type[Node],
) -> Callable[[Callable[[FunctionBody, Node], None]], Callable[[FunctionBody, Node], None]]:
    """Registers the rule for one kind of statement."""

    def register(function: Callable[[FunctionBody, Node], None]) -> Callable[[FunctionBody, Node], None]:
        _RULES[kind] = function
        return function

    return register


def suite(body: FunctionBody, statements: Sequence[ast.stmt]) -> None:
    """Writes statements one after the other."""
    for node in statements:
        body.writer.origin = node.lineno
        _RULES.get(type(node), _whole)(body, node)


def _whole(body: FunctionBody, node: ast.stmt) -> None:
    verbatim(body.writer, node, f"{type(node).__name__} is not decomposed")
    if isinstance(node, ast.ClassDef | ast.AsyncFunctionDef):
        body.bind([node.name])


def _as_it_is(body: FunctionBody, node: ast.stmt) -> None:
    body.writer.write(text(node))


def _jump(body: FunctionBody, node: ast.stmt) -> None:
    body.writer.write(text(node))
    body.bound = None


_RULES.update({ast.Pass: _as_it_is, ast.Global: _as_it_is, ast.Nonlocal: _as_it_is})
_RULES.update({ast.Break: _jump, ast.Continue: _jump})


@statement(ast.Import)
def _import(body: FunctionBody, node: ast.Import) -> None:
    for alias in node.names:
        body.writer.write(text(ast.Import([alias])))
        body.bind([alias.asname or alias.name.split(".")[0]])


@statement(ast.ImportFrom)
def _import_from(body: FunctionBody, node: ast.ImportFrom) -> None:
    body.writer.write(text(node))
    body.bind(alias.asname or alias.name for alias in node.names)


@statement(ast.Expr)
def _expression(body: FunctionBody, node: ast.Expr) -> None:
    if isinstance(node.value, ast.YieldFrom) and yield_each(body, node.value):
        return
    if (updated := called_fields(body, node.value, "update")) is not None:
        body.writer.write(text(updated))
        return
    value = operate(body, node.value)
    made = isinstance(value, ast.Name) and not isinstance(node.value, ast.Name)
    if isinstance(value, ast.Constant) or is_number(value) or made:
        return
    body.writer.write(text(value))


@statement(ast.Return)
def _return(body: FunctionBody, node: ast.Return) -> None:
    body.writer.write(f"return {text(atom(body, node.value))}" if node.value else "return")
    body.bound = None


@statement(ast.Delete)
def _delete(body: FunctionBody, node: ast.Delete) -> None:
    for target in node.targets:
        _delete_one(body, target)


def _delete_one(body: FunctionBody, target: ast.expr) -> None:
    match target:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                _delete_one(body, part)
        case ast.Subscript():
            body.writer.write(f"del {text(item_place(body, target))}")
        case ast.Attribute():
            body.writer.write(f"del {text(atom(body, target.value))}.{target.attr}")
        case _:
            body.writer.write(f"del {text(target)}")


@statement(ast.Assert)
def _assert(body: FunctionBody, node: ast.Assert) -> None:
    test = condition(body, node.test)
    with body.writer.block(f"if {test.removeprefix('not ')}:" if test.startswith("not ") else f"if not {test}:"):
        if not body.program.builtin("AssertionError"):
            message = f", {text(atom(body, node.msg))}" if node.msg else ""
            body.writer.write(f"assert False{message}", "assert of a program that rebinds AssertionError")
            return
        arguments = [atom(body, node.msg)] if node.msg else []
        error = keep(body, ast.Call(ast.Name("AssertionError", ast.Load()), arguments, []))
        body.writer.write(f"raise {error.id}")


@statement(ast.Raise)
def _raise(body: FunctionBody, node: ast.Raise) -> None:
    if node.exc is None:
        _reraise(body)
    else:
        parts = operands(body, [node.exc, *([node.cause] if node.cause else [])])
        body.writer.write("raise " + " from ".join(map(text, parts)))
    body.bound = None


def _reraise(body: FunctionBody) -> None:
    name = body.handlers[-1].name if body.handlers else None
    if name is None:
        body.writer.write("raise", "raises again what is being handled")
    else:
        body.writer.write(f"raise {name}")


@statement(ast.AnnAssign)
def _annotated(body: FunctionBody, node: ast.AnnAssign) -> None:
    if node.value is not None:
        _assign(body, ast.Assign([node.target], node.value, lineno=node.lineno))
    elif isinstance(node.target, ast.Attribute | ast.Subscript):
        atom(body, node.target.value)


@statement(ast.Assign)
def _assign(body: FunctionBody, node: ast.Assign) -> None:
    if len(node.targets) == 1:
        _assign_one(body, node.targets[0], node.value)
        return
    value = atom(body, node.value)
    if isinstance(value, ast.Name) and value.id not in body.names.given and not _keeps(node.targets, value.id):
        value = keep(body, value)
    for target in node.targets:
        store(body, target, value)


def _keeps(targets: Sequence[ast.expr], name: str) -> bool:
    """Whether storing into the targets one by one surely leaves the name as it is."""
    return all(isinstance(target, ast.Name) and target.id != name for target in targets)


def _assign_one(body: FunctionBody, target: ast.expr, value: ast.expr) -> None:
    match target, value:
        case ast.Name(), _:
            body.writer.write(f"{body.name(target.id)} = {text(operate(body, value))}")
            body.bind([target.id])
        case ast.Tuple() | ast.List(), ast.Tuple() | ast.List() if _pairwise(target.elts, value.elts):
            _assign_pairs(body, target.elts, value.elts)
        case _:
            store(body, target, operand(body, value, later(body, _evaluated(target))))


def _pairwise(targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> bool:
    return len(targets) == len(values) > 0 and not any(isinstance(n, ast.Starred) for n in [*targets, *values])


def _evaluated(target: ast.expr) -> list[ast.expr]:
    """Expressions that storing into the target evaluates, and that may therefore rebind a name."""
    match target:
        case ast.Subscript():
            return [target.value, target.slice]
        case ast.Attribute():
            return [target.value]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [target, *(e for part in parts for e in _evaluated(part))]
        case _:
            return []


def _assign_pairs(body: FunctionBody, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> None:
    atoms = operands(body, values)
    if all(isinstance(t, ast.Name) for t in targets):
        names = [body.name(t.id) for t in targets if isinstance(t, ast.Name)]
        comma = "," if len(names) == 1 else ""
        body.writer.write(f"{', '.join(names)}{comma} = {', '.join(map(text, atoms))}{comma}")
        body.bind(names)
        return
    # Each value is kept in a temporary before the first store can change what its name means.
    kept = [keep(body, v) if isinstance(v, ast.Name) and v.id not in body.names.given else v for v in atoms]
    for target, value in zip(targets, kept, strict=True):
        store(body, target, value)


@statement(ast.AugAssign)
def _augmented(body: FunctionBody, node: ast.AugAssign) -> None:
    sign = text(ast.BinOp(ast.Name("a"), node.op, ast.Name("b")))[2:-2]
    match node.target:
        case ast.Name(id=identifier):
            _augment_name(body, identifier, sign, node.value)
        case ast.Subscript():
            item = text(place(body, node.target, [node.value, node.target]))
            _augment_place(body, item, sign, node.value)
        case ast.Attribute():
            value = operand(body, node.target.value, later(body, [node.value]))
            _augment_place(body, f"{text(value)}.{node.target.attr}", sign, node.value)


def _augment_name(body: FunctionBody, identifier: str, sign: str, value: ast.expr) -> None:
    name = body.name(identifier)
    if must_capture(body, name, later(body, [value])):
        _augment_place(body, name, sign, value)
    else:
        body.writer.write(f"{name} {sign}= {text(atom(body, value))}")
    body.bind([identifier])


def _augment_place(body: FunctionBody, place_text: str, sign: str, value: ast.expr) -> None:
    old = body.temporary()
    body.writer.write(f"{old} = {place_text}")
    body.writer.write(f"{old} {sign}= {text(atom(body, value))}")
    body.writer.write(f"{place_text} = {old}")
