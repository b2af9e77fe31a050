"""Imports under a name of the program's own, written under the library's name: a question shows the line alone.

    import statistics as st                 import statistics
    from decimal import Decimal as D        from decimal import Decimal

    st.mean(map(D, prices))         ->      statistics.mean(map(Decimal, prices))

A name stays where something else binds it too, or where the library's name already stands for something. Knows only
syntax.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from envs.execution.decompose.rewrites.library_names import hides_names, occurring_names
from envs.execution.syntax.bindings import BINDERS, binds
from envs.execution.syntax.program_structure import nodes_of

_Import = ast.Import | ast.ImportFrom


def with_library_names(tree: ast.Module) -> ast.Module:
    """The program with such names written as the library has them; may change the tree."""
    imports = [node for node in nodes_of(tree) if isinstance(node, _Import)]
    if not any(alias.asname for node in imports for alias in node.names) or hides_names(tree):
        return tree
    renamed = _renamed(tree, imports)
    for node in nodes_of(tree):
        if isinstance(node, ast.alias) and node.asname in renamed:
            node.asname = None
        elif isinstance(node, ast.Name):
            node.id = renamed.get(node.id, node.id)
    return tree


def _renamed(tree: ast.Module, imports: Sequence[_Import]) -> Mapping[str, str]:
    """The library's name for each name that surely means nothing else."""
    nodes = nodes_of(tree)
    known = [(alias.asname, alias.name) for node in imports for alias in _library_aliases(node)]
    bound = Counter(name for node in nodes if type(node) in BINDERS for name in binds(node))
    wanted = Counter(name for _, name in known)
    lost = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    lost.update(_quoted_words(nodes))
    taken = lost | occurring_names(tree)
    return {
        own: name
        for own, name in known
        if own is not None and bound[own] == 1 and own not in lost and wanted[name] == 1 and name not in taken
    }


def _library_aliases(node: _Import) -> Iterator[ast.alias]:
    """The parts of an import that give something of the library another name."""
    module = node.module or "" if isinstance(node, ast.ImportFrom) and not node.level else ""
    for alias in node.names:
        source = alias.name if isinstance(node, ast.Import) else module
        if alias.asname and "." not in alias.name and source.partition(".")[0] in sys.stdlib_module_names:
            yield alias


def _quoted_words(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Words of annotations that are written as texts, which may be read as names later."""
    for node in nodes:
        match node:
            case ast.arg(annotation=held) | ast.AnnAssign(annotation=held) | ast.FunctionDef(returns=held):
                parts = [] if held is None else nodes_of(held)
                for part in parts:
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield from re.findall(r"\w+", part.value)
