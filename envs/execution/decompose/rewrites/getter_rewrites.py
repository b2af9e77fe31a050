"""Calls of `operator` and `re` that hold a function of the program or an iterator without a written form, rewritten.

    methodcaller("grade")            lambda item: item.grade()
    attrgetter("total")              lambda item: item.total, where `total` is a property of the program
    re.finditer(pattern, text)       a generator of the program that searches on from the last match
    pattern.sub(function, text)      a loop over these matches, each call of the function a step

Says what a call is; `library_rewrites.py` puts the functions behind the program.
"""

import ast
from collections.abc import Collection

from envs.execution.syntax.program_structure import nodes_of

GETTERS = ("operator.methodcaller", "operator.attrgetter")
MATCHING = ("re.finditer", "re.sub")


def getter(node: ast.Call, name: str | None, properties: Collection[str]) -> ast.expr:
    """A lambda that does what the getter does; the getter itself where it needs none, or computes its arguments."""
    if node.keywords or not node.args or not all(isinstance(each, ast.Constant) for each in node.args):
        return node
    first = node.args[0]
    attribute = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
    if not attribute.isidentifier():
        return node
    found: ast.expr = ast.Attribute(ast.Name("item", ast.Load()), attribute, ast.Load())
    if name == "operator.methodcaller":
        found = ast.Call(found, node.args[1:], [])
    elif len(node.args) > 1 or attribute not in properties:
        return node
    given = ast.arguments([], [ast.arg("item")], None, [], [], None, [])
    return ast.fix_missing_locations(ast.copy_location(ast.Lambda(given, found), node))


def mentions_patterns(tree: ast.Module) -> bool:
    """Whether the program asks a pattern for matches one by one, or to replace them."""
    return any(isinstance(node, ast.Attribute) and node.attr in ("finditer", "sub") for node in nodes_of(tree))


def with_pattern(node: ast.Call, name: str | None, functions: Collection[str]) -> tuple[str, ast.Call] | None:
    """The name of the function that goes through matches, and its call with a compiled pattern; None for other calls.

    `name` is the library's name for what is called, if it is known.
    """
    if any(isinstance(each, ast.Starred) for each in node.args) or not isinstance(node.func, ast.Attribute):
        return None
    kind = f"re.{node.func.attr}"
    if name in MATCHING:
        flags = node.args[2:] if name == "re.finditer" else []
        compile_ = ast.Attribute(node.func.value, "compile", ast.Load())
        rest = node.args[1:2] if name == "re.finditer" else node.args[1:]
        pattern: ast.expr = ast.Call(compile_, [*node.args[:1], *flags], [])
        kind = name
    elif name is None and kind in MATCHING and node.func.attr not in functions:
        pattern, rest = node.func.value, node.args
    else:
        return None
    wanted = (1,) if kind == "re.finditer" else (2, 3)
    words = {word.arg for word in node.keywords}
    if len(rest) not in wanted or not words <= ({"count"} if kind == "re.sub" else set()):
        return None
    return kind, ast.copy_location(ast.Call(node.func, [pattern, *rest], node.keywords), node)
