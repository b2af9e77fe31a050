"""Where each line of a program stands: its function, its statement, the loops and `try` parts around it.

Lexical facts only, for readers that walk a program line by line (graphs, the step machine); knows no values.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Step = ast.stmt | ast.ExceptHandler | ast.match_case
"""What a line event can stand for."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
PartName = Literal["loop", "try", "handler", "else", "finally", "with"]


@dataclass(frozen=True, slots=True)
class Part:
    """One block around a line that decides where a jump out of it goes."""

    line: int
    """Header of the statement the block belongs to: `for`, `while`, `with` or `try`."""
    name: PartName
    """`loop` and `with` are bodies of those; the others are parts of a `try`."""
    index: int = 0
    """Which handler, counted from 0."""


@dataclass(frozen=True, slots=True)
class Place:
    """All that the text says about one line."""

    line: int
    function: str
    """As in `code.co_qualname`."""
    step: Step
    parts: tuple[Part, ...]
    """Blocks around it, from outer to inner."""
    blocks: tuple[tuple[str, int], ...]
    """First line of each block below it: body, orelse, finalbody, handlers (the `except` lines), cases."""
    follows: int | None
    """The line that runs next when nothing jumps (at a loop's end: its header); None where the function returns."""

    @property
    def loops(self) -> tuple[int, ...]:
        """Headers of the loops around the line, from outer to inner."""
        return tuple(part.line for part in self.parts if part.name == "loop")

    @property
    def tries(self) -> tuple[Part, ...]:
        """Parts of `try` statements around the line, from outer to inner."""
        return tuple(part for part in self.parts if part.name not in ("loop", "with"))


def places(source: str) -> Mapping[int, Place]:
    """The place of every line inside a function that can be about to run."""
    found: dict[int, Place] = {}
    for name, node in functions_of(ast.parse(source)):
        for place in _suite(body_of(node), name, (), None):
            found.setdefault(place.line, place)
    return found


def functions_of(tree: ast.AST) -> Iterator[tuple[str, Function]]:
    """Every function with its qualified name, in order of appearance."""
    waiting: list[tuple[str, ast.AST]] = [("", node) for node in reversed(list(inner_steps(tree)))]
    while waiting:  # a loop, since chains of `elif` nest as deeply as they are long
        prefix, node = waiting.pop()
        if isinstance(node, Function):
            yield f"{prefix}{node.name}", node
            prefix = f"{prefix}{node.name}.<locals>."
        elif isinstance(node, ast.ClassDef):
            prefix = f"{prefix}{node.name}."
        waiting.extend((prefix, inner) for inner in reversed(list(inner_steps(node))))


def inner_steps(node: ast.AST) -> Iterator[Step]:
    """What stands directly in the blocks of a module or statement, in order."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        yield from getattr(node, name, ())


def steps_of(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements of a block that can be about to run."""
    return [s for s in body if not is_quiet(s)]


def body_of(node: Function) -> list[ast.stmt]:
    """The statements of a function that can be about to run; its docstring cannot."""
    return steps_of(node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body)


def is_quiet(node: ast.stmt) -> bool:
    """A statement that Python compiles to nothing."""
    match node:
        case ast.Global() | ast.Nonlocal():
            return True
        case ast.AnnAssign(value=None, simple=1):
            return True
        case _:
            return False


def is_endless(node: ast.While) -> bool:
    """Whether the loop's test is a constant that is always true."""
    return isinstance(node.test, ast.Constant) and bool(node.test.value)


def header_lines(node: Step) -> list[int]:
    """Lines on which a statement's own code stands, without the blocks below it; its first line comes first."""
    first = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
    parts = own_parts(node)
    if all(part.end_lineno == first for part in parts if isinstance(part, ast.expr | ast.stmt | ast.pattern)):
        return [first]
    lines = {n.lineno for part in parts for n in ast.walk(part) if hasattr(n, "lineno")}
    return [first, *sorted(lines - {first})]


def own_parts(node: Step) -> list[ast.AST]:
    """The expressions that a statement's own line evaluates; a simple statement is its own part."""
    match node:
        case ast.If() | ast.While():
            return [node.test]
        case ast.For() | ast.AsyncFor():
            return [node.iter, node.target]
        case ast.With() | ast.AsyncWith():
            return [part for item in node.items for part in (item.context_expr, item.optional_vars) if part]
        case ast.Try() | ast.TryStar():
            return []
        case ast.ExceptHandler():
            return [node.type] if node.type else []
        case ast.Match():
            return [node.subject]
        case ast.match_case():
            return [part for part in (node.pattern, node.guard) if part]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
            return [*node.decorator_list, *defaults, *([node.returns] if node.returns else [])]
        case ast.ClassDef():
            return [*node.decorator_list, *node.bases, *node.keywords]
        case _:
            return [node]


def _suite(body: Sequence[ast.stmt], function: str, parts: tuple[Part, ...], after: int | None) -> Iterator[Place]:
    steps = steps_of(body)
    for index, node in enumerate(steps):
        follows = steps[index + 1].lineno if index + 1 < len(steps) else after
        yield Place(node.lineno, function, node, parts, _blocks(node), follows)
        yield from _inside(node, function, parts, follows)


def _blocks(node: ast.stmt) -> tuple[tuple[str, int], ...]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return ()
    found = []
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        block = getattr(node, name, [])
        steps = steps_of(block) if name in ("body", "orelse", "finalbody") else block
        if steps:
            first = steps[0]
            found.append((name, first.pattern.lineno if isinstance(first, ast.match_case) else first.lineno))
    return tuple(found)


def _inside(node: ast.stmt, function: str, parts: tuple[Part, ...], after: int | None) -> Iterator[Place]:
    line = node.lineno
    match node:
        case ast.For() | ast.AsyncFor() | ast.While():
            yield from _suite(node.body, function, (*parts, Part(line, "loop")), line)
            yield from _suite(node.orelse, function, parts, after)
        case ast.With() | ast.AsyncWith():
            yield from _suite(node.body, function, (*parts, Part(line, "with")), line)
        case ast.If():
            yield from _suite(node.body, function, parts, after)
            yield from _suite(node.orelse, function, parts, after)
        case ast.Match():
            for case in node.cases:
                yield Place(case.pattern.lineno, function, case, parts, _case_blocks(case), after)
                yield from _suite(case.body, function, parts, after)
        case ast.Try() | ast.TryStar():
            yield from _try(node, function, parts, after)


def _case_blocks(case: ast.match_case) -> tuple[tuple[str, int], ...]:
    steps = steps_of(case.body)
    return (("body", steps[0].lineno),) if steps else ()


def _try(node: ast.Try | ast.TryStar, function: str, parts: tuple[Part, ...], after: int | None) -> Iterator[Place]:
    line, final = node.lineno, steps_of(node.finalbody)
    end = final[0].lineno if final else after
    tail = steps_of(node.orelse)
    yield from _suite(node.body, function, (*parts, Part(line, "try")), tail[0].lineno if tail else end)
    yield from _suite(node.orelse, function, (*parts, Part(line, "else")), end)
    for index, handler in enumerate(node.handlers):
        inside = (*parts, Part(line, "handler", index))
        blocks = (("body", steps_of(handler.body)[0].lineno),) if steps_of(handler.body) else ()
        yield Place(handler.lineno, function, handler, parts, blocks, end)
        yield from _suite(handler.body, function, inside, end)
    yield from _suite(node.finalbody, function, (*parts, Part(line, "finally")), after)
