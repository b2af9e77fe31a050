"""The function being rewritten: its lines, its names, and what is surely bound at this point.

This is the one mutable value that the rules share; it decides nothing about syntax.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from envs.execution.decompose.fresh_names import FreshNames
from envs.execution.decompose.line_writer import LineWriter
from envs.execution.syntax.certain_types import Kinds, kind_of
from envs.execution.syntax.name_scopes import FunctionScope, ProgramScopes
from envs.execution.syntax.program_structure import nodes_of


@dataclass(frozen=True, slots=True)
class Handler:
    """The `except` around the current line and the name under which it holds its exception."""

    name: str | None
    """None inside a `finally`, where it is not known what is being handled."""


@dataclass(slots=True)
class FunctionBody:
    """State of rewriting one function."""

    writer: LineWriter
    program: ProgramScopes
    scope: FunctionScope
    names: FreshNames
    bound: frozenset[str] | None
    """Own names surely bound here; None where control cannot come."""
    kinds: Kinds = field(default_factory=dict)
    """Own names of a certain builtin type."""
    made: Mapping[str, Sequence[ast.expr]] = field(default_factory=dict)
    """Own names that only assignments of calls bind, with these calls."""
    renames: dict[str, str] = field(default_factory=dict)
    """Comprehension variables around this point and the names that stand for them."""
    handlers: list[Handler] = field(default_factory=list)

    def name(self, identifier: str) -> str:
        """The name as it is written in the decomposed program."""
        return self.renames.get(identifier, identifier)

    def temporary(self) -> str:
        """A fresh temporary."""
        return self.names.fresh()

    def bind(self, names: Iterable[str]) -> None:
        """From here on these names are bound."""
        if self.bound is not None:
            self.bound = self.bound | frozenset(names)

    def surely_bound(self, name: str) -> bool:
        """Whether reading the name here cannot fail."""
        if name in self.names.given or name in self.renames.values():
            return True
        if name in self.scope.own:
            return (self.bound is None or name in self.bound) and name not in self.scope.fragile
        if name in self.scope.free and name not in self.scope.globals:
            return name in self.scope.known
        return name in self.program.settled or self.program.builtin(name)

    def volatile(self, name: str) -> bool:
        """Whether a call may rebind the name."""
        return name in self.program.volatile and name not in self.names.given

    def kind(self, node: ast.expr) -> type | None:
        """The builtin type of the expression's value here, where that is certain."""
        if self.renames and any(isinstance(n, ast.Name) and n.id in self.renames for n in nodes_of(node)):
            return None
        return kind_of(node, self.kinds, self.program)

    @contextmanager
    def branch(self) -> Iterator[None]:
        """What is bound meanwhile counts only inside."""
        before = self.bound
        yield
        self.bound = before

    def meet(self, *states: frozenset[str] | None) -> None:
        """Control comes here from several places; bound is what is bound in all of them."""
        reachable = [state for state in states if state is not None]
        self.bound = frozenset.intersection(*reachable) if reachable else None


def text(node: ast.AST) -> str:
    """The node in one line of source."""
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)
