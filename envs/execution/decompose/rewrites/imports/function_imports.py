"""Imports inside functions written at the module's top, where what they import calls functions of the program.

    def total(xs):                              from functools import reduce
        from functools import reduce            def total(xs):
        return reduce(lambda a, b: a + b, xs)       return reduce(lambda a, b: a + b, xs)

`library_rewrites.py` knows names of the module alone. An import stays where it is if a line could tell: its name means
something else elsewhere, or is read where no such import stands before. Knows only syntax.
"""

import ast
from collections.abc import Iterator, Sequence

from envs.execution.decompose.rewrites.library_names import hides_names
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed
from envs.execution.syntax.bindings import BINDERS, binds
from envs.execution.syntax.library.library_patches import patches_library
from envs.execution.syntax.program_structure import nodes_of

_MODULES = frozenset({"functools", "itertools"})
_CALLING = frozenset({"reduce", "partial", "accumulate"})
"""Functions that matter where they are given a function of the program."""
_LAZY = frozenset("takewhile dropwhile filterfalse starmap groupby pairwise".split())
"""Functions whose iterators have no written form."""
_Import = ast.Import | ast.ImportFrom


@rewriting({ast.Import, ast.ImportFrom})
def with_module_imports(tree: ast.Module) -> ast.Module:
    """The program with such imports at its top; the same tree where there is none."""
    functions = [node for node in nodes_of(tree) if isinstance(node, ast.FunctionDef)]
    found = [(function, each) for function in functions for each in function.body if _is_known(each)]
    nodes = nodes_of(tree)
    if not found or hides_names(tree) or patches_library(nodes):
        return tree
    moved: dict[str, ast.stmt] = {}
    for text in dict.fromkeys(ast.unparse(each) for _, each in found):
        places = [(function, each) for function, each in found if ast.unparse(each) == text]
        if _helps(nodes, places[0][1]) and _is_same(nodes, places):
            moved[text] = ast.parse(text).body[0]
    for function, each in found:
        if ast.unparse(each) in moved:
            function.body = [other for other in function.body if other is not each] or [ast.Pass()]
    if not moved:
        return tree
    first = min(each.lineno for _, each in found)
    return in_front(tree, placed(list(moved.values()), first))


def _is_known(node: ast.stmt) -> bool:
    match node:
        case ast.ImportFrom(module=module, names=names, level=0):
            return module in _MODULES and all(each.asname is None and each.name != "*" for each in names)
        case ast.Import(names=[ast.alias(name=module, asname=None)]):
            return module in _MODULES
    return False


def _helps(nodes: Sequence[ast.AST], node: ast.stmt) -> bool:
    """Whether the program calls what is imported so that rules follow it only as a function of the program."""
    assert isinstance(node, _Import)
    names = {each.name for each in node.names}
    own = {each.name for each in nodes if isinstance(each, ast.FunctionDef)}
    for call in nodes:
        match call:
            case ast.Call(func=ast.Name(id=called)) if isinstance(node, ast.ImportFrom) and called in names:
                pass
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=called)) if module in names:
                pass
            case _:
                continue
        given = [*call.args, *(word.value for word in call.keywords)]
        calls = any(isinstance(each, ast.Lambda) or (isinstance(each, ast.Name) and each.id in own) for each in given)
        if called in _LAZY or (called in _CALLING and calls):
            return True
    return False


def _is_same(nodes: Sequence[ast.AST], places: Sequence[tuple[ast.FunctionDef, ast.stmt]]) -> bool:
    """Whether the names mean nothing but these imports, and are read only behind them."""
    aliases = [alias for _, each in places for alias in _aliases(each)]
    names = {alias.name for alias in aliases}
    others = [node for node in nodes if type(node) in BINDERS and node not in aliases]
    declared = [name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names]
    if not names.isdisjoint([*declared, *(name for node in others for name in binds(node))]):
        return False
    reads = [node for node in nodes if isinstance(node, ast.Name) and node.id in names]
    behind = {
        node
        for function, each in places
        for statement in function.body[function.body.index(each) + 1 :]
        for node in nodes_of(statement)
    }
    return all(node in behind for node in reads)


def _aliases(node: ast.stmt) -> Iterator[ast.alias]:
    assert isinstance(node, _Import)
    yield from node.names
