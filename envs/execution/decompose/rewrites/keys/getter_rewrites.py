"""Calls of the library that hold a function of the program or take all items of an iterator at once, rewritten.

    methodcaller("grade")            lambda item: item.grade()
    attrgetter("total")              lambda item: item.total, where `total` is a property of the program
    sorted(xs, key=itemgetter(1))    sorted(xs, key=lambda item: item[1]), as attrgetter in its place: rules sort by it
    sum(map(operator.mul, xs, ys))   sum(first * second for (first, second) in zip(xs, ys))
    list(combinations(xs, 2))        a generator expression over it: rules give its items one by one
    re.finditer(pattern, text)       a generator of the program that searches on from the last match
    pattern.sub(function, text)      a loop over these matches, each call of the function a step

Says what a call is; `library_rewrites.py` puts the functions in front of the program.
"""

import ast
from collections.abc import Collection, Iterable, Mapping

GETTERS = ("operator.methodcaller", "operator.attrgetter", "operator.itemgetter")
MATCHING = ("re.finditer", "re.sub")
ARRANGEMENTS = ("itertools.combinations", "itertools.permutations", "itertools.product")
_BINARY: Mapping[str, type[ast.operator]] = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod,
    "concat": ast.Add, "and_": ast.BitAnd, "or_": ast.BitOr, "xor": ast.BitXor,
}  # fmt: skip
_COMPARED: Mapping[str, type[ast.cmpop]] = {
    "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE, "eq": ast.Eq, "ne": ast.NotEq,
}  # fmt: skip
OPERATORS = tuple(f"operator.{name}" for name in (*_BINARY, *_COMPARED))
"""Functions that do what an operator does."""
_UNORDERED = frozenset({"nan", "__lt__", "__gt__"})
"""Where a program mentions one of these, sorts are left to Python."""


def getter(node: ast.Call, name: str | None, properties: Collection[str]) -> ast.expr:
    """A lambda that does what the getter does; the getter itself where it needs none, or computes its arguments."""
    if node.keywords or not node.args or not all(isinstance(each, ast.Constant) for each in node.args):
        return node
    first = node.args[0]
    attribute = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
    if not attribute.isidentifier():
        return node
    found: ast.expr = ast.Attribute(ast.Name("item", ast.Load()), attribute, ast.Load())
    if name == "operator.methodcaller":
        found = ast.Call(found, node.args[1:], [])
    elif name == "operator.itemgetter" or len(node.args) > 1 or attribute not in properties:
        return node
    given = ast.arguments([], [ast.arg("item")], None, [], [], None, [])
    return ast.fix_missing_locations(ast.copy_location(ast.Lambda(given, found), node))


def sorts(node: ast.Call, mentioned: Collection[str]) -> bool:
    """Whether a call sorts or compares by a key in an order that any sort finds."""
    named = isinstance(node.func, ast.Name) and node.func.id in ("sorted", "max", "min")
    if not named and not (isinstance(node.func, ast.Attribute) and node.func.attr == "sort"):
        return False
    backwards = [word.value for word in node.keywords if word.arg == "reverse"]
    return not _UNORDERED & set(mentioned) and all(isinstance(each, ast.Constant) for each in backwards)


def key_getter(node: ast.Call, library: Mapping[str, str], mentioned: Collection[str]) -> None:
    """Write the getter by which a call sorts or compares as a lambda, in place, where rules can then sort by it."""
    for word in node.keywords if sorts(node, mentioned) else ():
        if word.arg == "key" and isinstance(word.value, ast.Call):
            word.value = _key(word.value, library.get(ast.unparse(word.value.func)))


def _key(node: ast.Call, name: str | None) -> ast.expr:
    """A lambda that gives what an `itemgetter` or an `attrgetter` of constants gives; any other call as it is."""
    if name not in ("operator.itemgetter", "operator.attrgetter") or node.keywords or not node.args:
        return node
    try:
        given = [ast.literal_eval(each) for each in node.args]
    except ValueError:
        return node
    if name == "operator.itemgetter":
        parts = [f"item[{each!r}]" for each in given]
    elif all(isinstance(each, str) and each.isidentifier() for each in given):
        parts = [f"item.{each}" for each in given]
    else:
        return node
    text = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
    made = ast.parse(f"lambda item: {text}", mode="eval").body
    for part in ast.walk(made):
        ast.copy_location(part, node)
    return made


def operator_lambda(node: ast.expr, library: Mapping[str, str]) -> ast.expr:
    """A lambda that does what a function of `operator` does; any other node as it is."""
    value = _operation(node, library)
    if value is None:
        return node
    given = ast.arguments([], [ast.arg("first"), ast.arg("second")], None, [], [], None, [])
    return ast.fix_missing_locations(ast.copy_location(ast.Lambda(given, value), node))


def _operation(function: ast.expr, library: Mapping[str, str]) -> ast.expr | None:
    """What a function of `operator` gives for two variables, by the operator; None for any other function."""
    name = library.get(ast.unparse(function), "").removeprefix("operator.")
    first, second = ast.Name("first", ast.Load()), ast.Name("second", ast.Load())
    if name in _BINARY:
        return ast.BinOp(first, _BINARY[name](), second)
    return ast.Compare(first, [_COMPARED[name]()], [second]) if name in _COMPARED else None


def operator_map(node: ast.expr, library: Mapping[str, str]) -> ast.expr:
    """A `map` of a function of `operator` over two iterables as a generator expression; any other node as it is."""
    match node:
        case ast.Call(func=ast.Name(id="map"), args=[function, *given], keywords=[]) if len(given) == 2:
            value = _operation(function, library)
        case _:
            return node
    if value is None or any(isinstance(each, ast.Starred) for each in given):
        return node
    target = ast.Tuple([ast.Name("first", ast.Store()), ast.Name("second", ast.Store())], ast.Store())
    pairs = ast.Call(ast.Name("zip", ast.Load()), given, [])
    made = ast.GeneratorExp(value, [ast.comprehension(target, pairs, [], 0)])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def arranged(node: ast.expr, library: Mapping[str, str]) -> ast.expr:
    """Combinations and the like whose items are taken at once, as a generator expression; any other node as it is."""
    return _item_by_item(node) if _named(node, library) in ARRANGEMENTS else node


def _named(node: ast.expr, library: Mapping[str, str]) -> str | None:
    """The library function that an expression calls."""
    return library.get(ast.unparse(node.func)) if isinstance(node, ast.Call) else None


def _item_by_item(node: ast.expr) -> ast.expr:
    item = ast.comprehension(ast.Name("item", ast.Store()), node, [], 0)
    found = ast.copy_location(ast.GeneratorExp(ast.Name("item", ast.Load()), [item]), node)
    return ast.fix_missing_locations(found)


def mentions_patterns(nodes: Iterable[ast.AST]) -> bool:
    """Whether the program asks a pattern for matches one by one, or to replace them."""
    return any(isinstance(node, ast.Attribute) and node.attr in ("finditer", "sub") for node in nodes)


def with_pattern(node: ast.Call, name: str | None, functions: Collection[str]) -> tuple[str, ast.Call] | None:
    """The name of the function that goes through matches, and its call with a compiled pattern; None for other calls.

    `name` is the library's name for what is called, if it is known.
    """
    if any(isinstance(each, ast.Starred) for each in node.args) or not isinstance(node.func, ast.Attribute):
        return None
    kind = f"re.{node.func.attr}"
    if name in MATCHING:
        flags = node.args[2:] if name == "re.finditer" else []
        compile_ = ast.Attribute(node.func.value, "compile", ast.Load())
        rest = node.args[1:2] if name == "re.finditer" else node.args[1:]
        pattern: ast.expr = ast.Call(compile_, [*node.args[:1], *flags], [])
        kind = name
    elif name is None and kind in MATCHING and node.func.attr not in functions:
        pattern, rest = node.func.value, node.args
    else:
        return None
    wanted = (1,) if kind == "re.finditer" else (2, 3)
    words = {word.arg for word in node.keywords}
    if len(rest) not in wanted or not words <= ({"count"} if kind == "re.sub" else set()):
        return None
    return kind, ast.copy_location(ast.Call(node.func, [pattern, *rest], node.keywords), node)
