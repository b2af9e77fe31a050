"""Private attributes: inside `class C`, `x.__a` means `x._C__a`; a line that is run outside its class must say so.

Pure syntax. Private names of variables are left alone: a frame shows them as Python stores them.
"""

import ast
from copy import deepcopy
from functools import lru_cache
from itertools import pairwise

from envs.execution.syntax.line_map import parsed
from envs.execution.syntax.program_structure import first_line, functions_of, nodes_of


@lru_cache(maxsize=256)
def classes_around(source: str) -> dict[int, str]:
    """The innermost class around each function that has one, by the function's first line."""
    if "class " not in source:
        return {}
    found: dict[int, str] = {}
    for name, node in functions_of(parsed(source)):
        parts = name.split(".")
        classes = [part for part, after in pairwise(parts) if "<locals>" not in (part, after)]
        if classes:
            found[first_line(node)] = classes[-1]
    return found


def spelled_out(node: ast.stmt, owner: str | None) -> ast.stmt:
    """The statement as it reads outside the class that holds it."""
    if owner is None or not any(_is_private(part) for part in nodes_of(node)):
        return node
    copy = deepcopy(node)
    for part in nodes_of(copy):
        if isinstance(part, ast.Attribute) and _is_private(part):
            part.attr = f"_{owner.lstrip('_')}{part.attr}"
    return copy


def _is_private(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr.startswith("__") and not node.attr.endswith("__")
