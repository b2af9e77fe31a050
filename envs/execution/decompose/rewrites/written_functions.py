"""Statements that are put into a program, on a line of its source: that line is the origin of what they become."""

import ast


def placed(statements: list[ast.stmt], line: int | None) -> list[ast.stmt]:
    """The statements with every part on one line; with None where they stand already."""
    for statement in statements:
        for part in ast.walk(statement) if line is not None else ():
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
