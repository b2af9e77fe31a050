"""Where plain loops do exactly what a comprehension or a generator expression does; decides, writes nothing.

A comprehension stays whole where something inside it outlives the moment (a lambda or a generator that captures one of
its variables) or where its scope could be seen (an unbound local read inside it raises another exception type).
"""

import ast
import sys
from collections.abc import Sequence

from envs.execution.rewriting.body import Body
from envs.execution.rewriting.expressions import is_number
from envs.execution.rewriting.names import COMPREHENSIONS, target_names
from envs.execution.structure import children_of, nodes_of

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
KINDS = frozenset({"sum", "any", "all", "min", "max", "list", "tuple", "set", "frozenset", "sorted", "dict"})


def inlinable(body: Body, node: Comprehension) -> bool:
    """Whether plain loops do exactly what the comprehension does."""
    if not body.program.builtin("iter") or body.program.custom_iterators:
        return False
    if any(g.is_async for g in node.generators) or not _bound_before_use(node):
        return False
    variables = set().union(*(target_names(g.target) for g in node.generators))
    if not _reads_bound_names(body, node, variables):
        return False
    return all(_harmless(body, part, variables) for part in _own_parts(node))


def _reads_bound_names(body: Body, node: Comprehension, variables: set[str]) -> bool:
    """Whether no unbound local can be read inside: that is NameError there and UnboundLocalError in a loop.

    From Python 3.12 on only generator expressions have a scope of their own.
    """
    if sys.version_info >= (3, 12) and not isinstance(node, ast.GeneratorExp):
        return True
    inside = [n for part in _own_parts(node) for n in nodes_of(part)]
    walrus = {n.target.id for n in inside if isinstance(n, ast.NamedExpr)}
    read = {n.id for n in inside if isinstance(n, ast.Name)} - variables - walrus - set(body.renames)
    return all(body.surely_bound(name) for name in read & body.scope.own)


def _own_parts(node: Comprehension) -> list[ast.expr]:
    """Expressions evaluated inside the comprehension: all but the first iterable."""
    heart = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    tests = [test for g in node.generators for test in g.ifs]
    return [*heart, *tests, *(g.iter for g in node.generators[1:])]


def _bound_before_use(node: Comprehension) -> bool:
    """Reading a variable before its own loop binds it would see what an earlier run of the lines left."""
    unbound = set().union(*(target_names(g.target) for g in node.generators))
    for index, generator in enumerate(node.generators):
        read = _free(generator.iter) if index else set()
        read |= {n.id for n in nodes_of(generator.target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if read & unbound:
            return False
        unbound -= target_names(generator.target)
        if any(_free(test) & unbound for test in generator.ifs):
            return False
    return True


def _free(node: ast.AST) -> set[str]:
    """Names that mean something outside the node: variables of comprehensions inside it do not."""
    if isinstance(node, ast.Name):
        return {node.id}
    if not isinstance(node, COMPREHENSIONS):
        return set().union(*map(_free, children_of(node)))
    own = set().union(*(target_names(generator.target) for generator in node.generators))
    inside = set().union(*map(_free, [*_own_parts(node), *(generator.target for generator in node.generators)]))
    return _free(node.generators[0].iter) | (inside - own)


def _harmless(body: Body, part: ast.expr, variables: set[str]) -> bool:
    """Whether nothing inside captures a variable, and every comprehension inside can become a loop as well."""
    match part:
        case ast.Lambda():
            return not _reads(part, variables)
        case ast.Call() if consumer(body, part):
            rest = [a for a in part.args if a is not part.args[0]] + [k.value for k in part.keywords]
            inner = part.args[0]
            parts = [*rest, inner.generators[0].iter] if isinstance(inner, COMPREHENSIONS) else rest
            if isinstance(part.func, ast.Attribute):
                parts.append(part.func.value)
            return (
                isinstance(inner, ast.GeneratorExp)
                and inlinable(body, inner)
                and all(_harmless(body, p, variables) for p in [*parts, *_own_parts(inner)])
            )
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


def consumer(body: Body, node: ast.Call) -> str | None:
    """The builtin that consumes the generator expression it is called with, at once and only it."""
    if not node.args or not isinstance(node.args[0], ast.GeneratorExp):
        return None
    generator = node.args[0]
    if not expendable(body, generator):
        return None
    match node.func:
        case ast.Name(id=name) if name in KINDS and body.program.builtin(name):
            return name if _signature_fits(name, node, generator) else None
        case ast.Attribute(attr="join") if len(node.args) == 1 and not node.keywords:
            return "join" if "join" not in body.program.rebound else None
        case _:
            return None


def expendable(body: Body, generator: ast.GeneratorExp) -> bool:
    """Whether plain loops do what the generator does for whoever consumes it at once."""
    return inlinable(body, generator) and not (body.program.may_stop and _calls(generator))


def _calls(node: ast.GeneratorExp) -> bool:
    return any(isinstance(n, ast.Call) for part in _own_parts(node) for n in nodes_of(part))


def _is_pair(node: ast.Tuple) -> bool:
    return len(node.elts) == 2 and not any(isinstance(part, ast.Starred) for part in node.elts)


def _signature_fits(name: str, node: ast.Call, generator: ast.GeneratorExp) -> bool:
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        return False
    if name == "dict" and not (isinstance(generator.elt, ast.Tuple) and _is_pair(generator.elt)):
        return False  # what is no pair fails in the middle
    if name == "frozenset" and _calls(generator):
        return False  # what cannot be hashed fails in the middle, before later elements are made
    if name == "sum" and len(node.args) == 2 and not is_number(node.args[1]) and _calls(generator):
        return False  # what cannot be added fails in the middle as well
    if name == "sorted":
        return len(node.args) == 1 and {k.arg for k in node.keywords} <= {"key", "reverse"}
    most = 2 if name == "sum" else 1
    return len(node.args) <= most and not node.keywords
