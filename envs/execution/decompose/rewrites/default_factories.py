"""Items of a `defaultdict` whose factory is a function of the program: that it is called becomes a step.

    table = defaultdict(lambda: [0, ""])
    table[key][0] += 1          ->      _item(table, key)[0] += 1

The function looks whether the key is there, and calls the factory where it is not, as the dict would from C. It is
asked for items of names and attributes that the program gives such a dict; any other dict among them is left to
Python. A program that looks factories up, or has keys or dicts of its own kind, stays as it is. Knows only syntax.
"""

import ast
from collections.abc import Iterator, Sequence

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

_KIND = "collections.defaultdict"
_ODD = frozenset(
    "default_factory __missing__ __hash__ __eq__ __getitem__ __contains__ __getattr__ __getattribute__".split()
)
_QUIET = frozenset("abs bool chr float frozenset int len max min ord round sorted str tuple".split())
"""Functions that change no attribute while a key is made."""
_ITEM = """
def NAME(table, key):
    if isinstance(table, CALLEE):
        if key not in table:
            make = table.default_factory
            if make is not None:
                table[key] = make()
    return table[key]
"""


@rewriting({"collections"}, {"defaultdict"})
def with_made_items(tree: ast.Module) -> ast.Module:
    """The program with such items asked for by a function; the same tree where there is no such dict."""
    kinds = [text for text, known in library_functions(tree, (_KIND,)).items() if known == _KIND]
    if not kinds:
        return tree
    nodes = nodes_of(tree)
    mentioned = occurring_names(tree) | {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    mentioned |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    changed = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    changed |= {f".{node.name}" for node in nodes if isinstance(node, ast.FunctionDef)}  # properties
    places = set(_places(nodes, kinds)) - changed
    if not places or mentioned & _ODD or hides_names(tree) or "isinstance" in rebound_builtins(tree):
        return tree
    name = fresh_name("_item", mentioned)
    rewriting = _Items(places, name, fresh_name("_key", mentioned), _QUIET - rebound_builtins(tree))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    if not rewriting.lines:
        return tree
    source = _ITEM.replace("NAME", name).replace("CALLEE", kinds[0])
    return ast.fix_missing_locations(in_front(tree, placed(ast.parse(source).body, rewriting.lines[0])))


def _places(nodes: Sequence[ast.AST], kinds: Sequence[str]) -> Iterator[str]:
    """Names, and attributes as `.name`, that are given a dict with a factory of the program's own."""
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    for node in nodes:
        match node:
            case ast.Assign(targets=[target], value=ast.Call(func=func, args=[factory, *_])):
                pass
            case ast.AnnAssign(target=target, value=ast.Call(func=func, args=[factory, *_])):
                pass
            case _:
                continue
        made = isinstance(factory, ast.Lambda) or (isinstance(factory, ast.Name) and factory.id in own)
        if made and ast.unparse(func) in kinds:
            yield from filter(None, [_place(target)])


def _place(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(), attr=attr):
            return f".{attr}"
    return ""


class _Items(ast.NodeTransformer):
    """Asks the function for items."""

    def __init__(self, places: set[str], name: str, key: str, quiet: frozenset[str]) -> None:
        self._places, self._name, self._key, self._quiet = places, name, key, quiet
        self.lines: list[int] = []
        """Lines that were changed."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """The class with its methods rewritten: a variable of its own would be an attribute."""
        for each in node.body:
            if isinstance(each, ast.FunctionDef | ast.ClassDef):
                self.visit(each)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or not self._is_asked(node):
            return node
        return self._asked(node, node.slice)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        """`table[key] += 1`, behind a line that sees to it that the key is there."""
        target = node.target
        loud = (
            isinstance(target, ast.Subscript) and isinstance(target.value, ast.Attribute) and self._calls(target.slice)
        )
        self.generic_visit(node)
        if not isinstance(target, ast.Subscript) or not self._is_asked(target) or loud:
            return node
        before: list[ast.stmt] = []
        if not isinstance(target.slice, ast.Name | ast.Constant):
            before.append(ast.Assign([ast.Name(self._key, ast.Store())], target.slice))
            target.slice = ast.Name(self._key, ast.Load())
        before.append(ast.Expr(self._asked(target, target.slice)))
        return [*(ast.copy_location(each, node) for each in before), node]

    def _calls(self, key: ast.expr) -> bool:
        """Whether making a key may change whose item is meant."""
        calls = [each.func for each in nodes_of(key) if isinstance(each, ast.Call)]
        return any(not (isinstance(func, ast.Name) and func.id in self._quiet) for func in calls)

    def _is_asked(self, node: ast.Subscript) -> bool:
        return _place(node.value) in self._places and not isinstance(node.slice, ast.Slice)

    def _asked(self, node: ast.Subscript, key: ast.expr) -> ast.expr:
        self.lines.append(node.lineno)
        table = ast.parse(ast.unparse(node.value), mode="eval").body
        return ast.copy_location(ast.Call(ast.Name(self._name, ast.Load()), [table, key], []), node)
