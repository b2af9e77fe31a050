"""Statements that are put into a program: on which line of its source, at which place, and whether in time.

The line is the origin of what they become. Functions in front of a program name its classes; such a class must be there
whenever they run.
"""

import ast
import re
from collections.abc import Collection

from envs.execution.syntax.load_calls import LoadCalls
from envs.execution.syntax.program_structure import nodes_of

_SAME = re.compile(r"(\w+) is (\w+) or \1 == \2")


def filled(source: str, **parts: str) -> str:
    """The source with each name in capitals replaced by its part; what was put in is not searched again."""
    return re.sub("|".join(parts), lambda found: parts[found[0]], source)


def without_identity(source: str, names: Collection[str]) -> str:
    """The source with `a is b or a == b` as `b in (a,)`, which says the same: no frame shows which text a name means.

    Where a class writes `__eq__` (one of the `names` of the program), it stays for all but texts, so that the call of
    the method is a step.
    """
    plain = r"\2 in (\1,)"
    if "__eq__" in names:
        plain = rf"({plain} if isinstance(\1, str) else \1 is \2 or \1 == \2)"
    return _SAME.sub(plain, source)


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
