"""Inner functions that a run makes at most once, so that equal texts of one stand for one object.

They stand in the function that is called first, outside of loops, and nothing in the program names that function. Asks
about syntax alone.
"""

import ast

from envs.execution.syntax.program_structure import nodes_of

_AGAIN = (ast.For, ast.While, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def single_functions(tree: ast.Module, entry: str) -> frozenset[int]:
    """The lines of their `def`s."""
    named = any(
        (isinstance(node, ast.Name) and node.id == entry) or (isinstance(node, ast.Constant) and node.value == entry)
        for node in nodes_of(tree)
    )
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry]
    if named or len(found) != 1:
        return frozenset()
    return frozenset(_lines(found[0]))


def _lines(node: ast.AST) -> list[int]:
    lines: list[int] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            lines.append(child.lineno)
        elif not isinstance(child, _AGAIN):
            lines += _lines(child)
    return lines
