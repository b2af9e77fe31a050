"""`sorted`, `sort`, `max` and `min` with a key function of the program: keys and comparisons written out as loops.

All keys come before the first comparison, as in Python, and equal keys keep their order. The sort is by insertion: it
compares other pairs than Python's does, which cannot be seen as long as the keys have an order. So it is left to Python
where a class may decide by more than one expression what `<` does, or where the keys may be sets or NaN as far as the
text tells. `max` and `min` compare just as Python does.

A key that only running the program tells (`key=ranks[name]`, `key=by(-1)`, a variable) is called item by item, unless
it is None.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.assignment_targets import iterator
from envs.execution.decompose.rules.callbacks import (
    applied,
    consumed,
    expended,
    merged,
    over_own_generator,
    single_use,
)
from envs.execution.decompose.rules.comprehensions.comprehension_loops import loops_from
from envs.execution.decompose.rules.comprehensions.comprehension_rules import collect_list
from envs.execution.decompose.rules.comprehensions.generator_consumers import only_item
from envs.execution.decompose.rules.comprehensions.inlining_conditions import consumable, inlinable
from envs.execution.decompose.rules.expressions import atom, keep, later, operand
from envs.execution.syntax.program_structure import nodes_of

_USED = ("iter", "list", "zip", "len")
_COMMON = frozenset(name for kind in (str, int, float, list, dict, set, tuple, bytes) for name in dir(kind))
_GETTERS = frozenset({"itemgetter", "attrgetter"})
"""What makes functions of the library that a module may hold: a sort by one of them is one line."""
_CHANGING = frozenset(
    "append extend insert remove pop clear sort reverse popitem setdefault update add discard".split()
)
"""Methods that change a list, a dict or a set; naming one is enough, since a builtin may call it."""
_CALLING = frozenset("next setattr delattr exec eval map filter sum print input open".split())
"""Builtins that may change something that a key sees."""
_SUSPENDING = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


@dataclass(frozen=True, slots=True)
class _Key:
    """A key function, as the value it gives for a variable."""

    variable: str
    value: ast.expr

    def generators(self, source: ast.expr) -> list[ast.comprehension]:
        return [ast.comprehension(ast.Name(self.variable, ast.Store()), source, [], 0)]


def keyed(body: FunctionBody, node: ast.Call) -> ast.expr | None:
    """The result of a call with a key function of the program, after its loops; None for any other call."""
    given = {word.arg: word.value for word in node.keywords}
    if given.get("key") is None or None in given or any(isinstance(each, ast.Starred) for each in node.args):
        return None
    if not all(map(body.program.builtin, _USED)):
        return None
    match node.func:
        case ast.Name(id="max" | "min" as kind) if (
            node.args and body.program.builtin(kind) and _has_plain_default(given)
        ):
            source = node.args[0] if len(node.args) == 1 else ast.Tuple(node.args, ast.Load())
            key = _key(body, given["key"], source, foreign=single_use(body, source) is not None)
            if key is None and _is_held(body, given["key"], source):
                source, key = _held(body, given["key"], source)
            rest = [word for word in node.keywords if word.arg == "default"]
            return _best(body, kind, source, key, rest) if key else None
        case ast.Name(id="sorted") if len(node.args) == 1 and _may_sort(body, given) and body.program.builtin("sorted"):
            source = node.args[0]
            key = _key(body, given["key"], source)
            if key is None and _is_held(body, given["key"], source):
                source, key = _held(body, given["key"], source)
            return _sorted(body, _items(body, source), key, _downwards(given)) if key else None
        case ast.Attribute(attr="sort", value=receiver) if (
            not node.args and not body.program.own_sort and _may_sort(body, given)
        ):
            key = _key(body, given["key"], receiver)
            if key is None:
                return None
            closed = _sees_no_list(body, given["key"], key)
            if not closed and not _changes_nothing(body, given["key"], key):
                return None
            return _sort(body, receiver, key, _downwards(given), emptied=not closed)
        case _:
            return None


def _key(body: FunctionBody, function: ast.expr, source: ast.expr, *, foreign: bool = False) -> _Key | None:
    found = applied(body, function, foreign=foreign)
    if found is None:
        return None
    key = _Key(*found)
    return key if inlinable(body, ast.GeneratorExp(key.value, key.generators(source))) else None


def _is_held(body: FunctionBody, function: ast.expr, source: ast.expr) -> bool:
    """Whether a key is a value that may be a function of the program, and loops may take the place of the call."""
    lazy = expended(body, source) is not None or over_own_generator(body, source) is not None
    match source:
        case ast.Call(func=ast.Name(id="list"), args=[only]):
            lazy = lazy or over_own_generator(body, only) is not None  # which runs before the key is evaluated
    if lazy or not body.program.builtin("iter") or body.program.custom_iterators or _makes_comparers(body):
        return False
    if _may_be_set(source) or body.kind(source) in (set, frozenset):
        return False  # a list of it has an order that no frame tells, which the sort makes up for
    match function:
        case ast.Lambda(args=given):
            plain = not (given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg)
            inside = nodes_of(function)
            return plain and len(given.args) == len(given.defaults) + 1 and not _has(inside, _SUSPENDING)
        case ast.Name(id=name):
            local = name in body.scope.own or name in body.scope.free
            return local or not (
                body.program.builtin(name) or body.program.mentions & _GETTERS or name in body.program.imported
            )
        case ast.Call(func=ast.Name(id=name)):
            return name in body.program.functions
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in body.program.methods
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return name not in _COMMON and owner not in body.program.imported and not body.program.builtin(owner)
        case ast.Attribute(attr=name) if name in _COMMON or name not in body.program.methods:
            return False
    return isinstance(function, ast.Subscript | ast.Attribute) and not _has(nodes_of(function), _SUSPENDING)


def _makes_comparers(body: FunctionBody) -> bool:
    """Whether the program makes keys that no frame holds, so that they must not be called item by item."""
    return "cmp_to_key" in body.program.mentions


def _has(nodes: Sequence[ast.AST], kinds: tuple[type[ast.AST], ...]) -> bool:
    return any(isinstance(node, kinds) for node in nodes)


def _held(body: FunctionBody, function: ast.expr, source: ast.expr) -> tuple[ast.expr, _Key]:
    """The source and a key that only running tells, evaluated in Python's order; the key is called on each item."""
    source = operand(body, source, later(body, [function]))
    held = atom(body, function)
    if not isinstance(held, ast.Name) or body.volatile(held.id) or not body.surely_bound(held.id):
        held = keep(body, held)
    variable = "item" if held.id != "item" else "each"
    value: ast.expr = ast.Call(held, [ast.Name(variable, ast.Load())], [])
    if not isinstance(function, ast.Lambda):
        is_none = ast.Compare(held, [ast.Is()], [ast.Constant(None)])
        value = ast.IfExp(is_none, ast.Name(variable, ast.Load()), value)
    return source, _Key(variable, value)


def _may_sort(body: FunctionBody, given: dict[str | None, ast.expr]) -> bool:
    """Whether any stable sort by these keys gives what Python's does, as far as the text tells."""
    backwards = given.get("reverse", ast.Constant(False))
    plain = isinstance(backwards, ast.Constant) and isinstance(backwards.value, bool)
    unordered = body.program.custom_order or "nan" in body.program.mentions or _may_be_set(given["key"])
    return plain and set(given) <= {"key", "reverse"} and not unordered


def _may_be_set(node: ast.expr) -> bool:
    match node:
        case ast.Lambda(body=value):
            return _may_be_set(value)
        case ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(map(_may_be_set, parts))
        case ast.BinOp(left=left, right=right):
            return _may_be_set(left) or _may_be_set(right)
        case ast.IfExp(body=left, orelse=right):
            return _may_be_set(left) or _may_be_set(right)
        case _:
            return False


def _downwards(given: dict[str | None, ast.expr]) -> bool:
    match given.get("reverse"):
        case ast.Constant(value=True):
            return True
        case _:
            return False


def _items(body: FunctionBody, source: ast.expr) -> ast.expr:
    """A list of its own with all that is to be sorted."""
    generator = source if isinstance(source, ast.GeneratorExp) else expended(body, source)
    if generator is not None and consumable(body, ready := consumed(body, generator)):
        return collect_list(body, ready)
    return keep(body, ast.Call(ast.Name("list", ast.Load()), [atom(body, source)], []))


def _sorted(body: FunctionBody, items: ast.expr, key: _Key, downwards: bool) -> ast.expr:
    keys = body.temporary()
    body.writer.write(f"{keys} = []")

    def inner_body() -> None:
        value = atom(body, key.value)
        body.writer.write(f"{keys}.append({text(value)})")

    loops_from(body, iterator(body, items), key.generators(items), inner_body)
    return _inserted(body, keys, text(items), downwards)


def _inserted(body: FunctionBody, keys: str, items: str, downwards: bool) -> ast.expr:
    """A list of the items by their keys; each goes behind all that it need not go before."""
    writer, fresh = body.writer, body.temporary
    ordered, result, pairs, turns = fresh(), fresh(), fresh(), fresh()
    writer.write(f"{ordered} = []")
    writer.write(f"{result} = []")
    writer.write(f"{pairs} = zip({keys}, {items})")
    writer.write(f"{turns} = iter({pairs})")
    pair, here, item, place = fresh(), fresh(), fresh(), fresh()
    with writer.block(f"for {pair} in {turns}:"):
        writer.write(f"{here}, {item} = {pair}")
        writer.write(f"{place} = len({ordered})")
        with writer.block(f"while {place}:"):
            before, there, goes = fresh(), fresh(), fresh()
            writer.write(f"{before} = {place} - 1")
            writer.write(f"{there} = {ordered}[{before}]")
            writer.write(f"{goes} = {there} < {here}" if downwards else f"{goes} = {here} < {there}")
            with writer.block(f"if not {goes}:"):
                writer.write("break")
            writer.write(f"{place} = {before}")
        writer.write(f"{ordered}.insert({place}, {here})")
        writer.write(f"{result}.insert({place}, {item})")
    return ast.Name(result, ast.Load())


def _sort(body: FunctionBody, receiver: ast.expr, key: _Key, downwards: bool, *, emptied: bool) -> ast.expr:
    """The sort of a list in place; `emptied`: the key may see that list, which has no items until the sort is over."""
    owner = atom(body, receiver)
    if body.kind(owner) is not list:  # what has no such method fails before anything else
        keep(body, ast.Attribute(owner, "sort", ast.Load()))
    items = keep(body, ast.Call(ast.Name("list", ast.Load()), [owner], []))
    if not emptied:
        result = _sorted(body, items, key, downwards)
    else:
        body.writer.write(f"{text(owner)}.clear()")
        with body.writer.block("try:"):
            result = _sorted(body, items, key, downwards)
        with body.writer.block("except BaseException:"):
            body.writer.write(f"{text(owner)}[:] = {text(items)}")
            body.writer.write("raise")
    body.writer.write(f"{text(owner)}[:] = {text(result)}")
    return ast.Constant(None)


def _sees_no_list(body: FunctionBody, function: ast.expr, key: _Key) -> bool:
    """Whether the key function cannot see the list being sorted, which Python empties meanwhile."""
    if isinstance(function, ast.Name):
        return function.id in body.program.closed
    names = {n.id for n in nodes_of(key.value) if isinstance(n, ast.Name)} - {key.variable}
    return all(body.program.builtin(name) or body.kinds.get(name) is str for name in names)


def _changes_nothing(body: FunctionBody, function: ast.expr, key: _Key) -> bool:
    """Whether the key is a lambda that only reads: Python notices if a key changes the list being sorted."""
    nodes = nodes_of(key.value)
    named = [node.attr for node in nodes if isinstance(node, ast.Attribute)]
    if not isinstance(function, ast.Lambda) or any(name in _CHANGING or name.startswith("__") for name in named):
        return False
    return all(_only_reads(body, node.func) for node in nodes if isinstance(node, ast.Call))


def _only_reads(body: FunctionBody, called: ast.expr) -> bool:
    match called:
        case ast.Name(id=name):
            return body.program.builtin(name) and name not in _CALLING
        case ast.Attribute(attr=name):
            return name in _COMMON and name not in body.program.methods
        case _:
            return False


def _has_plain_default(given: Mapping[str | None, ast.expr]) -> bool:
    """Whether there is no more than a key and a default that computes nothing."""
    return given.keys() <= {"key", "default"} and isinstance(given.get("default", ast.Constant(None)), ast.Constant)


def _best(body: FunctionBody, kind: str, source: ast.expr, key: _Key, keywords: Sequence[ast.keyword] = ()) -> ast.expr:
    """The one operation that is left: `max` or `min` of a list of one item; of an empty one it fails as it should."""
    generators = merged(body, ast.GeneratorExp(key.value, key.generators(source))).generators
    turns = iterator(body, generators[0].iter)
    best, held, sign = body.temporary(), body.temporary(), ">" if kind == "max" else "<"
    body.writer.write(f"{best} = []")

    def inner_body() -> None:
        value, item = text(atom(body, key.value)), body.name(key.variable)
        with body.writer.block(f"if {best}:"):
            better = body.temporary()
            body.writer.write(f"{better} = {value} {sign} {held}")
            with body.writer.block(f"if {better}:"):
                body.writer.write(f"{best}[0] = {item}")
                body.writer.write(f"{held} = {value}")
        with body.writer.block("else:"):
            body.writer.write(f"{best}.append({item})")
            body.writer.write(f"{held} = {value}")

    loops_from(body, turns, generators, inner_body)
    return only_item(body, kind, best, keywords)
