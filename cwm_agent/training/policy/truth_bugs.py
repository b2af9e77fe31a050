"""Bugs of conditions: emptiness for None, one value for several, another condition, a wrong negation of one part."""

import ast

from cwm_agent.training.policy.bug_finder import BugFinder, Finders

_OPPOSITES: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", ">="), ast.GtE: (">=", "<"), ast.Gt: (">", "<="), ast.LtE: ("<=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
}  # fmt: skip
_LONGEST_TEXT = 4
"""Letters of a text that a membership test is narrowed to."""


def _comparison(finder: BugFinder, node: ast.AST) -> None:
    match node:
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            finder.replace_node("none-test", node, f"not {finder.text(left)}")
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            finder.replace_node("none-test", node, finder.text(left))
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[holder]):
            if parts := _parts(finder, holder):
                sign = "==" if isinstance(op, ast.In) else "!="
                finder.replace_node("one-of", node, f"{finder.text(left)} {sign} {finder.rng.choice(parts)}")
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=str()) as one]):
            other = finder.other(finder.texts, finder.text(one))
            if other is not None and finder.happens(0.3):
                finder.replace_node("one-of", node, f"{finder.text(left)} in ({finder.text(one)}, {other})")


def _parts(finder: BugFinder, holder: ast.expr) -> list[str]:
    """The items of a display, or the letters of a short text."""
    match holder:
        case ast.Tuple(elts=[_, _, *_] as items) | ast.List(elts=[_, _, *_] as items) | ast.Set(elts=items):
            return [finder.text(each) for each in items if not isinstance(each, ast.Starred)]
        case ast.Constant(value=str(text)) if 1 < len(text) <= _LONGEST_TEXT:
            return [repr(letter) for letter in text]
    return []


def _test(finder: BugFinder, node: ast.AST) -> None:
    tests = node.ifs if isinstance(node, ast.comprehension) else [node.test]  # type: ignore[attr-defined]
    for test in tests:
        match test:
            case ast.Name() | ast.Attribute() if finder.happens(0.3):
                finder.replace_node("none-test", test, f"{finder.text(test)} is not None")
            case ast.UnaryOp(op=ast.Not(), operand=ast.Name() | ast.Attribute() as value) if finder.happens(0.3):
                finder.replace_node("none-test", test, f"{finder.text(value)} is None")


def _logic(finder: BugFinder, node: ast.AST) -> None:
    if not isinstance(node, ast.BoolOp):
        return
    if len(node.values) == 2:
        left, right = (finder.text(each) for each in node.values)
        word = "or" if isinstance(node.op, ast.And) else "and"
        if finder.happens(0.5):
            text = f"{left} {word} {_negated(finder, node.values[1])}"
        else:
            text = f"{_negated(finder, node.values[0])} {word} {right}"
        finder.replace_node("negated-part", node, text)
    for value in node.values:
        if isinstance(value, ast.BoolOp):
            start, end = finder.lines.span(value)
            if finder.lines.source[start - 1 : start] == "(" and finder.lines.source[end : end + 1] == ")":
                finder.replace_span("grouping", start - 1, end + 1, finder.text(value))


def _negated(finder: BugFinder, node: ast.expr) -> str:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return finder.text(operand)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPPOSITES:
            return f"{finder.text(left)} {_OPPOSITES[type(op)][1]} {finder.text(right)}"
        case ast.Name() | ast.Call() | ast.Attribute() | ast.Subscript():
            return f"not {finder.text(node)}"
    return f"not ({finder.text(node)})"


def _toggle(finder: BugFinder, node: ast.AST) -> None:
    match node:
        case ast.Assign(targets=[target], value=ast.UnaryOp(op=ast.Not(), operand=operand) as value):
            if finder.text(target) == finder.text(operand):
                finder.replace_node("toggle", value, finder.rng.choice(("True", "False")))


def _filter(finder: BugFinder, node: ast.AST) -> None:
    match node:
        case ast.comprehension(target=ast.Name(id=name), iter=items, ifs=[]) if finder.happens(0.5):
            end = finder.lines.span(items)[1]
            test = finder.rng.choice((name, name, f"{name} is not None", f"{name} > 0", f"not {name}"))
            finder.replace_span("filter-add", end, end, f" if {test}")


FINDERS: Finders = {
    ast.Compare: (_comparison,),
    ast.If: (_test,),
    ast.While: (_test,),
    ast.IfExp: (_test,),
    ast.comprehension: (_test, _filter),
    ast.BoolOp: (_logic,),
    ast.Assign: (_toggle,),
}
