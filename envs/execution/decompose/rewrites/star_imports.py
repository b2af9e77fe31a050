"""`from itertools import *` written with the names that the program uses: rules look library functions up by them.

Words in texts count as uses, since annotations may be texts. A program that looks names up otherwise stays as it is.
"""

import ast
import importlib
import re

from envs.execution.decompose.rewrites.library_names import reads_names
from envs.execution.syntax.program_structure import nodes_of

_STAR_MODULES = frozenset(
    "bisect collections copy dataclasses datetime decimal enum fractions functools heapq itertools math operator re "
    "string typing".split()
)
"""Modules of the library whose names are known without running anything of the program."""


def with_named_imports(tree: ast.Module) -> ast.Module:
    """The program with `from itertools import *` written with the names that it uses: rules look names up by them."""
    if not any(map(_is_star, tree.body)) or reads_names(tree):
        return tree
    nodes = nodes_of(tree)
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    used = {node.id for node in nodes if isinstance(node, ast.Name)} | set(re.findall(r"\w+", " ".join(texts)))
    body: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and _is_star(statement):
            module = importlib.import_module(str(statement.module))
            public = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
            names = [ast.alias(name) for name in sorted(used.intersection(public))]
            named = ast.ImportFrom(statement.module, names, 0) if names else ast.Pass()
            body.append(ast.fix_missing_locations(ast.copy_location(named, statement)))
        else:
            body.append(statement)
    return ast.Module(body, tree.type_ignores)


def _is_star(node: ast.stmt) -> bool:
    if not (isinstance(node, ast.ImportFrom) and node.module in _STAR_MODULES and not node.level):
        return False
    return [alias.name for alias in node.names] == ["*"]
