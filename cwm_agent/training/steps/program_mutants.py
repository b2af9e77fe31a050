"""Mutants of programs: one small change each, like bugs and repair candidates; knows no training.

The class of a change is drawn first, so that constants and names do not dominate rare classes. Powers are not changed,
because a large exponent may take very long. A mutant compiles, but it may raise or not terminate; the caller sets
limits. `edited` draws from the edits that the repair agent tries, so that training covers what repair imagines.
"""

import ast
import re
from collections.abc import Callable, Iterator
from random import Random

from envs.editing.edit import BadEdit, Edit
from envs.editing.edit_generation import uncompiled_edits

Change = Callable[[], object]
_COMPARISONS: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_ARITHMETIC: tuple[type[ast.operator], ...] = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_SIMILAR = tuple(
    tuple(group.split())
    for group in (
        "min max sum len, any all, sorted list reversed set tuple, int str abs bool float, "
        "split rsplit, pop get, ord len str, upper lower title capitalize swapcase,"
        "strip lstrip rstrip, startswith endswith,"
        "find index rfind count rindex,"
        "isalpha isdigit isalnum isupper islower isspace, keys values items, append extend remove, add discard remove,"
        "ljust rjust center, sort reverse clear, enumerate list reversed, partition rpartition"
    ).split(",")
)
"""Groups of calls that are easily confused."""
_GROWING = re.compile(r"\*\*|<<|\bpow\b|factorial|\b\d{5,}\b")
"""Edits with this text are not used: the program might not terminate."""


def mutated(source: str, rng: Random, changes: int = 1) -> str:
    """The source with that many changes; unchanged if none is possible."""
    for _ in range(changes):
        tree = ast.parse(source)
        found = _changes(tree, rng)
        if not found:
            return source
        rng.choice(found[rng.choice(sorted(found))])()
        source = ast.unparse(ast.fix_missing_locations(tree))
    return source


def edited(source: str, rng: Random) -> str:
    """The source after a random edit of the repair agent, class drawn first; unchanged if there is none."""
    if _GROWING.search(source):
        return mutated(source, rng)
    by_class: dict[str, list[Edit]] = {}
    for edit in uncompiled_edits(source):
        if not _GROWING.search(edit.after):
            by_class.setdefault(edit.operator, []).append(edit)
    try:
        return rng.choice(by_class[rng.choice(sorted(by_class))]).apply(source) if by_class else source
    except BadEdit:
        return source


def _changes(tree: ast.Module, rng: Random) -> dict[str, list[Change]]:
    """All possible changes by class."""
    found: dict[str, list[Change]] = {}
    classes = (node for node in tree.body if isinstance(node, ast.ClassDef))
    methods = (member for node in classes for member in node.body)
    for function in (node for node in (*tree.body, *methods) if isinstance(node, ast.FunctionDef)):
        names = _bound(function)
        for node in _outside_powers(function):
            for kind, change in _of_node(node, names, rng):
                found.setdefault(kind, []).append(change)
    return found


def _bound(function: ast.FunctionDef) -> list[str]:
    """The variables of a function, sorted."""
    nodes = list(ast.walk(function))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return sorted(stored | {node.arg for node in nodes if isinstance(node, ast.arg)})


def _outside_powers(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _outside_powers(child)


def _of_node(node: ast.AST, names: list[str], rng: Random) -> Iterator[tuple[str, Change]]:
    match node:
        case ast.Compare():
            yield "comparison", lambda: _comparison(node, rng)
        case ast.BinOp():
            yield "arithmetic", lambda: setattr(node, "op", rng.choice(_ARITHMETIC)())
            yield "operands", lambda: _swap_fields(node, "left", "right")
        case ast.AugAssign():
            yield "augmented", lambda: setattr(node, "op", rng.choice(_ARITHMETIC[:3])())
        case ast.BoolOp():
            yield "boolean", lambda: setattr(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
            yield "operand", lambda: node.values.pop(rng.randrange(len(node.values)))
        case ast.If() | ast.While():
            yield "condition", lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))
        case ast.Constant():
            yield from _constant(node, rng)
        case ast.Name(ctx=ast.Load()) if node.id in names and len(names) > 1:
            yield "variable", lambda: setattr(node, "id", rng.choice([name for name in names if name != node.id]))
        case ast.Subscript(slice=ast.Slice() as bounds):
            yield "slice", lambda: _slice(bounds, rng)
        case ast.Subscript():
            yield "index", lambda: setattr(node, "slice", _off_by_one(node.slice, rng))
        case ast.Call():
            yield from _call(node, rng)
        case ast.Return(value=ast.expr()):
            yield "return", lambda: setattr(node, "value", ast.Name(rng.choice(names), ast.Load()) if names else None)
    yield from _blocks(node, rng)


def _comparison(node: ast.Compare, rng: Random) -> None:
    place = rng.randrange(len(node.ops))
    operator = type(node.ops[place])
    if operator in _OPPOSITE:
        node.ops[place] = _OPPOSITE[operator]()
    elif rng.random() < 0.2:
        node.left, node.comparators[0] = node.comparators[0], node.left
    else:
        node.ops[place] = rng.choice([other for other in _COMPARISONS if other is not operator])()


def _swap_fields(node: ast.AST, one: str, other: str) -> None:
    first, second = getattr(node, one), getattr(node, other)
    setattr(node, one, second)
    setattr(node, other, first)


def _constant(node: ast.Constant, rng: Random) -> Iterator[tuple[str, Change]]:
    value = node.value
    if isinstance(value, bool):
        yield "boolean", lambda: setattr(node, "value", not value)
    elif isinstance(value, int):
        changed = [other for other in (value + 1, value - 1, 0, 1, 2) if other != value]
        yield "constant", lambda: setattr(node, "value", rng.choice(changed))
    elif isinstance(value, str):
        yield (
            "string",
            lambda: setattr(node, "value", rng.choice(["", " ", "a", value[::-1], value.upper(), value + "s"])),
        )
    elif value is None:
        yield "constant", lambda: setattr(node, "value", 0)


def _slice(bounds: ast.Slice, rng: Random) -> None:
    part = rng.choice(("lower", "upper", "step"))
    held = getattr(bounds, part)
    if part == "step":
        bounds.step = ast.Constant(rng.choice((-1, 2))) if held is None else None
    elif held is None:
        setattr(bounds, part, ast.Constant(rng.choice((1, -1, 2))))
    else:
        setattr(bounds, part, rng.choice((None, _off_by_one(held, rng))))


def _off_by_one(held: ast.expr, rng: Random) -> ast.expr:
    return ast.BinOp(held, rng.choice((ast.Add, ast.Sub))(), ast.Constant(1))


def _call(node: ast.Call, rng: Random) -> Iterator[tuple[str, Change]]:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    similar = [other for group in _SIMILAR if name in group for other in group if other != name]
    if similar:
        field = "id" if isinstance(node.func, ast.Name) else "attr"
        yield "call", lambda: setattr(node.func, field, rng.choice(similar))
    if len(node.args) > 1:
        yield "arguments", lambda: node.args.reverse()
        yield "argument", lambda: node.args.pop(rng.randrange(len(node.args)))
    if node.args and name in ("range", "insert", "pop"):
        place = rng.randrange(len(node.args))
        yield "off by one", lambda: node.args.__setitem__(place, _off_by_one(node.args[place], rng))


def _blocks(node: ast.AST, rng: Random) -> Iterator[tuple[str, Change]]:
    for part in ("body", "orelse", "finalbody"):
        block = getattr(node, part, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield "drop", lambda block=block: _drop(block, rng)  # type: ignore[misc]
            if len(block) > 1:
                yield "order", lambda block=block: _reorder(block, rng)  # type: ignore[misc]
                yield "move", lambda block=block: _move(block, rng)  # type: ignore[misc]
    if isinstance(node, ast.If | ast.For | ast.While) and node.orelse:
        yield "else", lambda: node.orelse.clear()


def _drop(block: list[ast.stmt], rng: Random) -> None:
    block[rng.randrange(len(block))] = ast.Pass()


def _reorder(block: list[ast.stmt], rng: Random) -> None:
    place = rng.randrange(len(block) - 1)
    block[place], block[place + 1] = block[place + 1], block[place]


def _move(block: list[ast.stmt], rng: Random) -> None:
    """Move the last statement of an inner block out of it, or the statement behind the block into it."""
    places = [place for place, each in enumerate(block) if isinstance(each, ast.If | ast.For | ast.While)]
    if not places:
        return _reorder(block, rng)
    place = rng.choice(places)
    inner: list[ast.stmt] = block[place].body  # type: ignore[attr-defined]
    if rng.random() < 0.5 and len(inner) > 1:
        block.insert(place + 1, inner.pop())
    elif place + 1 < len(block):
        inner.append(block.pop(place + 1))
    return None
