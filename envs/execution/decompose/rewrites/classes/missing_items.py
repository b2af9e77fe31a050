"""Items that a class of the program makes where a dict has none (`__missing__`): that it is called becomes a step.

    class Table(dict):
        def __missing__(self, key): ...
    table[key]                  ->      _made_item(table, key)
    table[key] += 1             ->      made = _made_item(table, key); made += 1; table[key] = made

The function looks whether the key is there, as the dict would in C. It is asked for items of `self` in such a class,
and of names and attributes that the program gives an object of it. Knows only syntax.
"""

import ast
from collections.abc import Iterator

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed, runs_before
from envs.execution.syntax.classes.own_classes import OwnClasses
from envs.execution.syntax.program_structure import nodes_of

_DECIDING = ("__getitem__", "__contains__", "__getattr__", "__getattribute__")
_HELPER = """
def NAME(table, key):
    if (TEST) and key not in table:
        return table.__missing__(key)
    return table[key]
"""


@rewriting({"__missing__"})
def with_missing_items(tree: ast.Module) -> ast.Module:
    """The program with such items asked for by a function; the same tree where no class makes any."""
    if not any(isinstance(node, ast.FunctionDef) and node.name == "__missing__" for node in nodes_of(tree)):
        return tree
    classes = OwnClasses(tree)
    owners = [
        name
        for name, mine in classes.classes.items()
        if not mine.odd
        and mine.container in ("dict", "OrderedDict")
        and (made := classes.find(name, "__missing__"))
        and made.kind == "method"
        and not any(classes.find(name, each) for each in _DECIDING)
    ]
    if not owners or hides_names(tree) or "isinstance" in rebound_builtins(tree) or runs_before(tree, owners):
        return tree
    taken = occurring_names(tree)
    rewriting = _Items(set(_places(tree, owners)), owners, fresh_name("_made_item", taken))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    if not rewriting.lines:
        return tree
    test = " or ".join(f"isinstance(table, {owner})" for owner in owners)
    source = _HELPER.replace("NAME", rewriting.name).replace("TEST", test)
    return in_front(tree, placed(ast.parse(source).body, rewriting.lines[0]))


def _places(tree: ast.Module, owners: list[str]) -> Iterator[str]:
    """Names, and attributes as `.name`, that are given an object of such a class."""
    for node in nodes_of(tree):
        match node:
            case ast.Assign(targets=[target], value=ast.Call(func=ast.Name(id=name))) if name in owners:
                yield _place(target)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, value in zip(targets, values, strict=False):
                    match value:
                        case ast.Call(func=ast.Name(id=name)) if name in owners:
                            yield _place(target)
            case ast.AnnAssign(target=target, value=ast.Call(func=ast.Name(id=name))) if name in owners:
                yield _place(target)
            case ast.arg(arg=place, annotation=ast.Name(id=name)) if name in owners:
                yield place


def _place(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(), attr=attr):
            return f".{attr}"
    return ""


class _Items(ast.NodeTransformer):
    """Asks the function for items."""

    def __init__(self, places: set[str], owners: list[str], name: str) -> None:
        self._places, self._owners = places - {""}, owners
        self.name = name
        self.lines: list[int] = []
        """Lines that were changed."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        around = self._places
        if node.name in self._owners:
            self._places = self._places | {"self"}
        for each in node.body:
            if isinstance(each, ast.FunctionDef | ast.ClassDef):
                self.visit(each)
        self._places = around
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or not self._is_asked(node):
            return node
        return self._asked(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        """`table[key] += 1`: the item, what is added, and the item put back."""
        self.generic_visit(node)
        target = node.target
        if not isinstance(target, ast.Subscript) or not self._is_asked(target):
            return node
        held, before = f"{self.name}_held", list[ast.stmt]()
        if not isinstance(target.slice, ast.Name | ast.Constant):
            if not isinstance(target.value, ast.Name):
                return node  # making the key may change whose item is meant
            before = [ast.Assign([ast.Name(f"{self.name}_key", ast.Store())], target.slice)]
            target.slice = ast.Name(f"{self.name}_key", ast.Load())
        lines: list[ast.stmt] = [
            *before,
            ast.Assign([ast.Name(held, ast.Store())], self._asked(target)),
            ast.AugAssign(ast.Name(held, ast.Store()), node.op, node.value),
            ast.Assign([target], ast.Name(held, ast.Load())),
        ]
        return [ast.fix_missing_locations(ast.copy_location(each, node)) for each in lines]

    def _is_asked(self, node: ast.Subscript) -> bool:
        called = node.value.func if isinstance(node.value, ast.Call) else None
        made = isinstance(called, ast.Name) and called.id in self._owners
        return (made or _place(node.value) in self._places) and not isinstance(node.slice, ast.Slice)

    def _asked(self, node: ast.Subscript) -> ast.expr:
        self.lines.append(node.lineno)
        table = ast.parse(ast.unparse(node.value), mode="eval").body
        key = ast.parse(ast.unparse(node.slice), mode="eval").body
        called = ast.Call(ast.Name(self.name, ast.Load()), [table, key], [])
        return ast.fix_missing_locations(ast.copy_location(called, node))
