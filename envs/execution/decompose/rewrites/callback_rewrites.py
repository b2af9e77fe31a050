"""Functions of the program that a line keeps for later or gets from its caller, written so that their calls are steps.

    doubled = map(double, xs)         doubled = (double(item) for item in xs)
    sorted(xs, key=key)               key=lambda item: item if key is None else key(item), for a parameter `key`
    out.extend(numbers())             for item in numbers(): out.append(item), where `numbers` is a generator

Says what takes the place of a node; `library_rewrites.py` decides where. A function that may raise StopIteration ends a
`map` but not a generator, so such a function stays in its `map`.
"""

import ast
import builtins
from collections.abc import Collection, Mapping, Sequence

from envs.execution.syntax.name_scopes import own_nodes
from envs.execution.syntax.passed_generators import passed_generators
from envs.execution.syntax.program_structure import nodes_of, steps_below

_YIELDS = (ast.Yield, ast.YieldFrom)
_STOPPING = frozenset({"StopIteration", "__next__"})
_GOING_THROUGH = frozenset("list tuple set sum max min sorted any all enumerate zip next iter".split())


def stopping_functions(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Names of functions that may raise StopIteration: they ask for a next item, or mention such a function."""
    inside = [(node.name, nodes_of(node)) for node in nodes if isinstance(node, ast.FunctionDef)]
    names = {name: _names(parts) for name, parts in inside}
    found = {name for name, parts in inside if _may_stop(parts)}
    while more := {name for name, used in names.items() if name not in found and used & found}:
        found |= more
    return frozenset(found)


def _names(parts: Sequence[ast.AST]) -> set[str]:
    named = {part.id for part in parts if isinstance(part, ast.Name)}
    return named | {part.attr for part in parts if isinstance(part, ast.Attribute)}


def _may_stop(parts: Sequence[ast.AST]) -> bool:
    calls = [part for part in parts if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)]
    bare = any(call.func.id == "next" and len(call.args) == 1 for call in calls if isinstance(call.func, ast.Name))
    return bare or not _names(parts).isdisjoint(_STOPPING)


def iterated_names(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Names that are used for nothing but to go through what they hold, by loops and builtins that rules know."""
    gone_through: set[ast.AST] = set()
    for node in nodes:
        match node:
            case ast.For(iter=source) | ast.comprehension(iter=source):
                gone_through.add(source)
            case ast.Call(func=ast.Name(id=name), args=[*given], keywords=[]) if name in _GOING_THROUGH:
                gone_through |= set(given)
    loads = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return frozenset(node.id for node in loads) - {node.id for node in loads if node not in gone_through}


def kept_map(node: ast.expr, functions: Collection[str], stopping: Collection[str]) -> ast.expr:
    """The generator that does what a `map` or `filter` of a function of the program does; any other node as it is."""
    match node:
        case ast.Call(func=ast.Name(id="map" | "filter" as kind), args=[function, source], keywords=[]):
            pass
        case _:
            return node
    inside = nodes_of(function)
    if isinstance(source, ast.Starred) or _names(inside) & set(stopping) or _may_stop(inside):
        return node
    match function:
        case ast.Lambda(args=ast.arguments(args=[ast.arg(arg=name)]) as given, body=value):
            if given.posonlyargs or given.kwonlyargs or given.defaults or given.vararg or given.kwarg:
                return node
        case ast.Name(id=called) if called in functions:
            name = "item" if called != "item" else "each"
            value = ast.Call(function, [ast.Name(name, ast.Load())], [])
        case _:
            return node
    if any(isinstance(each, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await) for each in ast.walk(value)):
        return node
    tests = [value] if kind == "filter" else []
    element = ast.Name(name, ast.Load()) if kind == "filter" else value
    made = ast.GeneratorExp(element, [ast.comprehension(ast.Name(name, ast.Store()), source, tests, 0)])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def key_parameter(node: ast.Call, parameters: Collection[str]) -> None:
    """Write the key that a sort gets from its caller as a lambda, in place: rules then sort by it."""
    for word in node.keywords:
        if word.arg == "key" and isinstance(word.value, ast.Name) and word.value.id in parameters:
            key = word.value.id
            item = "item" if key != "item" else "each"
            made = ast.parse(f"lambda {item}: {item} if {key} is None else {key}({item})", mode="eval").body
            for part in ast.walk(made):
                ast.copy_location(part, word.value)
            word.value = made


def extension(node: ast.Expr) -> tuple[ast.Name, ast.expr] | None:
    """The list and the iterable of a line `xs.extend(iterable)`; None for any other line."""
    match node.value:
        case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr="extend"), args=[source], keywords=[]):
            return None if isinstance(source, ast.Starred) else (owner, source)
    return None


def appended(node: ast.Expr, owner: ast.Name, source: ast.expr, variable: str) -> ast.For:
    """A loop that appends each item of the iterable."""
    append = ast.Attribute(ast.Name(owner.id, ast.Load()), "append", ast.Load())
    line = ast.Expr(ast.Call(append, [ast.Name(variable, ast.Load())], []))
    loop = ast.For(ast.Name(variable, ast.Store()), source, [line], [])
    for part in ast.walk(loop):
        ast.copy_location(part, node)
    return ast.fix_missing_locations(loop)


def asked_parts(nodes: Sequence[ast.AST], library: Mapping[str, str]) -> bool | None:
    """Whether the program asks partial functions for what they hold; None where it asks for their class."""
    texts = {text for text, name in library.items() if name == "functools.partial"}
    if not texts:
        return False
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    named = [node for node in nodes if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in texts]
    if any(id(node) not in called for node in named):
        return None
    calls = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) in texts]
    if not calls:
        return False
    of_classes = [part for node in nodes if isinstance(node, ast.ClassDef) for part in node.body]
    held = {part for each in of_classes if not isinstance(each, ast.FunctionDef) for part in ast.walk(each)}
    if not held.isdisjoint(calls):
        return None  # a partial function of a class is not bound to its objects
    if any(isinstance(node, ast.Constant) and node.value in ("func", "keywords", "args") for node in nodes):
        return None
    errors = {node.name for node in nodes if isinstance(node, ast.ExceptHandler)}
    asked = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr in ("func", "keywords", "args")]
    is_asked = any(
        node.attr != "args" or not (isinstance(node.value, ast.Name) and node.value.id in {*errors, "self"})
        for node in asked
    )
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    first = [call.args[0] if call.args else call for call in calls]
    own -= stored
    plain = all(isinstance(each, ast.Lambda) or (isinstance(each, ast.Name) and each.id in own) for each in first)
    return None if is_asked and not plain else is_asked  # one of another takes that one's parts over


def partial_helper(node: ast.Call, asked: bool | None, *, by_name: bool) -> str:
    """Which helper takes the place of a `partial`; `by_name`, calls may give it arguments by name."""
    if asked is None:
        return "functools.partial whose class is asked for"
    return f"functools.partial{' asked' if asked else ''}{' with names' if asked or node.keywords or by_name else ''}"


def calls_back(nodes: Sequence[ast.AST]) -> bool:
    """Whether the program keeps a function for later, sorts by one that it is given, or takes a generator apart."""
    return any(
        (isinstance(node, ast.Name) and node.id in ("map", "filter"))
        or (isinstance(node, ast.keyword) and node.arg == "key")
        or (isinstance(node, ast.Assign) and isinstance(node.value, ast.GeneratorExp))
        for node in nodes
    )


def calls_by_name(nodes: Sequence[ast.AST], known: Collection[str]) -> bool:
    """Whether a call gives arguments by name to something else than a known function, class or builtin."""
    for node in nodes:
        if isinstance(node, ast.Call) and node.keywords:
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if called not in known and not hasattr(builtins, called):
                return True
    return False


def generator_functions(tree: ast.Module) -> frozenset[str]:
    """Names of the program's generator functions, and of what decorators make of them."""
    lazy = frozenset(
        node.name
        for node in steps_below(tree)
        if isinstance(node, ast.FunctionDef) and any(isinstance(each, _YIELDS) for each in own_nodes(node))
    )
    return passed_generators(nodes_of(tree), lazy) if lazy else lazy


def generator_methods(tree: ast.Module) -> frozenset[str]:
    """Names of methods that are generators in every class that has them."""
    classes = [node for node in nodes_of(tree) if isinstance(node, ast.ClassDef)]
    methods = [each for node in classes for each in node.body if isinstance(each, ast.FunctionDef)]
    lazy = {each.name: any(isinstance(part, _YIELDS) for part in own_nodes(each)) for each in methods}
    plain = {each.name for each in methods if not any(isinstance(part, _YIELDS) for part in own_nodes(each))}
    odd = {each.name for each in methods if each.decorator_list}
    return frozenset(name for name, yields in lazy.items() if yields and name not in plain | odd)
