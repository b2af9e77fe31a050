"""A call as text, such as "f([3, 1], key=2)", split into the function's name and its arguments. Runs nothing."""

import ast


class BadCall(ValueError):
    """A text that is no call of a function by its name."""


def split_call(call: str) -> tuple[str, str]:
    """Return the name of the function and the text of the arguments."""
    try:
        node = ast.parse(call.strip(), mode="eval").body
    except SyntaxError:
        node = None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise BadCall(f"{call!r} is no call of a function by its name, such as f(3).")
    named = [(f"{each.arg}=" if each.arg else "**") + ast.unparse(each.value) for each in node.keywords]
    return node.func.id, ", ".join([*map(ast.unparse, node.args), *named])
