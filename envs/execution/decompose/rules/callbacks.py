"""Functions of the program that C code would call, written out where they are called: `map` and `filter` as generators.

`map(f, xs)` gives what `(f(x) for x in xs)` gives, and `filter(f, xs)` what `(x for x in xs if f(x))` does, as long as
`f` means the same all along and raises no StopIteration. A lambda's body is put in its place. Other
modules decide which call consumes the generator at once; one that is not consumed at once stays as it is.
"""

import ast

from envs.execution.decompose.function_body import FunctionBody
from envs.execution.decompose.rules.comprehensions.inlining_conditions import (
    bound_before_use,
    consumable,
    expendable,
    in_loops,
    inlinable,
)
from envs.execution.decompose.rules.comprehensions.nested_generators import Comprehension, flattened
from envs.execution.decompose.rules.expressions import later
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.name_scopes import called_name
from envs.execution.syntax.program_structure import nodes_of

_METHODS_OF = {"str": ("__str__", "__repr__"), "repr": ("__repr__",), "len": ("__len__",), "abs": ("__abs__",)}
"""Builtins by which a `map` may run methods of the program's objects."""
_SUSPENDING = (ast.Await, ast.Yield, ast.YieldFrom)


def applied(body: FunctionBody, function: ast.expr, *, foreign: bool = False) -> tuple[str, ast.expr] | None:
    """A variable and the value of the function for it; None for a function that is not the program's own.

    `foreign` ones count as well over a generator, which is a loop of the program itself.
    """
    match function:
        case ast.Lambda(args=ast.arguments(args=[ast.arg(arg=name)]) as given):
            if given.posonlyargs or given.kwonlyargs or given.defaults or given.vararg or given.kwarg:
                return None
            inside = nodes_of(function.body)
            if any(isinstance(n, _SUSPENDING) for n in inside):
                return None
            binds = any(isinstance(n, ast.NamedExpr) for n in inside)  # names of the lambda's own, so it stays one
            return _called(body, function) if binds else (name, function.body)
        case ast.Name(id=name) if (foreign or name in body.program.functions) and _stays(body, name):
            variable = "item" if name != "item" else "each"
            return variable, ast.Call(function, [ast.Name(variable, ast.Load())], [])
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if name in body.program.methods and _stays(body, owner):
            variable = "item" if owner != "item" else "each"
            return variable, ast.Call(function, [ast.Name(variable, ast.Load())], [])
        case ast.Name(id=name) if _is_written(body, name):
            return "item", ast.Call(function, [ast.Name("item", ast.Load())], [])
        case _:
            return None


def _is_written(body: FunctionBody, name: str) -> bool:
    """Whether a builtin does nothing but call a method that a class of the program writes."""
    written = set(_METHODS_OF.get(name, ())) & body.program.rebound
    return bool(written) and body.program.classes and body.program.builtin(name)


def _called(body: FunctionBody, function: ast.Lambda) -> tuple[str, ast.expr]:
    variable = "item"
    while variable in body.program.identifiers:
        variable += "_"
    return variable, ast.Call(function, [ast.Name(variable, ast.Load())], [])


def _stays(body: FunctionBody, name: str) -> bool:
    """Whether reading the name cannot fail and finds the same however often."""
    return name not in body.renames and body.surely_bound(name) and not body.volatile(name)


def generator_of(body: FunctionBody, node: ast.expr) -> ast.GeneratorExp | None:
    """The generator expression that does what a `map` or `filter` does, if its function is the program's own."""
    match node:
        case ast.Call(func=ast.Name(id="map" | "filter" as kind), args=[function, source], keywords=[]):
            if not body.program.builtin(kind) or isinstance(source, ast.Starred):
                return None
        case _:
            return None
    given = kind == "map" and isinstance(function, ast.Name) and function.id in body.scope.own
    found = applied(body, function, foreign=given or single_use(body, source) is not None)
    if found is None or (isinstance(function, ast.Name) and function.id in later(body, [source]).rebinds):
        return None
    variable, value = found
    element = value if kind == "map" else ast.Name(variable, ast.Load())
    tests = [] if kind == "map" else [value]
    step = ast.comprehension(ast.Name(variable, ast.Store()), source, tests, 0)
    generator = merged(body, ast.GeneratorExp(element, [step]))
    return generator if expendable(body, generator) else None


def single_use(body: FunctionBody, source: ast.expr) -> ast.GeneratorExp | None:
    """The generator that an iterable is, or could be, where loops may take its place if nothing else holds it."""
    generator = source if isinstance(source, ast.GeneratorExp) else generator_of(body, source)
    return generator if generator is not None and expendable(body, generator) else None


def expended(body: FunctionBody, source: ast.expr) -> ast.GeneratorExp | None:
    """As `single_use`, where the loops may stand in a function of their own."""
    if isinstance(source, ast.GeneratorExp) and consumable(body, source):
        return source
    return generator_of(body, source)


def over_no_generator(body: FunctionBody, node: Comprehension) -> Comprehension:
    """The comprehension with the generators that only it goes through taken apart."""
    while (generator := expended(body, node.generators[0].iter)) is not None:
        flat = flattened(node, generator, body.program.identifiers)
        if not (inlinable(body, flat) or (bound_before_use(flat) and in_loops(body, flat))):
            return node
        node = flat
    return node


def merged(body: FunctionBody, node: ast.GeneratorExp) -> ast.GeneratorExp:
    """The generator, and with it, where it may be, the `map`, `filter` or generator that only it goes through."""
    inner = single_use(body, node.generators[0].iter)
    if inner is None:
        return node
    generator = flattened(node, inner, body.program.identifiers)
    return generator if expendable(body, generator) else node


def lazily(body: FunctionBody, node: ast.For) -> ast.GeneratorExp | None:
    """The generator that a `for` over a `map` or `filter` goes through; None where the loop rebinds the function."""
    generator = generator_of(body, node.iter)
    if generator is None or len(generator.generators) > 1 or not isinstance(node.iter, ast.Call):
        return None
    function = node.iter.args[0]
    return None if isinstance(function, ast.Name) and function.id in bound_in(node) else generator


def with_collected(body: FunctionBody, node: ast.Call) -> ast.Call:
    """A `sorted`, `max` or `min` with a key over a generator of the program, written over a list of its items."""
    match node:
        case ast.Call(func=ast.Name(id="sorted" | "max" | "min"), args=[first], keywords=[_, *_]):
            if over_own_generator(body, first) is not None and body.program.builtin("list"):
                collected = ast.Call(ast.Name("list", ast.Load()), [first], [])
                return ast.Call(node.func, [collected], node.keywords)
    return node


def over_own_generator(body: FunctionBody, node: ast.expr) -> ast.GeneratorExp | None:
    """The generator expression over a generator of the program: what consumes it at once is then a loop."""
    name = node.id if isinstance(node, ast.Name) else called_name(node)
    held = isinstance(node, ast.Attribute) and node.attr in body.program.generator_attributes
    named = name in body.program.generators and (name not in body.renames or name in body.program.groups)
    return _over(body, node) if held or named else None


def _over(body: FunctionBody, node: ast.expr) -> ast.GeneratorExp:
    """`(item for item in node)`."""
    variable = "item"
    while variable in body.program.identifiers:
        variable += "_"
    step = ast.comprehension(ast.Name(variable, ast.Store()), node, [], 0)
    return ast.GeneratorExp(ast.Name(variable, ast.Load()), [step])


def with_generator(body: FunctionBody, node: ast.Call) -> ast.Call:
    """The call with a `map`, `filter` or generator as its first argument written as one generator expression.

    One that must stay a generator, since it turns a StopIteration into an error, is gone through by another.
    """
    if not node.args:
        return node
    first = node.args[0]
    generator = first if isinstance(first, ast.GeneratorExp) else generator_of(body, first)
    generator = generator or over_own_generator(body, first)
    if generator is None:
        return node
    return ast.Call(node.func, [consumed(body, generator), *node.args[1:]], node.keywords)


def consumed(body: FunctionBody, generator: ast.GeneratorExp) -> ast.GeneratorExp:
    """The generator without those that only it goes through, or one over it where it must stay a generator."""
    ready = over_no_generator(body, generator)
    if body.program.may_stop and not consumable(body, ready) and in_loops(body, ready):
        ready = _over(body, ready)
    return ready
