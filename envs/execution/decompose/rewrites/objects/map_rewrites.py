"""`map` and `filter` by a builtin over an object or a generator of the program, written as generator expressions.

    list(map(str, bag))         list(str(item) for item in bag)
    sum(filter(None, bag))      sum(item for item in bag if item)
    ",".join(map(str, rows()))  ",".join(str(item) for item in rows())

C code would call the `__iter__` of the object or move the generator, which rules follow in a loop alone. Only where the
object is surely one of the program, and what it gives is taken at once. Knows only syntax.
"""

import ast

from envs.execution.decompose.rewrites.callback_rewrites import generator_functions
from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.objects.held_objects import HeldObjects
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.classes.own_classes import own_classes
from envs.execution.syntax.name_scopes import BUILTINS
from envs.execution.syntax.program_structure import nodes_of

_TAKING = frozenset("list tuple set sum max min sorted any all dict frozenset".split())
_STOPPING = frozenset({"next", "iter", "__import__", "exec", "eval", "super"})
"""Builtins that may raise StopIteration, at which `map` would only end, or that look at the lines around them."""


@rewriting({"map", "filter"}, {ast.ClassDef, ast.Yield, ast.YieldFrom}, in_place=True)
def with_own_maps(tree: ast.Module) -> ast.Module:
    """The program with such calls written so; a tree that has them is changed."""
    nodes = nodes_of(tree)
    if not any(isinstance(node, ast.Name) and node.id in ("map", "filter") for node in nodes):
        return tree
    classes = own_classes(tree)
    iterated = [name for name in classes.classes if (found := classes.find(name, "__iter__")) and found.key]
    stops = any(isinstance(node, ast.Name) and node.id == "StopIteration" for node in nodes)
    lazy = generator_functions(tree)
    if not (iterated or lazy) or stops or hides_names(tree) or any(classes[name].odd for name in iterated):
        return tree
    item = fresh_name("item", occurring_names(tree))
    rebound = rebound_builtins(tree)
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    rewriting = _Maps(HeldObjects(tree, iterated), rebound, lazy - stored, item)
    rewriting.visit(tree)
    return ast.fix_missing_locations(tree)


class _Maps(ast.NodeTransformer):
    """The rewriting of one program."""

    def __init__(self, held: HeldObjects, rebound: set[str], lazy: frozenset[str], item: str) -> None:
        self._held = held
        self._lazy = lazy
        """Functions whose calls make generators."""
        self._rebound = rebound
        self._item = item
        self._place = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function, whose names count inside it."""
        outer, self._place = self._place, node.lineno
        self.generic_visit(node)
        self._place = outer
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        """A loop, which takes one item after another."""
        self.generic_visit(node)
        node.iter = self._written(node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """The same in a comprehension."""
        self.generic_visit(node)
        node.iter = self._written(node.iter)
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """A call of a builtin, or of `join`, that takes all items at once."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id=name), args=[given, *_]) if name in _TAKING - self._rebound:
                node.args[0] = self._written(given)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="join"), args=[given], keywords=[]):
                node.args[0] = self._written(given)
        return node

    def _is_generator(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self._lazy

    def _written(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Call(func=ast.Name(id="map" | "filter" as kind), args=[function, source], keywords=[]):
                pass
            case _:
                return node
        if kind in self._rebound or not (self._is_generator(source) or self._held.is_object(source, self._place)):
            return node
        called: ast.expr = ast.Name(self._item, ast.Load())
        match function:
            case ast.Name(id=name) if name in BUILTINS - self._rebound - _STOPPING:
                called = ast.Call(ast.Name(name, ast.Load()), [called], [])
            case ast.Constant(value=None) if kind == "filter":
                pass
            case _:
                return node
        value = called if kind == "map" else ast.Name(self._item, ast.Load())
        step = ast.comprehension(
            ast.Name(self._item, ast.Store()), source, [called] if kind == "filter" else [], is_async=0
        )
        return ast.fix_missing_locations(ast.copy_location(ast.GeneratorExp(value, [step]), node))
