"""Imports under a name of the program's own, written under the library's name: a question shows the line alone.

    import statistics as st                 import statistics
    from decimal import Decimal as D        from decimal import Decimal

    st.mean(map(D, prices))         ->      statistics.mean(map(Decimal, prices))

A name stays where a line could tell: something else binds it too, it may be read before the import, it is an attribute
of a class, or the library's name already stands for something. Knows only syntax.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from envs.execution.decompose.rewrites.library_names import hides_names, occurring_names
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.bindings import BINDERS, binds
from envs.execution.syntax.name_scopes import BUILTINS
from envs.execution.syntax.program_structure import Function, nodes_of

_Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True, slots=True)
class _Alias:
    """A name of the program's own for something of the library, with the statements that run behind its import."""

    own: str
    name: str
    behind: Sequence[ast.stmt]


@rewriting({ast.alias}, in_place=True)
def with_library_names(tree: ast.Module) -> ast.Module:
    """The program with such names written as the library has them; may change the tree."""
    nodes = nodes_of(tree)
    if not any(isinstance(node, ast.alias) and node.asname for node in nodes) or hides_names(tree):
        return tree
    renamed = _renamed(tree, list(_known_aliases(tree)))
    for node in nodes:
        if isinstance(node, ast.alias) and node.asname in renamed:
            node.asname = None
        elif isinstance(node, ast.Name):
            node.id = renamed.get(node.id, node.id)
    return tree


def _renamed(tree: ast.Module, known: Sequence[_Alias]) -> Mapping[str, str]:
    """The library's name for each name that surely means nothing else."""
    nodes = nodes_of(tree)
    bound = Counter(name for node in nodes if type(node) in BINDERS for name in binds(node))
    wanted = Counter(alias.name for alias in known)
    lost = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    lost.update(_quoted_words(nodes))
    taken = lost | occurring_names(tree) | BUILTINS
    return {
        alias.own: alias.name
        for alias in known
        if bound[alias.own] == 1
        and alias.own not in lost
        and wanted[alias.name] == 1
        and alias.name not in taken
        and _is_read_behind(nodes, alias)
    }


def _known_aliases(tree: ast.Module) -> Iterator[_Alias]:
    """Other names for parts of the library by imports that stand in the body of the module or of a function.

    A name with two leading underscores means something else inside a class, and one of the library with an underscore
    may be special, as `__name__` is.
    """
    scopes = [tree, *(node for node in nodes_of(tree) if isinstance(node, Function))]
    for scope in scopes:
        for place, statement in enumerate(scope.body):
            for alias in _library_aliases(statement):
                if alias.asname and not alias.asname.startswith("__") and not alias.name.startswith("_"):
                    yield _Alias(alias.asname, alias.name, scope.body[place + 1 :])


def _library_aliases(node: ast.stmt) -> Iterator[ast.alias]:
    """The parts of an import that give something of the library a name without a point."""
    if not isinstance(node, _Import):
        return
    module = node.module or "" if isinstance(node, ast.ImportFrom) and not node.level else ""
    for alias in node.names:
        source = alias.name if isinstance(node, ast.Import) else module
        if "." not in alias.name and source.partition(".")[0] in sys.stdlib_module_names:
            yield alias


def _is_read_behind(nodes: Sequence[ast.AST], alias: _Alias) -> bool:
    """Whether every read runs behind the import; elsewhere an error would tell the name."""
    behind = {node for statement in alias.behind for node in nodes_of(statement)}
    return all(node in behind for node in nodes if isinstance(node, ast.Name) and node.id == alias.own)


def _quoted_words(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Words of annotations that are texts and may be read as names later; an import of `__future__` makes all so."""
    future = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in nodes)
    for annotation in _annotations(nodes):
        texts = [part.value for part in nodes_of(annotation) if isinstance(part, ast.Constant)]
        for text in [*texts, ast.unparse(annotation)] if future else texts:
            yield from re.findall(r"\w+", text) if isinstance(text, str) else ()


def _annotations(nodes: Sequence[ast.AST]) -> Iterator[ast.expr]:
    for node in nodes:
        match node:
            case ast.arg(annotation=ast.expr() as held) | ast.AnnAssign(annotation=held):
                yield held
            case ast.FunctionDef(returns=ast.expr() as held) | ast.AsyncFunctionDef(returns=ast.expr() as held):
                yield held
