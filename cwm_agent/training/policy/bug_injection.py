"""Bugs that people make, injected into a correct program; the policy learns to undo them.

A bug replaces a span of text. The class is drawn first and the position second, so that names and constants do not
dominate rare classes. Knows no model; the caller checks that the result parses.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from random import Random

from cwm_agent.training.policy import (
    call_bugs,
    container_bugs,
    number_bugs,
    object_bugs,
    part_bugs,
    truth_bugs,
)
from cwm_agent.training.policy.bug_finder import BugFinder, Find, Finders
from cwm_agent.training.policy.bug_text import Bug, Lines, nodes_of
from cwm_agent.training.policy.copied_bugs import copied_bugs
from cwm_agent.training.policy.excess_bugs import excess_bugs
from cwm_agent.training.policy.placement_bugs import placement_bugs
from cwm_agent.training.policy.statement_bugs import statement_bugs

_COMPARED = {
    ast.Lt: ("<", ("<=", "<=", ">", ">=", "==")),
    ast.LtE: ("<=", ("<", "<", ">=", ">")),
    ast.Gt: (">", (">=", ">=", "<", "!=", "<=")),
    ast.GtE: (">=", (">", ">", "<=", "<")),
    ast.Eq: ("==", ("!=", "!=", ">=", "<=", "<", ">")),
    ast.NotEq: ("!=", ("==", "==", "<", ">")),
    ast.In: ("in", ("not in", "==")),
    ast.NotIn: ("not in", ("in", "!=")),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
}
_COMPUTED = {
    ast.Add: ("+", ("-", "-", "*", "//")),
    ast.Sub: ("-", ("+", "+", "*", "%")),
    ast.Mult: ("*", ("+", "+", "//", "**", "-", "/")),
    ast.Div: ("/", ("//", "//", "*", "%")),
    ast.FloorDiv: ("//", ("/", "/", "%", "*")),
    ast.Mod: ("%", ("//", "//", "/", "+")),
    ast.Pow: ("**", ("*",)),
    ast.BitAnd: ("&", ("|", "^")),
    ast.BitOr: ("|", ("&", "^")),
    ast.BitXor: ("^", ("|", "&")),
    ast.LShift: ("<<", (">>",)),
    ast.RShift: (">>", ("<<",)),
}
_ALIKE = tuple(
    tuple(group.split())
    for group in (
        "min max sum len,any all,sorted list reversed set tuple,int str abs bool float round,floor ceil,"
        "append extend insert add,pop remove discard,keys values items,upper lower title capitalize swapcase,"
        "strip lstrip rstrip,startswith endswith,find index rfind rindex count,split rsplit splitlines partition,"
        "isalpha isdigit isalnum isupper islower isspace,ljust rjust center zfill,update setdefault get,"
        "enumerate zip list,popleft pop,appendleft append,ord chr len,union intersection difference,sqrt log exp"
    ).split(",")
)
_STARTS = ("0", "0", "1", "-1", "None", "[]", "''", "False")
"""Wrong start values of variables."""
_WRAPPERS = tuple("abs int len list sorted set str sum max min reversed round tuple bool".split())


_FURTHER: tuple[Finders, ...] = (
    truth_bugs.FINDERS, number_bugs.FINDERS, part_bugs.FINDERS, container_bugs.FINDERS, call_bugs.FINDERS,
    object_bugs.FINDERS,
)  # fmt: skip


def bugs_of(source: str, rng: Random, *, further: bool = False) -> dict[str, list[Bug]]:
    """Bugs that can be injected into a program, by class; one is drawn where a node has several.

    `further` adds the kinds that the repair search learnt to undo later. Without them the bugs of a seed stay those of
    earlier measurements.
    """
    tree, lines = ast.parse(source), Lines(source)
    program = nodes_of(tree)
    texts = tuple(sorted(set(_short_texts(program))))
    found: dict[str, list[Bug]] = {}
    functions = [node for node in program if isinstance(node, ast.FunctionDef)]
    for function in functions:
        nodes = nodes_of(function)
        names = tuple(sorted(_variables(nodes)))
        attributes = tuple(sorted({node.attr for node in nodes if isinstance(node, ast.Attribute)}))
        finder = BugFinder(lines, rng, names=names, texts=texts, attributes=attributes, found=found)
        inside = _in_texts(nodes)
        for node in nodes:
            if (find := _FINDERS.get(type(node))) is not None and node not in inside:
                find(finder, node)
        for bug in (*statement_bugs(function, nodes, lines, rng), *excess_bugs(nodes, names, lines, rng)):
            found.setdefault(bug.kind, []).append(bug)
        if further:
            _find_further(finder, function, [node for node in nodes if node not in inside], functions)
    return found


def _find_further(
    finder: BugFinder, function: ast.FunctionDef, nodes: Sequence[ast.AST], functions: Sequence[ast.FunctionDef]
) -> None:
    """Find the bugs of the kinds that came later."""
    for node in nodes:
        for find in _FURTHER_FINDERS.get(type(node), ()):
            find(finder, node)
    copied_bugs(finder, nodes, [each.name for each in functions])
    for bug in placement_bugs(function, nodes, finder.lines, finder.rng):
        finder.found.setdefault(bug.kind, []).append(bug)


def _short_texts(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 20:
            yield repr(node.value)


def _variables(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _in_texts(nodes: Sequence[ast.AST]) -> set[ast.AST]:
    """Nodes inside f-strings, whose positions Python does not give, and of annotations and decorators."""
    found: set[ast.AST] = set()
    for node in nodes:
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.JoinedStr):
            parts = [node]
        elif isinstance(node, ast.arg | ast.AnnAssign):
            parts = [node.annotation]
        elif isinstance(node, ast.FunctionDef):
            parts = [node.returns, *node.decorator_list]
        for part in parts:
            found.update(() if part is None else nodes_of(part))
    return found


def _comparison(finder: BugFinder, node: ast.Compare) -> None:
    left: ast.expr = node.left
    for op, right in zip(node.ops, node.comparators, strict=True):
        old, others = _COMPARED[type(op)]
        finder.replace_operator("comparison", (left, right), old=old, new=finder.rng.choice(others))
        left = right
    if len(node.ops) == 1:
        finder.replace_node("operand-swap", node, f"{finder.text(right)} {old} {finder.text(node.left)}")
        _one_off(finder, right)
        _one_off(finder, node.left)
    else:
        start, end = finder.lines.span(node)
        first, last = finder.lines.span(node.comparators[0])[0], finder.lines.span(node.comparators[-2])[1]
        finder.replace_span("condition-drop", *finder.rng.choice(((start, first), (last, end))), "")


def _arithmetic(finder: BugFinder, node: ast.BinOp) -> None:
    old, others = _COMPUTED.get(type(node.op), ("", ()))
    if not old:
        return
    finder.replace_operator("arithmetic", (node.left, node.right), old=old, new=finder.rng.choice(others))
    left, right = finder.text(node.left), finder.text(node.right)
    if isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod | ast.Add):
        finder.replace_node("operand-swap", node, f"{right} {old} {left}")
    finder.replace_node("operand-drop", node, left if finder.rng.random() < 0.7 else right)


def _one_off(finder: BugFinder, node: ast.expr) -> None:
    """A number one too large or too small: a bound, an index."""
    if isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript):
        finder.replace_node("one-off", node, f"{finder.text(node)} {finder.rng.choice('+-')} 1")
    elif isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value == 1:
        finder.replace_node("one-off", node, finder.text(node.left))


def _logic(finder: BugFinder, node: ast.BoolOp) -> None:
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        finder.replace_operator("connective", (left, right), old=old, new=new)
    kept = finder.rng.randrange(len(node.values))
    rest = [finder.text(each) for at, each in enumerate(node.values) if at != kept]
    finder.replace_node("condition-drop", node, f" {old} ".join(rest))


def _unary(finder: BugFinder, node: ast.UnaryOp) -> None:
    finder.replace_node("negation" if isinstance(node.op, ast.Not) else "sign", node, finder.text(node.operand))


def _condition(finder: BugFinder, node: ast.If | ast.While | ast.IfExp) -> None:
    text = finder.text(node.test)
    finder.replace_node(
        "negation", node.test, f"not {text}" if isinstance(node.test, ast.Name | ast.Call) else f"not ({text})"
    )
    if isinstance(node, ast.IfExp):
        body, other = finder.text(node.body), finder.text(node.orelse)
        finder.replace_node("choice", node, finder.rng.choice((body, other, f"{other} if {text} else {body}")))


def _constant(finder: BugFinder, node: ast.Constant) -> None:
    value, rng = node.value, finder.rng
    if isinstance(value, bool):
        finder.replace_node("truth", node, str(not value))
    elif isinstance(value, int):
        near = rng.choice((value + 1, value - 1, value + 1, value - 1, 0, 1, -1, 2, value * 10, value // 10, -value))
        finder.replace_node("number", node, str(near))
        if finder.names and rng.random() < 0.2:
            finder.replace_node("variable", node, rng.choice(finder.names))
    elif isinstance(value, float) and isfinite(value):
        finder.replace_node("number", node, str(rng.choice((value + 1, value / 10, value * 2, 1.0, 0.0, int(value)))))
    elif isinstance(value, str) and finder.lines.source[finder.lines.span(node)[0]] in "'\"":
        finder.replace_node("text", node, rng.choice((*finder.texts, "''", "' '", repr(value[:-1]), repr(value + " "))))
    elif value is None:
        finder.replace_node("truth", node, rng.choice(("0", "False", "[]", "''", "-1")))


def _name(finder: BugFinder, node: ast.Name) -> None:
    if node.id in finder.names and len(finder.names) > 1:
        finder.replace_node(
            "variable" if isinstance(node.ctx, ast.Load) else "target", node, finder.rng.choice(finder.names)
        )
        if isinstance(node.ctx, ast.Load) and finder.rng.random() < 0.05:
            finder.replace_node("wrapped", node, f"{finder.rng.choice(_WRAPPERS)}({node.id})")
    elif (alike := _alike(node.id)) and isinstance(node.ctx, ast.Load):
        finder.replace_node("call-name", node, finder.rng.choice(alike))


def _alike(name: str) -> list[str]:
    return [each for group in _ALIKE if name in group for each in group if each != name]


def _attribute(finder: BugFinder, node: ast.Attribute) -> None:
    others = _alike(node.attr) or ([each for each in finder.attributes if each != node.attr])
    if others:
        end = finder.lines.span(node)[1]
        finder.replace_span("attribute", end - len(node.attr), end, finder.rng.choice(others))


def _call(finder: BugFinder, node: ast.Call) -> None:
    given, rng = [*node.args, *node.keywords], finder.rng
    texts = [finder.text(each) for each in given]
    if len(texts) > 1:
        start, end = finder.lines.span(given[0])[0], finder.lines.span(given[-1])[1]
        at = rng.randrange(len(texts) - 1)
        if at + 1 < len(node.args):
            swapped = [*texts[:at], texts[at + 1], texts[at], *texts[at + 2 :]]
            finder.replace_span("argument-swap", start, end, ", ".join(swapped))
        gone = rng.randrange(len(texts))
        finder.replace_span("argument-drop", start, end, ", ".join(text for at, text in enumerate(texts) if at != gone))
    for each in node.args:
        _one_off(finder, each)
    if len(node.args) == 1 and isinstance(node.func, ast.Name):
        finder.replace_node("unwrapped", node, texts[0])
    if isinstance(node.func, ast.Attribute):
        finder.replace_node("unwrapped", node, finder.text(node.func.value))
    if isinstance(node.func, ast.Name) and node.func.id == "range":
        finder.replace_node("range", node, f"range({', '.join(rng.choice(_ranges(texts)))})")


def _ranges(texts: list[str]) -> list[list[str]]:
    """Wrong bounds of a range: a missing start or end, or one off."""
    if len(texts) == 1:
        return [["1", *texts], [f"{texts[0]} - 1"], [f"{texts[0]} + 1"]]
    return [[texts[1]], ["0", *texts[1:]], ["1", *texts[1:]], [texts[0], f"{texts[1]} + 1", *texts[2:]],
            [texts[0], f"{texts[1]} - 1", *texts[2:]], texts[:2]]  # fmt: skip


def _subscript(finder: BugFinder, node: ast.Subscript) -> None:
    part, whole = node.slice, finder.text(node.value)
    if isinstance(part, ast.Slice):
        lower = finder.text(part.lower) if part.lower else ""
        upper = finder.text(part.upper) if part.upper else ""
        step = f":{finder.text(part.step)}" if part.step else ""
        others = [f"{lower}:", f":{upper}", f"{lower} + 1:{upper}" if lower else f"1:{upper}", f"{lower}:{upper or -1}"]
        others += [f"{lower}:{upper} + 1", f"{lower}:{upper} - 1"] if upper else []
        finder.replace_node("slice", node, f"{whole}[{finder.rng.choice(others)}{finder.rng.choice((step, step, ''))}]")
        return
    if isinstance(node.ctx, ast.Load):
        finder.replace_node("item-drop", node, whole)
        finder.replace_node("index", part, finder.rng.choice(("0", "-1", "1")))
    _one_off(finder, part)
    if isinstance(node.value, ast.Subscript) and not isinstance(node.value.slice, ast.Slice):
        inner = node.value
        finder.replace_node(
            "index-swap", node, f"{finder.text(inner.value)}[{finder.text(part)}][{finder.text(inner.slice)}]"
        )


def _update(finder: BugFinder, node: ast.AugAssign) -> None:
    old, others = _COMPUTED.get(type(node.op), ("", ()))
    if old:
        new = finder.rng.choice((*(f"{other}=" for other in others), "="))
        finder.replace_operator("augment", (node.target, node.value), old=f"{old}=", new=new)


def _assignment(finder: BugFinder, node: ast.Assign) -> None:
    if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and not isinstance(node.value, ast.Constant):
        finder.replace_operator("unaugment", (node.targets[0], node.value), old="=", new="+=")
        if node.targets[0].id not in finder.text(node.value) and finder.rng.random() < 0.5:
            finder.replace_node("start", node.value, finder.rng.choice(_STARTS))
    elif isinstance(node.value, ast.Constant) and finder.names and finder.rng.random() < 0.3:
        finder.replace_node("start", node.value, finder.rng.choice(finder.names))


def _result(finder: BugFinder, node: ast.Return) -> None:
    if node.value is not None and finder.names:
        others = (*finder.names, *finder.names, "None", "True", "False", "0")
        finder.replace_node("result", node.value, finder.rng.choice(others))


def _sequence(finder: BugFinder, node: ast.Tuple | ast.List) -> None:
    texts = [finder.text(each) for each in node.elts]
    if 2 <= len(texts) <= 6:
        at = finder.rng.randrange(len(texts) - 1)
        start, end = finder.lines.span(node.elts[0])[0], finder.lines.span(node.elts[-1])[1]
        finder.replace_span(
            "item-swap", start, end, ", ".join([*texts[:at], texts[at + 1], texts[at], *texts[at + 2 :]])
        )


def _comprehension(finder: BugFinder, node: ast.comprehension) -> None:
    if node.ifs:
        start, end = finder.lines.span(node.iter)[1], finder.lines.span(node.ifs[-1])[1]
        finder.replace_span("filter-drop", start, end, "")
        finder.replace_node("negation", node.ifs[0], f"not ({finder.text(node.ifs[0])})")


_FINDERS: dict[type[ast.AST], Callable[[BugFinder, ast.AST], None]] = {
    ast.Compare: _comparison,  # type: ignore[dict-item]
    ast.BinOp: _arithmetic,  # type: ignore[dict-item]
    ast.BoolOp: _logic,  # type: ignore[dict-item]
    ast.UnaryOp: _unary,  # type: ignore[dict-item]
    ast.If: _condition,  # type: ignore[dict-item]
    ast.While: _condition,  # type: ignore[dict-item]
    ast.IfExp: _condition,  # type: ignore[dict-item]
    ast.Constant: _constant,  # type: ignore[dict-item]
    ast.Name: _name,  # type: ignore[dict-item]
    ast.Attribute: _attribute,  # type: ignore[dict-item]
    ast.Call: _call,  # type: ignore[dict-item]
    ast.Subscript: _subscript,  # type: ignore[dict-item]
    ast.AugAssign: _update,  # type: ignore[dict-item]
    ast.Assign: _assignment,  # type: ignore[dict-item]
    ast.Return: _result,  # type: ignore[dict-item]
    ast.Tuple: _sequence,  # type: ignore[dict-item]
    ast.List: _sequence,  # type: ignore[dict-item]
    ast.comprehension: _comprehension,  # type: ignore[dict-item]
}
_FURTHER_FINDERS: dict[type[ast.AST], list[Find]] = {
    node_type: [find for finders in _FURTHER for find in finders.get(node_type, ())]
    for node_type in {each for finders in _FURTHER for each in finders}
}
