"""`counter.elements()` whose items are taken at once, written as a generator of the program.

    sorted(counter.elements())      sorted(item for item in _elements(counter))

The library's iterator has no written form. The function leaves all but a `Counter` to its own method. Knows only
syntax.
"""

import ast

from envs.execution.decompose.rewrites.library_names import (
    fresh_name,
    hides_names,
    library_functions,
    occurring_names,
    rebound_builtins,
)
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed
from envs.execution.syntax.program_structure import nodes_of

_COUNTER = "collections.Counter"
_TAKING = frozenset("list tuple set sorted sum max min any all".split())
_HELPER = """
def NAME_all(counter):
    for key, count in counter.items():
        for _ in range(count):
            yield key
def NAME(counter):
    if type(counter) is CALLEE:
        return NAME_all(counter)
    return counter.elements()
"""


@rewriting({"collections"}, {"elements"})
def with_counter_elements(tree: ast.Module) -> ast.Module:
    """The program with such calls written so; the same tree where there is none."""
    if not any(isinstance(node, ast.Attribute) and node.attr == "elements" for node in nodes_of(tree)):
        return tree
    library = library_functions(tree, [_COUNTER])
    rebound = rebound_builtins(tree)
    if not library or hides_names(tree) or rebound & {"elements", "type", "range"}:
        return tree
    rewriting = _Elements(frozenset(_TAKING - rebound) | library.keys(), fresh_name("_elements", occurring_names(tree)))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    if not rewriting.line:
        return tree
    source = _HELPER.replace("NAME", rewriting.name).replace("CALLEE", next(iter(library)))
    return in_front(tree, placed(ast.parse(source).body, rewriting.line))


class _Elements(ast.NodeTransformer):
    """The rewriting of one program."""

    def __init__(self, taking: frozenset[str], name: str) -> None:
        self._taking = taking
        self.name = name
        self.line = 0
        """The first line that is rewritten; 0 where there is none."""

    def visit_For(self, node: ast.For) -> ast.For:
        """A loop, which takes one item after another."""
        self.generic_visit(node)
        node.iter = self._generator(node.iter) or node.iter
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """The same in a comprehension."""
        self.generic_visit(node)
        node.iter = self._generator(node.iter) or node.iter
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """A call that takes all items at once, as a generator expression, whose loop other rules write out."""
        self.generic_visit(node)
        joins = isinstance(node.func, ast.Attribute) and node.func.attr == "join"
        if not (joins or ast.unparse(node.func) in self._taking) or len(node.args) != 1:
            return node
        made = self._generator(node.args[0])
        if made is not None:
            step = ast.comprehension(ast.Name("item", ast.Store()), made, [], is_async=0)
            each = ast.GeneratorExp(ast.Name("item", ast.Load()), [step])
            node.args = [ast.fix_missing_locations(ast.copy_location(each, node.args[0]))]
        return node

    def _generator(self, node: ast.expr) -> ast.expr | None:
        match node:
            case ast.Call(func=ast.Attribute(value=counter, attr="elements"), args=[], keywords=[]):
                self.line = self.line or node.lineno
                called = ast.Call(ast.Name(self.name, ast.Load()), [counter], [])
                return ast.fix_missing_locations(ast.copy_location(called, node))
        return None
