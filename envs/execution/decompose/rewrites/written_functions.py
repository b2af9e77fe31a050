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
