"""A comprehension over a generator expression as one comprehension: nothing else can see that generator.

`[f(q) for q in (g(x) for x in xs)]` makes each `g(x)` just before it is used, as `[f(q) for x in xs for q in [g(x)]]`
does. `inlining_conditions.py` decides whether the generator may be taken apart.
"""

import ast
from copy import copy, deepcopy
from typing import TypeVar

from envs.execution.syntax.bindings import stored_names
from envs.execution.syntax.program_structure import nodes_of

Comprehension = TypeVar("Comprehension", ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def flattened(node: Comprehension, generator: ast.GeneratorExp, taken: frozenset[str]) -> Comprehension:
    """The comprehension with the generator expression it goes through as its own loops; `taken` names are avoided."""
    outer = node.generators[0]
    names = _other_names(node, generator, taken)
    inner: list[ast.comprehension] = [
        _renamed(each, names, first=index == 0) for index, each in enumerate(generator.generators)
    ]
    element = _Renaming(names).visit(deepcopy(generator.elt))
    step = ast.comprehension(outer.target, ast.List([element], ast.Load()), outer.ifs, 0)
    flat = copy(node)
    flat.generators = [*inner, step, *node.generators[1:]]
    return flat


def _other_names(node: Comprehension, generator: ast.GeneratorExp, taken: frozenset[str]) -> dict[str, str]:
    """New names for the generator's variables that mean something else in the comprehension."""
    inside = {id(n) for n in nodes_of(generator)}
    outside = {n.id for n in nodes_of(node) if isinstance(n, ast.Name) and id(n) not in inside}
    found: dict[str, str] = {}
    for variable in sorted(set().union(*(stored_names(each.target) for each in generator.generators)) & outside):
        number = 2
        while (name := f"{variable}{number}") in taken | outside | set(found.values()):
            number += 1
        found[variable] = name
    return found


def _renamed(each: ast.comprehension, names: dict[str, str], *, first: bool) -> ast.comprehension:
    renaming = _Renaming(names)
    source = each.iter if first else renaming.visit(deepcopy(each.iter))  # the first iterable is outside the scope
    tests = [renaming.visit(deepcopy(test)) for test in each.ifs]
    return ast.comprehension(renaming.visit(deepcopy(each.target)), source, tests, 0)


class _Renaming(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)
