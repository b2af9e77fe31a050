"""Bugs of the places of statements: in the wrong block, far from their place, a forgotten exit or update.

Also of words that decide how a block is run or left: `elif` for `if`, `yield` for `return`.
"""

import ast
from collections.abc import Iterator, Sequence
from random import Random

from cwm_agent.training.policy.bug_text import Bug, Lines, indented

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_OWNERS = (ast.For, ast.While, ast.If, ast.With)
_EXITS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_UPDATES = frozenset("append add extend insert update pop remove popleft appendleft discard".split())
STEP = 4
"""Columns of one indentation level."""
LONGEST = 12
"""Lines over which a statement is moved."""


def placement_bugs(function: ast.FunctionDef, nodes: Sequence[ast.AST], lines: Lines, rng: Random) -> Iterator[Bug]:
    """Bugs of the places of statements in a function."""
    copied = [lines.text(node) for node in nodes if isinstance(node, _SIMPLE) and not _is_docstring(node)]
    copied = [text for text in copied if "\n" not in text]
    looping = _in_loops(nodes)
    for node in nodes:
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield from _of_block(node, block, lines, rng, looping)
        if isinstance(node, ast.If):
            yield from _branches(node, copied, lines, rng)
    yield from _words(nodes, lines, rng)
    yield from _last_return(function, lines)
    yield from _mutable_default(function, lines)


def _of_block(owner: ast.AST, block: list[ast.stmt], lines: Lines, rng: Random, looping: set[ast.AST]) -> Iterator[Bug]:
    spans = [lines.whole(each) for each in block]
    if not all(map(lines.is_alone, block)):
        return
    for at, each in enumerate(block):
        margin = lines.span(each)[0] - spans[at][0]
        if isinstance(each, _SIMPLE) and not _is_docstring(each):
            yield from _moved_inside(spans[at], block[at + 1 : at + 2], lines)
        yield from _forgotten(each, spans[at], margin, lines, looping, alone=len(block) == 1)
        if isinstance(each, ast.Assign) and isinstance(owner, ast.For | ast.While | ast.If):
            yield from _reset(each, lines, rng)
        if at and isinstance(each, ast.If) and isinstance(before := block[at - 1], ast.If) and not before.orelse:
            start = lines.span(each)[0]
            yield Bug("elif-word", start, start + len("if"), "elif")
    if isinstance(owner, _OWNERS) and len(block) > 1 and block is owner.body and isinstance(block[0], _SIMPLE):
        yield from _moved_before(owner, spans[0], lines)
    if len(block) > 3:
        yield from _moved_far(block, spans, lines, rng)


def _moved_inside(span: tuple[int, int], behind: list[ast.stmt], lines: Lines) -> Iterator[Bug]:
    """A statement at the beginning of the block behind it."""
    for owner in behind:
        if not isinstance(owner, _OWNERS):
            continue
        first, start = owner.body[0], lines.whole(owner.body[0])[0]
        if lines.is_alone(first) and start > lines.whole(owner)[0]:
            margin = lines.span(first)[0] - start
            text = lines.source[span[1] : start] + indented(lines.source[slice(*span)], margin)
            yield Bug("moved-inside", span[0], start, text)


def _moved_before(owner: ast.stmt, span: tuple[int, int], lines: Lines) -> Iterator[Bug]:
    """The first statement of a block in front of the block."""
    start = lines.whole(owner)[0]
    if lines.is_alone(owner) and start < span[0] and not lines.source.startswith("elif", lines.span(owner)[0]):
        margin = lines.span(owner)[0] - start
        text = indented(lines.source[slice(*span)], margin) + lines.source[start : span[0]]
        yield Bug("moved-before", start, span[1], text)


def _moved_far(block: list[ast.stmt], spans: list[tuple[int, int]], lines: Lines, rng: Random) -> Iterator[Bug]:
    """A statement two places or more from its own."""
    first = rng.randrange(len(block) - 2)
    last = rng.randrange(first + 2, min(len(block), first + 5))
    start, end, source = spans[first][0], spans[last][1], lines.source
    if _is_docstring(block[first]) or source[start:end].count("\n") > LONGEST:
        return
    if rng.random() < 0.5 and not isinstance(block[last], _EXITS):
        yield Bug("moved-far", start, end, source[slice(*spans[last])] + source[start : spans[last][0]])
    elif not isinstance(block[last], _EXITS):
        yield Bug("moved-far", start, end, source[spans[first][1] : end] + source[slice(*spans[first])])


def _forgotten(
    statement: ast.stmt, span: tuple[int, int], margin: int, lines: Lines, looping: set[ast.AST], *, alone: bool
) -> Iterator[Bug]:
    """A missing early exit, update in a loop, or call of the base class."""
    match statement:
        case ast.If(body=[*_, last], orelse=[]) if isinstance(last, _EXITS) and len(statement.body) < 3:
            kind = "forgotten-exit"
        case ast.Assign() | ast.AugAssign() if statement in looping:
            kind = "forgotten-update"
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method))) if statement in looping and method in _UPDATES:
            kind = "forgotten-update"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"))))):
            kind = "forgotten-base-call"
        case _:
            return
    branch = lines.source.startswith("elif", lines.span(statement)[0])
    yield Bug(kind, *span, f"{' ' * margin}pass\n" if alone and not branch else "")


def _reset(statement: ast.Assign, lines: Lines, rng: Random) -> Iterator[Bug]:
    """`x -= 1` in place of `x = 0`."""
    match statement:
        case ast.Assign(targets=[target], value=ast.Constant(value=int() as value)) if not isinstance(value, bool):
            yield Bug("reset", *lines.span(statement), f"{lines.text(target)} {rng.choice('+-')}= {value or 1}")


def _branches(node: ast.If, copied: Sequence[str], lines: Lines, rng: Random) -> Iterator[Bug]:
    """A superfluous `else`, and `if` in place of `elif`."""
    start, column = lines.span(node)[0], node.col_offset
    if not node.orelse and copied and lines.is_alone(node) and lines.is_alone(node.body[-1]) and rng.random() < 0.4:
        end = lines.whole(node.body[-1])[1]
        text = f"{' ' * column}else:\n{' ' * (column + STEP)}{rng.choice(copied)}\n"
        yield Bug("branch-add", end, end, text)
    if lines.source.startswith("elif", start):
        yield Bug("elif-word", start, start + len("elif"), "if")


def _words(nodes: Sequence[ast.AST], lines: Lines, rng: Random) -> Iterator[Bug]:
    """`yield` for `return` or `yield from`, and a value that is computed and not returned."""
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
                word = rng.choice(("yield from ", "return "))
            case ast.Expr(value=ast.YieldFrom(value=value)):
                word = "yield "
            case ast.Return(value=ast.Call() as value):
                yield Bug("return-word", lines.span(node)[0], lines.span(value)[0], "")
                continue
            case _:
                continue
        yield Bug("yield-word", lines.span(node)[0], lines.span(value)[0], word)


def _last_return(function: ast.FunctionDef, lines: Lines) -> Iterator[Bug]:
    """A missing `return` at the end."""
    last = function.body[-1]
    if isinstance(last, ast.Return) and len(function.body) > 1 and lines.is_alone(last):
        yield Bug("forgotten-return", *lines.whole(last), "")


def _mutable_default(function: ast.FunctionDef, lines: Lines) -> Iterator[Bug]:
    """A default value that all calls share, in place of None and a new value in the body."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    defaults = zip(arguments[len(arguments) - len(function.args.defaults) :], function.args.defaults, strict=True)
    unset = {argument.arg: default for argument, default in defaults if lines.text(default) == "None"}
    for statement in function.body:
        match statement:
            case ast.If(
                test=ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]),
                body=[ast.Assign(targets=[ast.Name(id=target)], value=value)],
                orelse=[],
            ) if name == target and name in unset and _is_new(value):
                start, end = lines.span(unset[name])
                first, last = lines.whole(statement)
                yield Bug("mutable-default", start, last, lines.text(value) + lines.source[end:first])


def _is_new(value: ast.expr) -> bool:
    return isinstance(value, ast.List | ast.Dict | ast.Set) or (isinstance(value, ast.Call) and not value.args)


def _in_loops(nodes: Sequence[ast.AST]) -> set[ast.AST]:
    """Statements in the body of a loop, or one block deeper."""
    found: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.For | ast.While):
            found.update(node.body)
            found.update(each for inner in node.body if isinstance(inner, ast.If) for each in inner.body)
    return found


def _is_docstring(statement: ast.AST) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
