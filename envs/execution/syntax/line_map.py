"""Where each line of a program stands: its statement, block and enclosing parts; pure syntax, nothing is run.

Lines and statements are one to one in decomposed programs. Two kinds of line do nothing and always go on to their body,
so they are no steps: `while True:` and `try:` (*silent* lines).
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal

from envs.execution.state.value_grammar import BadProgram
from envs.execution.syntax.program_structure import Function, first_line, is_silent, steps_below, tree_of

Node = ast.stmt | ast.ExceptHandler
Part = Literal["body", "orelse", "finalbody", "handlers"]
Key = tuple[str, int]
"""A function by its name and the line of its `def`."""


def parsed(source: str) -> ast.Module:
    """The syntax tree, or BadProgram naming the line; it is cached, so callers must not change it."""
    try:
        return tree_of(source)
    except SyntaxError as error:
        raise BadProgram(f"line {error.lineno}: {error.msg}. Give source that Python itself accepts.") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise BadProgram(f"the source cannot be parsed: {error}.") from None


@dataclass(frozen=True, slots=True)
class LinePlace:
    """One statement and where it stands."""

    node: Node
    function: Key
    parent: Node | Function
    part: Part
    after: Node | None
    """The next statement of the same block."""


@dataclass(slots=True)
class LineMap:
    """All places of a program's functions by line."""

    tree: ast.Module
    """The whole program; callers must not change it."""
    places: dict[int, LinePlace] = field(default_factory=dict)
    functions: dict[Key, Function] = field(default_factory=dict)
    declared: dict[Key, frozenset[str]] = field(default_factory=dict)
    """Answers of `declared_global`, found once."""

    @classmethod
    def of(cls, source: str) -> "LineMap":
        layout = cls(parsed(source))
        for node in steps_below(layout.tree):
            if isinstance(node, Function):
                key = (node.name, first_line(node))
                layout.functions[key] = node
                layout._block(node.body, node, "body", key)
        return layout

    def _block(self, nodes: list[ast.stmt], parent: Node | Function, part: Part, key: Key) -> None:
        for node, after in zip_longest(nodes, nodes[1:]):
            self._place(LinePlace(node, key, parent, part, after=after))

    def _place(self, place: LinePlace) -> None:
        node, key = place.node, place.function
        self.places.setdefault(node.lineno, place)
        if isinstance(node, Function | ast.ClassDef):
            return
        if not hasattr(node, "body"):
            return
        for part in ("body", "orelse", "finalbody"):
            self._block(getattr(node, part, []), node, part, key)
        handlers = getattr(node, "handlers", [])
        for handler, after in zip_longest(handlers, handlers[1:]):
            self._place(LinePlace(handler, key, node, "handlers", after=after))

    def enclosing(self, line: int) -> Iterator[tuple[Node, Part]]:
        """The statements around a line and the part of each that holds it, innermost first."""
        place = self.places.get(line)
        while place is not None and not isinstance(place.parent, Function):
            yield place.parent, place.part
            place = self.places.get(place.parent.lineno)

    def declared_global(self, key: Key) -> frozenset[str]:
        """Names that a function, or one nested in it, declares `global`."""
        if key not in self.declared:
            steps = steps_below(self.functions[key])
            self.declared[key] = frozenset(
                name for node in steps if isinstance(node, ast.Global) for name in node.names
            )
        return self.declared[key]

    def silent(self) -> frozenset[int]:
        return frozenset(line for line, place in self.places.items() if is_silent(place.node))

    def waiting_places(self, line: int) -> list[int]:
        """Lines of the `try` statements at which something may wait while `line` is about to run, innermost first.

        That is the case in a `finally` body and on an `except` line itself.
        """
        place = self.places.get(line)
        lines = [place.parent.lineno] if place and isinstance(place.node, ast.ExceptHandler) else []
        return lines + [node.lineno for node, part in self.enclosing(line) if part == "finalbody"]
