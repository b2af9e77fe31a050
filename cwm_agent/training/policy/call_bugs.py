"""Bugs of calls: a missing or superfluous argument of a method, a wrong sort key, a range in the other direction."""

import ast

from cwm_agent.training.policy.bug_finder import BugFinder, Finders

_OPTIONAL = frozenset("sort split rsplit pop strip lstrip rstrip popitem move_to_end sorted round join".split())
"""Functions that also work without their only argument."""
_ADDED = {
    "split": ("' '", "','"), "strip": ("' '",), "pop": ("0", "0", "-1"), "sort": ("reverse=True",),
    "sorted": ("reverse=True",), "round": ("1", "2"), "enumerate": ("1",), "sum": ("1",), "popitem": ("last=False",),
    "get": ("0", "1"), "max": ("default=0",), "min": ("default=0",),
}  # fmt: skip
"""Arguments that a function may be given too many."""
_METHODS = (".strip()", ".lower()", ".copy()", ".upper()")
_SORTS = ("sorted", "sort", "min", "max")


def _arguments(finder: BugFinder, node: ast.AST) -> None:
    if not isinstance(node, ast.Call):
        return
    name = _called(node)
    given = [*node.args, *node.keywords]
    end = finder.lines.span(node)[1]
    if len(given) == 1 and name in _OPTIONAL and (isinstance(node.func, ast.Attribute) or node.keywords):
        finder.replace_span("only-argument", *finder.lines.span(given[0]), "")
    wanted = int(isinstance(node.func, ast.Name) or name == "get")
    if len(node.args) == wanted and not node.keywords and name in _ADDED:
        comma = ", " if given else ""
        finder.replace_span("argument-add", end - 1, end - 1, f"{comma}{finder.rng.choice(_ADDED[name])}")
    if len(node.keywords) > 1:
        _keywords(finder, node)
    if name in _SORTS:
        _sort_key(finder, node)
    if name == "range" and isinstance(node.func, ast.Name):
        _range(finder, node)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _keywords(finder: BugFinder, node: ast.Call) -> None:
    """The values of two keyword arguments in each other's place."""
    at = finder.rng.randrange(len(node.keywords) - 1)
    one, other = node.keywords[at : at + 2]
    if one.arg and other.arg and finder.text(one.value) != finder.text(other.value):
        start, end = finder.lines.span(one)[0], finder.lines.span(other)[1]
        text = f"{one.arg}={finder.text(other.value)}, {other.arg}={finder.text(one.value)}"
        finder.replace_span("keyword-swap", start, end, text)


def _sort_key(finder: BugFinder, node: ast.Call) -> None:
    """A sort key without one of its parts, its sign or itself."""
    for keyword in node.keywords:
        match keyword:
            case ast.keyword(arg="key", value=ast.Lambda(args=ast.arguments(args=[ast.arg(arg=name)]), body=body)):
                texts = [name]
                if isinstance(body, ast.Tuple) and len(body.elts) == 2:
                    parts = [finder.text(each) for each in body.elts]
                    texts += [*parts, *parts, f"({parts[1]}, {parts[0]})"]
                else:
                    texts += [f"-{finder.text(body)}", f"({finder.text(body)}, {name})"]
                finder.replace_node("sort-key", body, finder.rng.choice(texts))
            case ast.keyword(arg="reverse", value=value):
                finder.replace_node("sort-key", value, "False" if finder.text(value) == "True" else "True")


def _range(finder: BugFinder, node: ast.Call) -> None:
    """A range that runs the other way, or skips numbers."""
    texts = [finder.text(each) for each in node.args]
    match node.args:
        case [_]:
            other = f"{texts[0]} - 1, -1, -1"
        case [_, _]:
            shapes = (f"{texts[1]} - 1, {texts[0]} - 1, -1", f"{texts[0]}, {texts[1]}, 2")
            other = finder.rng.choice(shapes)
        case [ast.BinOp(left=end, op=ast.Sub(), right=ast.Constant(value=1)), _, _] if texts[1:] == ["-1", "-1"]:
            other = finder.text(end)
        case [_, _, ast.UnaryOp(op=ast.USub())]:
            other = f"{texts[1]}, {texts[0]}"
        case _:
            return
    finder.replace_node("range-order", node, f"range({other})")


def _result(finder: BugFinder, node: ast.AST) -> None:
    """A superfluous method call."""
    value: ast.expr | None = node.value  # type: ignore[attr-defined]
    if isinstance(value, ast.Name) and finder.happens(0.2):
        finder.replace_node("method-add", value, f"{value.id}{finder.rng.choice(_METHODS)}")


FINDERS: Finders = {ast.Call: (_arguments,), ast.Return: (_result,), ast.Assign: (_result,)}
