"""Displays and f-strings: many parts to one operation; knows how Python interleaves evaluating and collecting them."""

import ast
from collections.abc import Sequence

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.expressions import (
    atom,
    is_constant_display,
    is_number,
    keep,
    operands,
    rule,
    stirred,
)


@rule(ast.List)
def _list(body: FunctionBody, node: ast.List) -> ast.expr:
    return node if is_constant_display(node) else ast.List(operands(body, node.elts), ast.Load())


@rule(ast.Tuple)
def _tuple(body: FunctionBody, node: ast.Tuple) -> ast.expr:
    return node if is_constant_display(node) else ast.Tuple(operands(body, node.elts), ast.Load())


@rule(ast.Set)
def _set(body: FunctionBody, node: ast.Set) -> ast.expr:
    if is_constant_display(node):
        return node
    cut = _first_star_before_work(node.elts)
    if cut is None:
        return ast.Set(operands(body, node.elts))
    collected = keep(body, ast.Set(operands(body, node.elts[: cut + 1])))
    for part in node.elts[cut + 1 :]:
        if isinstance(part, ast.Starred):
            body.writer.write(f"{collected.id}.update({text(atom(body, part.value))})")
        else:
            body.writer.write(f"{collected.id}.add({text(atom(body, part))})")
    return collected


def _first_star_before_work(parts: Sequence[ast.expr]) -> int | None:
    stars = (i for i, part in enumerate(parts) if isinstance(part, ast.Starred))
    return next((i for i in stars if stirred(parts[i + 1 :])), None)


@rule(ast.Dict)
def _dict(body: FunctionBody, node: ast.Dict) -> ast.expr:
    if is_constant_display(node):
        return node
    merged = node.keys.index(None) if None in node.keys else None
    if merged is not None and stirred(_flat(node, merged + 1)):
        return _grown_dict(body, node, merged + 1)
    return _dict_of(node.keys, operands(body, _flat(node, 0)))


def _flat(node: ast.Dict, start: int) -> list[ast.expr]:
    pairs = list(zip(node.keys, node.values, strict=True))[start:]
    return [part for key, value in pairs for part in (key, value) if part is not None]


def _dict_of(keys: Sequence[ast.expr | None], atoms: list[ast.expr]) -> ast.Dict:
    rest = iter(atoms)
    pairs = [(next(rest) if key is not None else None, next(rest)) for key in keys]
    return ast.Dict([key for key, _ in pairs], [value for _, value in pairs])


def _grown_dict(body: FunctionBody, node: ast.Dict, cut: int) -> ast.expr:
    """A mapping is merged before the parts after it are evaluated, so the dict grows line by line."""
    head = ast.Dict(node.keys[:cut], node.values[:cut])
    grown = keep(body, _dict_of(head.keys, operands(body, _flat(head, 0))))
    for key, value in zip(node.keys[cut:], node.values[cut:], strict=True):
        if key is None:
            body.writer.write(f"{grown.id}.update({text(atom(body, value))})")
        else:
            at, item = operands(body, [key, value])
            body.writer.write(f"{grown.id}[{text(at)}] = {text(item)}")
    return grown


@rule(ast.JoinedStr)
def _joined(body: FunctionBody, node: ast.JoinedStr) -> ast.expr:
    if isinstance(plain := _plain_text(node), ast.Constant):
        return plain
    parts: list[ast.expr] = []
    for index, part in enumerate(node.values):
        if not isinstance(part, ast.FormattedValue):
            parts.append(part)
            continue
        ready = _formatted(body, part)
        if any(isinstance(p, ast.FormattedValue) and not _is_plain(p) for p in node.values[index + 1 :]):
            # Python formats each part before it evaluates the next one.
            ready = ast.FormattedValue(keep(body, ast.JoinedStr([ready])), -1)
        parts.append(ready)
    return ast.JoinedStr(parts)


def _is_plain(part: ast.FormattedValue) -> bool:
    spec = part.format_spec
    inner = spec.values if isinstance(spec, ast.JoinedStr) else []
    return _fits(part.value) and all(isinstance(p, ast.Constant) for p in inner)


def _fits(node: ast.expr) -> bool:
    """Names and numbers may stand between the braces; a string there would need its own quotes."""
    return isinstance(node, ast.Name) or is_number(node)


def _may_be_object(body: FunctionBody, node: ast.expr) -> bool:
    """Whether the value may be an object of the program, whose text is a call of its method."""
    plain = isinstance(node, ast.Constant) or is_number(node) or body.kind(node) is not None
    plain = plain or (isinstance(node, ast.Call) and _gives_number(body, node.func))
    return not plain and all(body.program.builtin(name) for name in ("str", "repr", "format"))


def _gives_number(body: FunctionBody, node: ast.expr) -> bool:
    """Whether a function is a builtin whose value is a number, whatever it is given."""
    return (
        isinstance(node, ast.Name)
        and node.id in ("len", "int", "float", "ord", "hash")
        and body.program.builtin(node.id)
    )


def _written(body: FunctionBody, part: ast.FormattedValue) -> ast.expr:
    """The call that writes a value between braces: `str`, unless a class has its own `__format__`."""
    value = atom(body, part.value)
    if part.conversion == ord("r"):
        return ast.Call(ast.Name("repr", ast.Load()), [value], [])
    if part.conversion == -1 and "__format__" in body.program.rebound:
        return ast.Call(ast.Name("format", ast.Load()), [value, ast.Constant("")], [])
    if part.conversion == ord("a"):
        return ast.Call(ast.Name("ascii", ast.Load()), [value], [])
    return ast.Call(ast.Name("str", ast.Load()), [value], [])


def _plain_text(node: ast.expr) -> ast.expr:
    """The string that an f-string without braces is; any other node as it is."""
    texts = [part.value for part in getattr(node, "values", [None]) if isinstance(part, ast.Constant)]
    is_plain = isinstance(node, ast.JoinedStr) and len(texts) == len(node.values)
    return ast.copy_location(ast.Constant("".join(map(str, texts))), node) if is_plain else node


def _by_class(body: FunctionBody, part: ast.FormattedValue) -> ast.FormattedValue:
    """A part whose text an object of the program may decide by what stands behind the colon."""
    assert part.format_spec is not None
    value, form = operands(body, [part.value, _plain_text(part.format_spec)])
    return ast.FormattedValue(keep(body, ast.Call(ast.Name("format", ast.Load()), [value, form], [])), -1)


def _formatted(body: FunctionBody, part: ast.FormattedValue) -> ast.FormattedValue:
    spec = part.format_spec
    own = body.program.classes and "__format__" in body.program.rebound and part.conversion == -1
    if spec is not None and own and _may_be_object(body, part.value):
        return _by_class(body, part)
    if spec is None and (body.program.custom_text or own) and _may_be_object(body, part.value):
        return ast.FormattedValue(keep(body, _written(body, part)), -1)
    if spec is None or all(isinstance(p, ast.Constant) for p in getattr(spec, "values", [])):
        value = atom(body, part.value)
        return ast.FormattedValue(value if _fits(value) else keep(body, value), part.conversion, spec)
    value, form = operands(body, [part.value, spec])
    inner = ast.JoinedStr([ast.FormattedValue(form, -1)])
    return ast.FormattedValue(value if _fits(value) else keep(body, value), part.conversion, inner)
