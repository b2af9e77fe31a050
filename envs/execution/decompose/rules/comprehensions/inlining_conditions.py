"""Where plain loops do exactly what a comprehension or a generator expression does; decides, writes nothing.

They need a function of their own where something inside outlives the moment (a lambda or a generator that captures one
of the variables) or where the scope could be seen (an unbound local read inside it raises another exception type).
"""

import ast
from collections.abc import Sequence

from envs.execution.decompose.function_body import FunctionBody
from envs.execution.decompose.rules.expressions import is_number
from envs.execution.syntax.bindings import parameters, stored_names, walrus_names
from envs.execution.syntax.name_scopes import COMPREHENSIONS, own_nodes
from envs.execution.syntax.program_structure import children_of, nodes_of
from envs.execution.syntax.python_version import COMPENSATED_SUM, COMPREHENSIONS_INLINED

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])
KINDS = frozenset({"sum", "any", "all", "min", "max", "list", "tuple", "set", "frozenset", "sorted", "dict", "bytes"})
_READING_BUILTINS = KINDS | set(
    "abs bool bin chr divmod float hash hex int isinstance len ord pow range repr round str".split()
)
_NUMBER_TESTS = ("isinstance", "all", "int", "float", "complex")
"""Builtins that the loop for `sum` calls where additions of floats are corrected."""
_READING_METHODS = frozenset(
    "bit_count bit_length count endswith find get index isalnum isalpha isdigit islower isspace isupper items join keys"
    " lower lstrip replace rfind rstrip split startswith strip upper values".split()
)


def in_loops(body: FunctionBody, node: Comprehension) -> bool:
    """Whether loops do exactly what the comprehension does, be it in a function of their own."""
    return _in_function(body, node) or inlinable(body, node)


def inlinable(body: FunctionBody, node: Comprehension) -> bool:
    """Whether plain loops do exactly what the comprehension does."""
    if not _may_loop(body, node) or not bound_before_use(node):
        return False
    variables = variables_of(node)
    if _seen_scope(node) and not _reads_bound_names(body, node, variables):
        return False
    return all(_harmless(body, part, variables) for part in _own_parts(node))


def _may_loop(body: FunctionBody, node: Comprehension) -> bool:
    if not body.program.builtin("iter") or body.program.custom_iterators:
        return False
    return not any(generator.is_async for generator in node.generators)


def _in_function(body: FunctionBody, node: Comprehension) -> bool:
    """Whether a function that is called at once does exactly what the comprehension does."""
    if not _may_loop(body, node):
        return False
    if body.program.walrus and not all(_has_binding(body, name) for name in walrus_targets(node)):
        return False
    return _seen_scope(node) or _reads_bound_names(body, node, variables_of(node))


def _has_binding(body: FunctionBody, name: str) -> bool:
    """Whether a nested function may declare the name: something else than the walrus in question binds it."""
    return name not in body.scope.own or body.surely_bound(name)


def walrus_targets(node: Comprehension) -> set[str]:
    """Names that the comprehension binds around itself."""
    inside = [n for part in _own_parts(node) for n in own_nodes(ast.Lambda(args=_NO_ARGUMENTS, body=part))]
    return walrus_names(inside)


def variables_of(node: Comprehension) -> set[str]:
    """Names that belong to the comprehension alone."""
    return set().union(*(stored_names(generator.target) for generator in node.generators))


def _seen_scope(node: Comprehension) -> bool:
    """Whether an unbound local read inside is NameError, not UnboundLocalError."""
    return not COMPREHENSIONS_INLINED or isinstance(node, ast.GeneratorExp)


def _reads_bound_names(body: FunctionBody, node: Comprehension, variables: set[str]) -> bool:
    """Whether no unbound local of the function around it can be read inside."""
    read = set().union(*map(_free, _own_parts(node))) - variables - set(body.renames)
    if body.program.walrus:
        read -= walrus_targets(node)
    return all(body.surely_bound(name) for name in read & body.scope.own)


def _own_parts(node: Comprehension) -> list[ast.expr]:
    """Expressions evaluated inside the comprehension: all but the first iterable."""
    inner_body = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    tests = [test for g in node.generators for test in g.ifs]
    return [*inner_body, *tests, *(g.iter for g in node.generators[1:])]


def bound_before_use(node: Comprehension) -> bool:
    """Reading a variable before its own loop binds it would see what an earlier run of the lines left."""
    unbound = variables_of(node)
    for index, generator in enumerate(node.generators):
        read = _free(generator.iter) if index else set()
        read |= {n.id for n in nodes_of(generator.target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if read & unbound:
            return False
        unbound.difference_update(stored_names(generator.target))
        if any(_free(test) & unbound for test in generator.ifs):
            return False
    return True


def _free(node: ast.AST) -> set[str]:
    """Names that mean something outside the node: those that belong to comprehensions and lambdas inside do not."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Lambda):
        bound = walrus_names(own_nodes(node))
        return _free(node.args) | (_free(node.body) - bound - set(parameters(node.args)))
    if not isinstance(node, COMPREHENSIONS):
        return set().union(*map(_free, children_of(node)))
    own = variables_of(node)
    inside = set().union(*map(_free, [*_own_parts(node), *(generator.target for generator in node.generators)]))
    return _free(node.generators[0].iter) | (inside - own)


def _harmless(body: FunctionBody, part: ast.expr, variables: set[str]) -> bool:
    """Whether nothing inside captures a variable, and every comprehension inside can become a loop as well."""
    match part:
        case ast.Lambda():
            return not _reads(part, variables)
        case ast.Call(args=[ast.GeneratorExp() as inner, *rest]) if consumer(body, part) and inlinable(body, inner):
            parts = [*rest, *(k.value for k in part.keywords), inner.generators[0].iter]
            if isinstance(part.func, ast.Attribute):
                parts.append(part.func.value)
            return all(_harmless(body, p, variables) for p in [*parts, *_own_parts(inner)])
        case ast.GeneratorExp():
            captured = any(_reads(p, variables) for p in _own_parts(part))
            return not captured and _harmless(body, part.generators[0].iter, variables)
        case ast.ListComp() | ast.SetComp() | ast.DictComp():
            parts = [*_own_parts(part), part.generators[0].iter]
            return inlinable(body, part) and all(_harmless(body, p, variables) for p in parts)
        case _:
            return all(_harmless(body, c, variables) for c in _expressions(list(ast.iter_child_nodes(part))))


def _expressions(nodes: Sequence[ast.AST]) -> list[ast.expr]:
    found: list[ast.expr] = []
    for node in nodes:
        if isinstance(node, ast.expr):
            found.append(node)
        elif isinstance(node, ast.keyword):
            found.append(node.value)
    return found


def _reads(node: ast.AST, variables: set[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in variables for n in nodes_of(node))


def consumer(body: FunctionBody, node: ast.Call) -> str | None:
    """The builtin that consumes the generator expression it is called with, at once and only it."""
    if not node.args or not isinstance(node.args[0], ast.GeneratorExp):
        return None
    generator = node.args[0]
    if not consumable(body, generator):
        return None
    match node.func:
        case ast.Name(id=name) if name in KINDS and body.program.builtin(name):
            return name if _signature_fits(body, name, node, generator) else None
        case ast.Attribute(attr="join") if len(node.args) == 1 and not node.keywords:
            return "join" if not body.program.own_join else None
        case _:
            return None


def consumable(body: FunctionBody, generator: ast.GeneratorExp) -> bool:
    """Whether loops do what the generator does when it is consumed at once, be it in a function of their own."""
    return in_loops(body, generator) and not _may_stop(body, generator)


def expendable(body: FunctionBody, generator: ast.GeneratorExp) -> bool:
    """Whether plain loops do so."""
    return inlinable(body, generator) and not _may_stop(body, generator)


def _may_stop(body: FunctionBody, generator: ast.GeneratorExp) -> bool:
    return body.program.may_stop and any(
        isinstance(n, ast.Call) and not _stops_nothing(body, n)
        for part in _own_parts(generator)
        for n in nodes_of(part)
    )


def _stops_nothing(body: FunctionBody, node: ast.Call) -> bool:
    """Whether a call surely raises no StopIteration: a builtin that reads, without a function that it would call."""
    return _only_reads(body, node) and not node.keywords


def _calls(node: ast.GeneratorExp) -> bool:
    return any(isinstance(n, ast.Call) for part in _own_parts(node) for n in nodes_of(part))


def adds_at_once(body: FunctionBody, start: ast.expr, generator: ast.GeneratorExp) -> bool:
    """Whether it shows that `sum` adds an element before it asks for the next: what cannot be added fails then."""
    return _calls(generator) if not is_number(start) else _has_effects(body, generator)


def _has_effects(body: FunctionBody, node: ast.GeneratorExp) -> bool:
    """Whether making an element calls anything but functions and methods that are known to change nothing."""
    return any(
        isinstance(n, ast.Call) and not _only_reads(body, n) for part in _own_parts(node) for n in nodes_of(part)
    )


def _only_reads(body: FunctionBody, node: ast.Call) -> bool:
    match node.func:
        case _ if body.program.classes:  # a class decides what `len` of its objects does
            return False
        case ast.Name(id=name):
            return name in _READING_BUILTINS and body.program.builtin(name)
        case ast.Attribute(attr=method):
            return method in _READING_METHODS
        case _:
            return False


def _is_pair(node: ast.Tuple) -> bool:
    return len(node.elts) == 2 and not any(isinstance(part, ast.Starred) for part in node.elts)


def _signature_fits(body: FunctionBody, name: str, node: ast.Call, generator: ast.GeneratorExp) -> bool:
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        return False
    if name == "dict" and not (isinstance(generator.elt, ast.Tuple) and _is_pair(generator.elt)):
        return False  # what is no pair fails in the middle
    if name in ("frozenset", "bytes") and _calls(generator):
        return False  # what cannot be hashed fails in the middle, before later elements are made
    if name == "sum" and COMPENSATED_SUM and _calls(generator) and not all(map(body.program.builtin, _NUMBER_TESTS)):
        return False
    if name == "sorted":
        return len(node.args) == 1 and {k.arg for k in node.keywords} <= {"key", "reverse"}
    if name in ("max", "min") and [k.arg for k in node.keywords] == ["default"]:
        return len(node.args) == 1
    most = 2 if name == "sum" else 1
    return len(node.args) <= most and not node.keywords
