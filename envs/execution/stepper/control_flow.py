"""Where control goes from a line, by syntax alone: blocks, loops, `try` parts and what waits behind a `finally`.

Every answer is a `Jump`. The stepper and imagined rollouts both use it: given the truth of a test, the next line of a
decomposed program follows by rule. Silent lines are passed over. Knows no values.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from envs.execution.syntax.line_map import Key, LineMap, LinePlace, Node
from envs.execution.syntax.program_structure import Function, is_silent, is_while_true
from envs.execution.text.value_writers import Waiting

_Waits = Mapping[int, Waiting]


@dataclass(frozen=True, slots=True)
class Jump:
    """Where to go: a line, or out of the function (`line` None); what waits, and at which `try`."""

    line: int | None
    wait: Waiting | None = None
    at: int | None = None
    """The line of the `try` where `wait` waits."""
    kept: tuple[int, ...] = ()
    """Lines of `try` statements around the new line at which something may go on waiting."""


class ControlFlow:
    """Answers for one program; holds only its layout, and answers that depend on nothing else."""

    def __init__(self, layout: LineMap) -> None:
        self._layout = layout
        self._known: dict[tuple[int, bool | None], Jump] = {}
        """Where control goes from a line, and from a test with that result, while nothing waits at a `try`."""
        self._left: dict[tuple[int, int | None], list[str]] = {}

    def first(self, key: Key) -> Jump:
        """Into the body of a function, past its docstring."""
        body = self._layout.functions[key].body
        for node in body:
            if not _emits_nothing(node, node is body[0]):
                return self._to(_entry(node))
        return Jump(None, Waiting("return"))

    def to(self, line: int) -> Jump:
        """To a line that the caller names and knows to be possible."""
        return self._to(line)

    def after(self, line: int, waits: _Waits) -> Jump:
        """On from a statement that is done."""
        if waits:
            return self._follow(self._layout.places[line], waits)
        if (line, None) not in self._known:
            self._known[line, None] = self._follow(self._layout.places[line], {})
        return self._known[line, None]

    def branch(self, line: int, taken: bool, waits: _Waits) -> Jump:
        """From an `if`, `while` or `for` whose test said `taken`."""
        if waits:
            return self._branch(line, taken, waits)
        if (line, taken) not in self._known:
            self._known[line, taken] = self._branch(line, taken, {})
        return self._known[line, taken]

    def _branch(self, line: int, taken: bool, waits: _Waits) -> Jump:
        place = self._layout.places[line]
        block = place.node.body if taken else place.node.orelse  # type: ignore[union-attr]
        return self._to(_entry(block[0])) if block else self._follow(place, waits)

    def leave(self, line: int, wait: Waiting, waits: _Waits) -> Jump:
        """From a `return`, `break` or `continue`: through each `finally` on the way."""
        return self._out(self._layout.places[line], wait, waits)

    def raised(self, line: int, waits: _Waits, error: object) -> Jump:
        """From a line that raised: to the first handler or `finally` around it, or out."""
        return self._out(self._layout.places[line], Waiting("raise", error), waits)

    def matched(self, line: int, waits: _Waits) -> Jump:
        handler = self._layout.places[line].node
        return self._to(_entry(handler.body[0]))  # type: ignore[union-attr]

    def unmatched(self, line: int, waits: _Waits) -> Jump:
        """From a handler that did not match: to the next one, the `finally`, or further out, still waiting."""
        place = self._layout.places[line]
        at = place.parent.lineno
        if place.after is not None:
            return self._to(place.after.lineno, waits[at], at)
        return self._out(place, waits[at], waits)

    def names_left(self, line: int, target: int | None) -> list[str]:
        """Names that `except ... as name` unbinds when control goes from one line to another."""
        if (line, target) not in self._left:
            here = self._handlers(line)
            there = self._handlers(target) if target is not None else {}
            self._left[line, target] = [name for handler, name in here.items() if handler not in there and name]
        return self._left[line, target]

    def _handlers(self, line: int) -> dict[int, str | None]:
        around = self._layout.enclosing(line)
        return {node.lineno: node.name for node, _ in around if isinstance(node, ast.ExceptHandler)}

    def _to(self, line: int, wait: Waiting | None = None, at: int | None = None) -> Jump:
        return Jump(line, wait, at, tuple(self._layout.waiting_places(line)))

    def _follow(self, place: LinePlace, waits: _Waits) -> Jump:
        """The statement after this one, going outwards as blocks end."""
        node = place.after
        while node is not None and place.part != "handlers":
            if not _emits_nothing(node, first=False):
                return self._to(_entry(node))
            place = self._layout.places[node.lineno]
            node = place.after
        parent = place.parent
        if isinstance(parent, Function):
            return Jump(None, Waiting("return"))
        if isinstance(parent, ast.Try | ast.TryStar):
            return self._follow_try(parent, place, waits)
        outer = self._layout.places[parent.lineno]
        if isinstance(parent, ast.While | ast.For) and place.part == "body":
            return self._to(_loop_head(parent))
        if isinstance(parent, ast.ExceptHandler):
            return self._follow_try(_try_of(outer), outer, waits)
        return self._follow(outer, waits)

    def _follow_try(self, node: ast.Try | ast.TryStar, place: LinePlace, waits: _Waits) -> Jump:
        outer = self._layout.places[node.lineno]
        if place.part == "finalbody":
            waited = waits.get(node.lineno)
            return self._follow(outer, waits) if waited is None else self._out(outer, waited, waits)
        if place.part == "body" and node.orelse:
            return self._to(_entry(node.orelse[0]))
        if node.finalbody:
            return self._to(_entry(node.finalbody[0]))
        return self._follow(outer, waits)

    def _out(self, place: LinePlace, wait: Waiting, waits: _Waits) -> Jump:
        """Outwards with something that waits, until a `try` part, a loop or the function's end takes it."""
        while not isinstance(place.parent, Function):
            parent, part = place.parent, place.part
            if isinstance(parent, ast.Try | ast.TryStar):
                if wait.kind == "raise" and part == "body" and parent.handlers:
                    return self._to(parent.handlers[0].lineno, wait, parent.lineno)
                if part != "finalbody" and parent.finalbody:
                    return self._to(_entry(parent.finalbody[0]), wait, parent.lineno)
            outer = self._layout.places[parent.lineno]
            if isinstance(parent, ast.While | ast.For) and part == "body":
                if wait.kind == "break":
                    return self._follow(outer, waits)
                if wait.kind == "continue":
                    return self._to(_loop_head(parent))
            place = outer
        return Jump(None, wait)


def _try_of(place: LinePlace) -> ast.Try | ast.TryStar:
    assert isinstance(place.parent, ast.Try | ast.TryStar)
    return place.parent


def _loop_head(node: ast.While | ast.For) -> int:
    return _entry(node.body[0]) if is_while_true(node) else node.lineno


def _entry(node: Node) -> int:
    """The first line that is a step when control enters a statement."""
    while is_silent(node):
        node = node.body[0]  # type: ignore[union-attr]
    return node.lineno


def _emits_nothing(node: Node, first: bool) -> bool:
    """Statements that compile to nothing: declarations, bare annotations, the docstring."""
    if isinstance(node, ast.Global | ast.Nonlocal):
        return True
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return True
    return first and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
