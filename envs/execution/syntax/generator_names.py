"""Names that are given generators of the program: by assignments, and as parameters by calls.

A name counts wherever it occurs, so this says which values may be generators, not which are.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence

_ROUNDS = 4
"""How often a generator is followed from a name to the next."""


def generator_names(nodes: Sequence[ast.AST], lazy: Iterable[str], makers: Iterable[str] = ()) -> frozenset[str]:
    """Names of variables and parameters that some line gives a generator.

    `lazy` are the generator functions; a call of one of `makers`, as it is written, is one if an argument is.
    """
    functions = {node.name: node.args for node in nodes if isinstance(node, ast.FunctionDef)}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    flow = _Flow(frozenset(lazy), frozenset(makers), functions)
    assigned = [node for node in nodes if isinstance(node, ast.Assign)]
    for _ in range(_ROUNDS):
        before = len(flow.found)
        for node in assigned:
            if flow.is_generator(node.value):
                flow.found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        for call in calls:
            flow.pass_on(call)
        if len(flow.found) == before:
            break
    return frozenset(flow.found)


class _Flow:
    """What is known so far."""

    def __init__(self, lazy: frozenset[str], makers: frozenset[str], functions: Mapping[str, ast.arguments]) -> None:
        self._lazy, self._makers, self._functions = lazy, makers, functions
        self.found: set[str] = set()

    def is_generator(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self.found
        if isinstance(node, ast.GeneratorExp):
            return True
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Name) and node.func.id in self._lazy:
            return True
        passes = ast.unparse(node.func) in self._makers if self._makers else False
        return passes and any(map(self.is_generator, node.args))

    def pass_on(self, node: ast.Call) -> None:
        """Let the parameters of a function have what a call gives them."""
        given = self._functions.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if given is None:
            return
        places = [each.arg for each in (*given.posonlyargs, *given.args)]
        pairs = [*zip(places, node.args, strict=False), *((word.arg, word.value) for word in node.keywords)]
        self.found |= {name for name, value in pairs if name is not None and self.is_generator(value)}
