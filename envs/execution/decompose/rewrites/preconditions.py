"""What must occur in a program for a rewriting to change it: one walk finds what occurs, and the others are skipped.

    @rewriting({ast.ClassDef}, {"__eq__"})        needs a class, and the word `__eq__`
    def with_compared_items(tree): ...

A precondition is a necessary one: it stands beside its rewriting, which still looks for itself. Most candidates of a
repair are plain functions, to which hardly any rewriting applies.
"""

import ast
from collections.abc import Callable, Set
from dataclasses import dataclass

from envs.execution.syntax.program_structure import nodes_of

Occurrence = type[ast.AST] | str
"""A kind of nodes; the name of a variable, attribute, keyword argument, import, function or class; or one of the two
below."""
DECORATED_CLASS = "@class"
DECORATED_FUNCTION = "@def"
_WORDS: dict[type[ast.AST], str] = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.keyword: "arg",
    ast.alias: "name",
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), "name"),
}
_DECORATED: dict[type[ast.AST], str] = {ast.ClassDef: DECORATED_CLASS, ast.FunctionDef: DECORATED_FUNCTION}


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A rewriting of whole programs, and what must occur in those that it changes."""

    rewrite: Callable[[ast.Module, str], ast.Module]
    """The rewritten program; it is given the program and the name of its entry."""
    needs: tuple[Set[Occurrence], ...]
    """Sets of each of which something must occur."""
    in_place: bool
    """Whether it may change the program and return the same tree."""

    def may_apply(self, occurring: Set[Occurrence]) -> bool:
        """Whether a program in which this occurs may be changed."""
        return not any(each.isdisjoint(occurring) for each in self.needs)


def rewriting(
    *needs: Set[Occurrence], in_place: bool = False
) -> Callable[[Callable[[ast.Module], ast.Module]], Rewriting]:
    """Make a rewriting of a function of programs."""

    def made(function: Callable[[ast.Module], ast.Module]) -> Rewriting:
        return Rewriting(lambda tree, _: function(tree), needs, in_place)

    return made


def rewriting_with_entry(
    *needs: Set[Occurrence], in_place: bool = False
) -> Callable[[Callable[[ast.Module, str], ast.Module]], Rewriting]:
    """The same, of a function that is given the name of the entry too."""
    return lambda function: Rewriting(function, needs, in_place)


def occurrences(tree: ast.Module) -> Set[Occurrence]:
    """All that occurs in a program; of what is imported also the outermost package."""
    nodes = nodes_of(tree)
    found: set[Occurrence] = set(map(type, nodes))
    for node in nodes:
        kind = type(node)
        if kind in _WORDS:
            found.add(getattr(node, _WORDS[kind]))
        if kind in _DECORATED and node.decorator_list:  # type: ignore[attr-defined]
            found.add(_DECORATED[kind])
        elif kind is ast.alias:
            found.add(node.name.partition(".")[0])  # type: ignore[attr-defined]
        elif kind is ast.ImportFrom:
            found.add((node.module or "").partition(".")[0])  # type: ignore[attr-defined]
    return found
