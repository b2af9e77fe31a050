"""Statements that are put into a program: on which line of its source, at which place, and whether in time.

The line is the origin of what they become. Functions in front of a program name its classes; such a class must be there
whenever they run.
"""

import ast
import re
from collections.abc import Collection

from envs.execution.syntax.load_calls import LoadCalls
from envs.execution.syntax.program_structure import nodes_of


def filled(source: str, **parts: str) -> str:
    """The source with each name in capitals replaced by its part; what was put in is not searched again."""
    return re.sub("|".join(parts), lambda found: parts[found[0]], source)


def placed(statements: list[ast.stmt], line: int | None) -> list[ast.stmt]:
    """The statements with every part on one line; with None where they stand already."""
    for statement in statements:
        for part in nodes_of(statement) if line is not None else ():
            if hasattr(part, "lineno"):
                part.lineno = part.end_lineno = line  # type: ignore[attr-defined]
        ast.fix_missing_locations(statement)
    return statements


def in_front(tree: ast.Module, functions: list[ast.stmt]) -> ast.Module:
    """The program with functions before all that may call them: only its docstring and first imports come before."""
    place = int(ast.get_docstring(tree, clean=False) is not None)
    while place < len(tree.body) and isinstance(tree.body[place], ast.Import | ast.ImportFrom):
        place += 1
    body = [*tree.body[:place], *functions, *tree.body[place:]]
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


def runs_before(tree: ast.Module, names: Collection[str]) -> bool:
    """Whether code of the program may be called before the classes of these names are all there."""
    places = [place for place, node in enumerate(tree.body) if isinstance(node, ast.ClassDef) and node.name in names]
    calls = LoadCalls(nodes_of(tree))
    return any(map(calls.may_call, tree.body[: max(places, default=-1) + 1]))
