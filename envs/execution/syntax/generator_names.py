"""Names that are given generators of the program: by assignments, by loops, and as parameters by calls.

A call gives them to the parameters of the function, to those of every method of the name, or of the `__init__` of a
class. An attribute that some line sets to a generator, or a property that gives one, counts by its name too.

A loop gives one where it goes over a container that was written with generators in it, or over `groupby`.

A name counts wherever it occurs, so this says which values may be generators, not which are.
"""

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple

GROUPS = ("groupby", "_groupby")
"""How the name of a function begins that gives pairs with a generator: as written, and as it is written out."""
_TUPLES = ("tee", "_tee")
"""The same of a function that gives a tuple of generators."""
_ROUNDS = 4
"""How often a generator is followed from a name to the next."""


class GeneratorNames(NamedTuple):
    """Names of variables and parameters that may be generators."""

    given: frozenset[str]
    looped: frozenset[str]
    """Those of them that loops and comprehensions give."""
    attributes: frozenset[str] = frozenset()
    """Names of attributes that may hold generators."""


def generator_names(nodes: Sequence[ast.AST], lazy: Iterable[str], makers: Iterable[str] = ()) -> GeneratorNames:
    """Names of variables and parameters that some line gives a generator.

    `lazy` are the generator functions; a call of one of `makers`, as it is written, is one if an argument is.
    """
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    flow = _Flow(frozenset(lazy), frozenset(makers), _Signatures(nodes))
    assigned = [node for node in nodes if isinstance(node, ast.Assign)]
    for node in assigned:
        if _called(node.value).startswith(_TUPLES):
            flow.found |= {each.id for each in ast.walk(node.targets[0]) if isinstance(each, ast.Name)}
    loops = [node for node in nodes if isinstance(node, ast.For | ast.comprehension)]
    for _ in range(_ROUNDS):
        before = flow.size
        for node in assigned:
            named = {target.id for target in node.targets if isinstance(target, ast.Name)}
            flow.found |= named if flow.is_generator(node.value) else frozenset()
            flow.holders |= named if flow.holds_generators(node.value) else frozenset()
            if flow.is_generator(node.value):
                flow.attributes |= {target.attr for target in node.targets if isinstance(target, ast.Attribute)}
        for loop in loops:
            flow.enter(loop.target, loop.iter)
        for call in calls:
            flow.pass_on(call)
        if flow.size == before:
            break
    return GeneratorNames(frozenset(flow.found), frozenset(flow.looped), frozenset(flow.attributes))


def _called(node: ast.expr) -> str:
    """The last name of the function that an expression calls; empty for anything else."""
    return ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""


class _Signatures:
    """The parameters that a call of a name fills, by place and by name."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self._functions: dict[str, list[ast.FunctionDef]] = {}
        self._methods: dict[str, list[ast.FunctionDef]] = {}
        self._classes: dict[str, list[ast.FunctionDef]] = {}
        inside: set[ast.AST] = set()
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
                inside.update(methods)
                self._classes[node.name] = [each for each in methods if each.name == "__init__"]
                for each in methods:
                    self._methods.setdefault(each.name, []).append(each)
        for node in nodes:
            if isinstance(node, ast.FunctionDef) and node not in inside:
                self._functions.setdefault(node.name, []).append(node)

    def of(self, function: ast.expr) -> list[list[str]]:
        """The names of the parameters of all that the call of an expression may enter."""
        match function:
            case ast.Name(id="cls"):
                return [_parameters(each)[1:] for made in self._classes.values() for each in made]
            case ast.Name(id=name):
                made = [_parameters(each)[1:] for each in self._classes.get(name, ())]
                return made + [_parameters(each) for each in self._functions.get(name, ())]
            case ast.Attribute(attr=name):
                return [_parameters(each)[not _is_static(each) :] for each in self._methods.get(name, ())]
        return []


def _parameters(node: ast.FunctionDef) -> list[str]:
    return [each.arg for each in (*node.args.posonlyargs, *node.args.args)]


def _is_static(node: ast.FunctionDef) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)


class _Flow:
    """What is known so far."""

    def __init__(self, lazy: frozenset[str], makers: frozenset[str], signatures: _Signatures) -> None:
        self._lazy, self._makers, self._signatures = lazy, makers, signatures
        self.found: set[str] = set()
        self.attributes: set[str] = set()
        self.holders: set[str] = set()
        """Names of containers whose items may be generators."""
        self.looped: set[str] = set()

    @property
    def size(self) -> int:
        """How many names are known."""
        return len(self.found) + len(self.holders) + len(self.attributes)

    def is_generator(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self.found
        if isinstance(node, ast.GeneratorExp):
            return True
        if isinstance(node, ast.Attribute):
            return node.attr in self.attributes
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Name) and node.func.id in self._lazy:
            return True
        passes = ast.unparse(node.func) in self._makers if self._makers else False
        return passes and any(map(self.is_generator, node.args))

    def holds_generators(self, node: ast.expr) -> bool:
        """Whether it is a container whose items, or a dict whose values, are written as generators."""
        match node:
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(values=items):
                return any(map(self.is_generator, items))
            case ast.ListComp(elt=item) | ast.DictComp(value=item):
                return self.is_generator(item)
            case ast.Call(func=ast.Attribute(value=owner, attr="values" | "items")):
                return self.holds_generators(owner)
        return isinstance(node, ast.Name) and node.id in self.holders

    def enter(self, target: ast.expr, source: ast.expr) -> None:
        """Let the target of a loop have what its items are; of pairs, the last one."""
        if not _called(source).startswith(GROUPS) and not self.holds_generators(source):
            return
        last = target.elts[-1] if isinstance(target, ast.Tuple | ast.List) and target.elts else target
        self.looped |= {last.id} if isinstance(last, ast.Name) else frozenset()
        self.found |= self.looped

    def pass_on(self, node: ast.Call) -> None:
        """Let the parameters of a function have what a call gives them."""
        named = [(word.arg, word.value) for word in node.keywords if word.arg]
        if not any(map(self.is_generator, (*node.args, *(value for _, value in named)))):
            return
        for places in self._signatures.of(node.func):
            pairs = [*zip(places, node.args, strict=False), *(pair for pair in named if pair[0] in places)]
            self.found |= {name for name, value in pairs if self.is_generator(value)}
