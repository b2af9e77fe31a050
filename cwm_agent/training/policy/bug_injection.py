"""Bugs as people make them, put into a program that is right: what the policy learns to take back.

A bug is a span of text and what stands there instead. Classes are drawn first and places second, so that rare kinds are
not drowned by names and constants. Knows no model; that the result parses is checked by who applies it.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from random import Random

from cwm_agent.training.policy.bug_text import Bug, Lines
from cwm_agent.training.policy.excess_bugs import excess_bugs
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
"""First values that are taken where another is right."""
_WRAPPERS = tuple("abs int len list sorted set str sum max min reversed round tuple bool".split())


@dataclass(slots=True)
class _Page:
    """One program, as bugs are looked for in it."""

    lines: Lines
    rng: Random
    names: tuple[str, ...]
    """Variables of the function that is looked at."""
    texts: tuple[str, ...]
    """String constants of the program."""
    attributes: tuple[str, ...]
    found: dict[str, list[Bug]] = field(default_factory=dict)

    def note(self, kind: str, node: ast.AST, text: str) -> None:
        start, end = self.lines.span(node)
        self.at(kind, start, end, text)

    def at(self, kind: str, start: int, end: int, text: str) -> None:
        if self.lines.source[start:end] != text:
            self.found.setdefault(kind, []).append(Bug(kind, start, end, text))

    def text(self, node: ast.AST) -> str:
        return self.lines.text(node)

    def between(self, kind: str, left: ast.AST, right: ast.AST, old: str, new: str) -> None:
        """Another operator between two expressions."""
        start, end = self.lines.span(left)[1], self.lines.span(right)[0]
        at = self.lines.source.find(old, start, end)
        if at >= 0:
            self.at(kind, at, at + len(old), new)


def bugs_of(source: str, rng: Random) -> dict[str, list[Bug]]:
    """Bugs that can be put into a program, by class; which of several at one place is drawn."""
    tree, lines = ast.parse(source), Lines(source)
    texts = tuple(sorted(set(_short_texts(tree))))
    found: dict[str, list[Bug]] = {}
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        nodes = list(ast.walk(function))
        names = tuple(sorted(_variables(nodes)))
        attributes = tuple(sorted({node.attr for node in nodes if isinstance(node, ast.Attribute)}))
        page = _Page(lines, rng, names, texts, attributes, found)
        inside = _in_texts(nodes)
        for node in nodes:
            if node not in inside and (look := _LOOKS.get(type(node))) is not None:
                look(page, node)
        for bug in (*statement_bugs(function, lines, rng), *excess_bugs(function, names, lines, rng)):
            found.setdefault(bug.kind, []).append(bug)
    return found


def _short_texts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 20:
            yield repr(node.value)


def _variables(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _in_texts(nodes: Sequence[ast.AST]) -> set[ast.AST]:
    """Parts of f-strings, whose places Python does not tell, and of annotations and decorators."""
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
            found.update(() if part is None else ast.walk(part))
    return found


def _comparison(page: _Page, node: ast.Compare) -> None:
    left: ast.expr = node.left
    for op, right in zip(node.ops, node.comparators, strict=True):
        old, others = _COMPARED[type(op)]
        page.between("comparison", left, right, old, page.rng.choice(others))
        left = right
    if len(node.ops) == 1:
        page.note("operand-swap", node, f"{page.text(right)} {old} {page.text(node.left)}")
        _one_off(page, right)
        _one_off(page, node.left)
    else:
        start, end = page.lines.span(node)
        first, last = page.lines.span(node.comparators[0])[0], page.lines.span(node.comparators[-2])[1]
        page.at("condition-drop", *page.rng.choice(((start, first), (last, end))), "")


def _arithmetic(page: _Page, node: ast.BinOp) -> None:
    old, others = _COMPUTED.get(type(node.op), ("", ()))
    if not old:
        return
    page.between("arithmetic", node.left, node.right, old, page.rng.choice(others))
    left, right = page.text(node.left), page.text(node.right)
    if isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod | ast.Add):
        page.note("operand-swap", node, f"{right} {old} {left}")
    page.note("operand-drop", node, left if page.rng.random() < 0.7 else right)


def _one_off(page: _Page, node: ast.expr) -> None:
    """One more or less than a number: a bound, an index."""
    if isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript):
        page.note("one-off", node, f"{page.text(node)} {page.rng.choice('+-')} 1")
    elif isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value == 1:
        page.note("one-off", node, page.text(node.left))


def _logic(page: _Page, node: ast.BoolOp) -> None:
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        page.between("connective", left, right, old, new)
    kept = page.rng.randrange(len(node.values))
    rest = [page.text(each) for at, each in enumerate(node.values) if at != kept]
    page.note("condition-drop", node, f" {old} ".join(rest))


def _unary(page: _Page, node: ast.UnaryOp) -> None:
    page.note("negation" if isinstance(node.op, ast.Not) else "sign", node, page.text(node.operand))


def _condition(page: _Page, node: ast.If | ast.While | ast.IfExp) -> None:
    text = page.text(node.test)
    page.note("negation", node.test, f"not {text}" if isinstance(node.test, ast.Name | ast.Call) else f"not ({text})")
    if isinstance(node, ast.IfExp):
        body, other = page.text(node.body), page.text(node.orelse)
        page.note("choice", node, page.rng.choice((body, other, f"{other} if {text} else {body}")))


def _constant(page: _Page, node: ast.Constant) -> None:
    value, rng = node.value, page.rng
    if isinstance(value, bool):
        page.note("truth", node, str(not value))
    elif isinstance(value, int):
        near = rng.choice((value + 1, value - 1, value + 1, value - 1, 0, 1, -1, 2, value * 10, value // 10, -value))
        page.note("number", node, str(near))
        if page.names and rng.random() < 0.2:
            page.note("variable", node, rng.choice(page.names))
    elif isinstance(value, float) and isfinite(value):
        page.note("number", node, str(rng.choice((value + 1, value / 10, value * 2, 1.0, 0.0, int(value)))))
    elif isinstance(value, str) and page.lines.source[page.lines.span(node)[0]] in "'\"":
        page.note("text", node, rng.choice((*page.texts, "''", "' '", repr(value[:-1]), repr(value + " "))))
    elif value is None:
        page.note("truth", node, rng.choice(("0", "False", "[]", "''", "-1")))


def _name(page: _Page, node: ast.Name) -> None:
    if node.id in page.names and len(page.names) > 1:
        page.note("variable" if isinstance(node.ctx, ast.Load) else "target", node, page.rng.choice(page.names))
        if isinstance(node.ctx, ast.Load) and page.rng.random() < 0.05:
            page.note("wrapped", node, f"{page.rng.choice(_WRAPPERS)}({node.id})")
    elif (alike := _alike(node.id)) and isinstance(node.ctx, ast.Load):
        page.note("call-name", node, page.rng.choice(alike))


def _alike(name: str) -> list[str]:
    return [each for group in _ALIKE if name in group for each in group if each != name]


def _attribute(page: _Page, node: ast.Attribute) -> None:
    others = _alike(node.attr) or ([each for each in page.attributes if each != node.attr])
    if others:
        end = page.lines.span(node)[1]
        page.at("attribute", end - len(node.attr), end, page.rng.choice(others))


def _call(page: _Page, node: ast.Call) -> None:
    given, rng = [*node.args, *node.keywords], page.rng
    texts = [page.text(each) for each in given]
    if len(texts) > 1:
        start, end = page.lines.span(given[0])[0], page.lines.span(given[-1])[1]
        at = rng.randrange(len(texts) - 1)
        if at + 1 < len(node.args):
            swapped = [*texts[:at], texts[at + 1], texts[at], *texts[at + 2 :]]
            page.at("argument-swap", start, end, ", ".join(swapped))
        gone = rng.randrange(len(texts))
        page.at("argument-drop", start, end, ", ".join(text for at, text in enumerate(texts) if at != gone))
    for each in node.args:
        _one_off(page, each)
    if len(node.args) == 1 and isinstance(node.func, ast.Name):
        page.note("unwrapped", node, texts[0])
    if isinstance(node.func, ast.Attribute):
        page.note("unwrapped", node, page.text(node.func.value))
    if isinstance(node.func, ast.Name) and node.func.id == "range":
        page.note("range", node, f"range({', '.join(rng.choice(_ranges(texts)))})")


def _ranges(texts: list[str]) -> list[list[str]]:
    """Other bounds for a range: a first or last value forgotten or one off."""
    if len(texts) == 1:
        return [["1", *texts], [f"{texts[0]} - 1"], [f"{texts[0]} + 1"]]
    return [[texts[1]], ["0", *texts[1:]], ["1", *texts[1:]], [texts[0], f"{texts[1]} + 1", *texts[2:]],
            [texts[0], f"{texts[1]} - 1", *texts[2:]], texts[:2]]  # fmt: skip


def _subscript(page: _Page, node: ast.Subscript) -> None:
    part, whole = node.slice, page.text(node.value)
    if isinstance(part, ast.Slice):
        lower = page.text(part.lower) if part.lower else ""
        upper = page.text(part.upper) if part.upper else ""
        step = f":{page.text(part.step)}" if part.step else ""
        others = [f"{lower}:", f":{upper}", f"{lower} + 1:{upper}" if lower else f"1:{upper}", f"{lower}:{upper or -1}"]
        others += [f"{lower}:{upper} + 1", f"{lower}:{upper} - 1"] if upper else []
        page.note("slice", node, f"{whole}[{page.rng.choice(others)}{page.rng.choice((step, step, ''))}]")
        return
    if isinstance(node.ctx, ast.Load):
        page.note("item-drop", node, whole)
        page.note("index", part, page.rng.choice(("0", "-1", "1")))
    _one_off(page, part)
    if isinstance(node.value, ast.Subscript) and not isinstance(node.value.slice, ast.Slice):
        inner = node.value
        page.note("index-swap", node, f"{page.text(inner.value)}[{page.text(part)}][{page.text(inner.slice)}]")


def _update(page: _Page, node: ast.AugAssign) -> None:
    old, others = _COMPUTED.get(type(node.op), ("", ()))
    if old:
        page.between("augment", node.target, node.value, f"{old}=", page.rng.choice((*(f"{o}=" for o in others), "=")))


def _assignment(page: _Page, node: ast.Assign) -> None:
    if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and not isinstance(node.value, ast.Constant):
        page.between("unaugment", node.targets[0], node.value, "=", "+=")
        if node.targets[0].id not in page.text(node.value) and page.rng.random() < 0.5:
            page.note("start", node.value, page.rng.choice(_STARTS))
    elif isinstance(node.value, ast.Constant) and page.names and page.rng.random() < 0.3:
        page.note("start", node.value, page.rng.choice(page.names))


def _result(page: _Page, node: ast.Return) -> None:
    if node.value is not None and page.names:
        others = (*page.names, *page.names, "None", "True", "False", "0")
        page.note("result", node.value, page.rng.choice(others))


def _sequence(page: _Page, node: ast.Tuple | ast.List) -> None:
    texts = [page.text(each) for each in node.elts]
    if 2 <= len(texts) <= 6:
        at = page.rng.randrange(len(texts) - 1)
        start, end = page.lines.span(node.elts[0])[0], page.lines.span(node.elts[-1])[1]
        page.at("item-swap", start, end, ", ".join([*texts[:at], texts[at + 1], texts[at], *texts[at + 2 :]]))


def _comprehension(page: _Page, node: ast.comprehension) -> None:
    if node.ifs:
        start, end = page.lines.span(node.iter)[1], page.lines.span(node.ifs[-1])[1]
        page.at("filter-drop", start, end, "")
        page.note("negation", node.ifs[0], f"not ({page.text(node.ifs[0])})")


_LOOKS: dict[type[ast.AST], Callable[[_Page, ast.AST], None]] = {
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
