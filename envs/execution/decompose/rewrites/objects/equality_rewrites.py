"""`==` and `!=` of lists, tuples and dicts that hold objects with an `__eq__` of the program, written as a function.

    points == [Point(1), Point(2)]      ->      _same(points, [Point(1), Point(2)])

Only what surely holds such objects is rewritten (`held_objects.py`). The function compares the same items in the order
in which Python does, and an object with itself not at all. Knows only syntax.
"""

import ast

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.objects.held_objects import HeldObjects
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed, runs_before
from envs.execution.syntax.classes.own_classes import OwnClasses
from envs.execution.syntax.program_structure import nodes_of

_USED = frozenset("type list tuple dict float len zip isinstance".split())
_HELPER = """
def NAME(one, two):
    kind = type(one)
    if type(two) is kind:
        if kind is list and len(one) != len(two):
            return False
        if kind is list or kind is tuple:
            for first, second in zip(one, two):
                if not (OWN(first) and first is second) and not NAME(first, second):
                    return False
            return len(one) == len(two)
        if kind is dict:
            if len(one) != len(two):
                return False
            for key, first in one.items():
                if key not in two:
                    return False
                second = two[key]
                if not (OWN(first) and first is second) and not NAME(first, second):
                    return False
            return True
        if kind is float and one != one:
            return one is two
    return one == two
def NAME_not(one, two):
    kind = type(one)
    if kind is list or kind is tuple or kind is dict:
        if type(two) is kind:
            return not NAME(one, two)
    return one != two
"""


@rewriting({ast.ClassDef}, {"__eq__"})
def with_compared_items(tree: ast.Module) -> ast.Module:
    """The program with such comparisons replaced; the same tree where it has none."""
    if not any(isinstance(node, ast.FunctionDef) and node.name == "__eq__" for node in nodes_of(tree)):
        return tree
    classes = OwnClasses(tree)
    owners = [
        name
        for name, mine in classes.classes.items()
        if not mine.odd and not mine.container and (found := classes.find(name, "__eq__")) and found.key is not None
    ]
    if not owners or hides_names(tree) or rebound_builtins(tree) & _USED or runs_before(tree, owners):
        return tree
    rewriting = _Comparisons(HeldObjects(tree, owners), fresh_name("_same", occurring_names(tree)))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    if not rewriting.line:
        return tree
    roots = [name for name in owners if not set(classes[name].lineage[1:]) & set(owners)]
    own = " or ".join(f"isinstance(first, {owner})" for owner in roots)
    source = _HELPER.replace("NAME", rewriting.name).replace("OWN(first)", f"({own})")
    return in_front(tree, placed(ast.parse(source).body, rewriting.line))


class _Comparisons(ast.NodeTransformer):
    """The rewriting of one program."""

    def __init__(self, held: HeldObjects, name: str) -> None:
        self._held = held
        self._place = 0
        self.name = name
        self.line = 0
        """The first line that needs the function; 0 where there is none."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function, whose names count inside it."""
        outer, self._place = self._place, node.lineno
        self.generic_visit(node)
        self._place = outer
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """A comparison of two values."""
        self.generic_visit(node)
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as sign], comparators=[right]):
                if self._held.holds(left, self._place) or self._held.holds(right, self._place):
                    self.line = self.line or node.lineno
                    name = self.name if isinstance(sign, ast.Eq) else f"{self.name}_not"
                    made = ast.Call(ast.Name(name, ast.Load()), [left, right], [])
                    return ast.fix_missing_locations(ast.copy_location(made, node))
        return node
