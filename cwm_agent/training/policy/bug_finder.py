"""Collects the possible bugs of one function, and holds what the finders of bugs know about it; injects nothing."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from cwm_agent.training.policy.bug_text import Bug, Lines


@dataclass(slots=True)
class BugFinder:
    """The possible bugs of one function, by kind, with the texts that a bug may copy."""

    lines: Lines
    rng: Random
    names: tuple[str, ...]
    """Variables of the current function."""
    texts: tuple[str, ...]
    """String constants of the program."""
    attributes: tuple[str, ...]
    found: dict[str, list[Bug]] = field(default_factory=dict)

    def replace_node(self, kind: str, node: ast.AST, text: str) -> None:
        """A bug that replaces the text of a node."""
        start, end = self.lines.span(node)
        self.replace_span(kind, start, end, text)

    def replace_span(self, kind: str, start: int, end: int, text: str) -> None:
        """A bug that replaces a part of the program; none if the text is the same."""
        if self.lines.source[start:end] != text:
            self.found.setdefault(kind, []).append(Bug(kind, start, end, text))

    def text(self, node: ast.AST) -> str:
        """The text of a node."""
        return self.lines.text(node)

    def replace_operator(self, kind: str, sides: tuple[ast.AST, ast.AST], *, old: str, new: str) -> None:
        """Replace the operator between two expressions."""
        start, end = self.lines.span(sides[0])[1], self.lines.span(sides[1])[0]
        at = self.lines.source.find(old, start, end)
        if at >= 0:
            self.replace_span(kind, at, at + len(old), new)

    def is_owner(self, node: ast.AST) -> bool:
        """Whether an attribute, an item or a result of a node is taken, so that no number can stand there."""
        end = self.lines.span(node)[1]
        return self.lines.source[end : end + 1] in (".", "[", "(")

    def happens(self, share: float) -> bool:
        """Whether a place is taken, for bugs that have more places than others."""
        return self.rng.random() < share

    def other(self, texts: Sequence[str], text: str) -> str | None:
        """One of some texts that is not the given one; None if there is no other."""
        others = [each for each in texts if each != text]
        return self.rng.choice(others) if others else None


Find = Callable[[BugFinder, ast.AST], None]
Finders = Mapping[type[ast.AST], Sequence[Find]]
"""The functions that look for bugs at a node, by its type."""
