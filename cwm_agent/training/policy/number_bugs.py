"""Bugs of calculations: brackets around other operands, a missing limit or rounding, a constant for a variable."""

import ast

from cwm_agent.training.policy.bug_finder import BugFinder, Finders

_SUMS = (ast.Add, ast.Sub)
_PRODUCTS = (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_LIMITS = ("max({}, 0)", "max({}, 1)", "min({}, 1)", "min({}, {other})", "max({}, {other})")
_CONSTANTS = ("0", "1", "0", "1", "2", "-1")


def _operation(finder: BugFinder, node: ast.AST) -> None:
    if not isinstance(node, ast.BinOp):
        return
    _brackets(finder, node)
    _rounding(finder, node)
    source = finder.lines.source
    start, end = finder.lines.span(node)
    match node:
        case ast.BinOp(left=ast.Call(args=[*_, last], keywords=[]) as call):
            first, middle = finder.lines.span(call)
            if first == start:
                inner = finder.lines.span(last)[1]
                text = source[start:inner] + source[middle:end] + source[inner:middle]
                finder.replace_span("operand-move", start, end, text)
        case ast.BinOp(left=left, op=ast.Add(), right=right) if not isinstance(right, ast.Constant):
            if finder.happens(0.4):
                name = finder.rng.choice(("max", "min"))
                finder.replace_node("choice-or-sum", node, f"{name}({finder.text(left)}, {finder.text(right)})")


def _brackets(finder: BugFinder, node: ast.BinOp) -> None:
    """Brackets that are missing, or too many."""
    source = finder.lines.source
    start, end = finder.lines.span(node)
    for side in (node.left, node.right):
        if isinstance(side, ast.BinOp) and (isinstance(side.op, _SUMS) or side is node.right):
            first, last = finder.lines.span(side)
            if source[first - 1] == "(" and source[last : last + 1] == ")" and start < last < end + 1:
                text = source[start : first - 1] + source[first:last] + source[last + 1 : end]
                finder.replace_span("brackets", start, end, text)
    if isinstance(node.op, _SUMS) and isinstance(node.right, ast.BinOp) and isinstance(node.right.op, _PRODUCTS):
        middle = finder.lines.span(node.right.left)[1]
        between = source[finder.lines.span(node.left)[1] : finder.lines.span(node.right.left)[0]]
        if "(" not in between:
            finder.replace_span("brackets", start, end, f"({source[start:middle]}){source[middle:end]}")


def _rounding(finder: BugFinder, node: ast.BinOp) -> None:
    """A division that is rounded down in place of up."""
    match node:
        case ast.BinOp(
            left=ast.BinOp(left=ast.BinOp(left=number, op=ast.Add(), right=added), op=ast.Sub(), right=ast.Constant()),
            op=ast.FloorDiv(),
            right=divisor,
        ) if finder.text(added) == finder.text(divisor):
            finder.replace_node("rounding", node, f"{finder.text(number)} // {finder.text(divisor)}")


def _minus(finder: BugFinder, node: ast.AST) -> None:
    match node:
        case ast.UnaryOp(
            op=ast.USub(), operand=ast.BinOp(left=ast.UnaryOp(op=ast.USub(), operand=left), op=ast.FloorDiv(), right=by)
        ):
            finder.replace_node("rounding", node, f"{finder.text(left)} // {finder.text(by)}")


def _call(finder: BugFinder, node: ast.AST) -> None:
    source = finder.lines.source
    match node:
        case ast.Call(func=ast.Name(id="max" | "min"), args=[left, right], keywords=[]):
            one, other = finder.text(left), finder.text(right)
            kept = other if isinstance(left, ast.Constant) else one
            finder.replace_node("limit-drop", node, kept if finder.happens(0.7) else finder.rng.choice((one, other)))
            finder.replace_node("choice-or-sum", node, f"{one} {finder.rng.choice('+-')} {other}")
        case ast.Call(func=ast.Name(id="len"), args=[_], keywords=[]) if finder.happens(0.5):
            finder.replace_node("length", node, finder.rng.choice((*finder.names, *_CONSTANTS)))
    match node:
        case ast.Call(args=[*_, ast.BinOp(left=left) as last], keywords=[]):
            end = finder.lines.span(node)[1]
            (first, middle), (start, inner) = finder.lines.span(left), finder.lines.span(last)
            if first == start:
                finder.replace_span("operand-move", middle, end, source[inner:end] + source[middle:inner])


def _result(finder: BugFinder, node: ast.AST) -> None:
    value: ast.expr | None = node.value  # type: ignore[attr-defined]
    if not isinstance(value, ast.Name | ast.BinOp | ast.Call) or not finder.happens(0.3):
        return
    text = finder.text(value)
    if finder.happens(0.5):
        other = finder.other(finder.names, text) or "1"
        finder.replace_node("limit-add", value, finder.rng.choice(_LIMITS).format(text, other=other))
    else:
        finder.replace_node("sign-add", value, f"-({text})" if isinstance(value, ast.BinOp) else f"-{text}")


def _name(finder: BugFinder, node: ast.AST) -> None:
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name in finder.names and finder.happens(0.15):
            if not finder.is_owner(node):
                finder.replace_node("constant", node, finder.rng.choice(_CONSTANTS))


FINDERS: Finders = {
    ast.BinOp: (_operation,),
    ast.UnaryOp: (_minus,),
    ast.Call: (_call,),
    ast.Return: (_result,),
    ast.Assign: (_result,),
    ast.Name: (_name,),
}
