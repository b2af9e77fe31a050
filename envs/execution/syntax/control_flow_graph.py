"""Control-flow graphs over lines: which line may run after which, and on what condition.

Nodes are line numbers and the three words `CALL`, `RETURN`, `RAISE`; an edge's `condition` says when it is taken, its
`conditions` all the ways it can be. The edges cover what `sys.settrace` reports for one function under CPython 3.11 to
3.13. Knows syntax only: nothing is run, no value is known.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from envs.execution.syntax.line_events import completes, jumps_inside, may_raise, unreported
from envs.execution.syntax.line_graph import CALL, RAISE, RETURN, LineGraph, Node
from envs.execution.syntax.program_structure import (
    Function,
    body_of,
    first_line,
    functions_of,
    header_lines,
    is_quiet,
    is_silent,
    is_while_true,
    nodes_of,
    steps_of,
    tree_of,
)

if TYPE_CHECKING:
    import networkx as nx

Target = tuple[Node, str | None]
"""Where control goes, and the condition to write on the edge if it is not the source's own."""
__all__ = ["CALL", "RAISE", "RETURN", "Node", "control_flows", "flow_of"]


def control_flows(source: str, *, silent: bool = False) -> "Mapping[int, nx.DiGraph[Node]]":
    """The graph of every function, by its first line as in `code.co_firstlineno`."""
    functions = functions_of(tree_of(source))
    return {first_line(node): flow_of(node, silent=silent).graph() for _, node in functions}


def _silent(tree: ast.AST) -> frozenset[int]:
    return frozenset(n.lineno for n in nodes_of(tree) if isinstance(n, ast.stmt) and is_silent(n))


def flow_of(node: Function, *, silent: bool = False, jumping: bool = True) -> LineGraph:
    """Where control can go inside one function; `jumping=False` where it is known that no statement jumps inside."""
    builder = _Builder(LineGraph(), jumping)
    around = _Around(None, {"return": ((RETURN, None),), "exception": ((RAISE, None),)})
    end: tuple[Target, ...] = ((RETURN, "return"),)
    steps = body_of(node)
    builder.connect([CALL], _entry(steps, end), "call")
    builder.suite(steps, end, around)
    for line in builder.unreported:
        builder.flow.bypass(line)
    if silent:
        builder.flow.contract(_silent(node))
    return builder.flow


@dataclass(slots=True)
class _Around:
    """What lies around a statement: where each kind of jump leads, and which jumps a `finally` must pass on."""

    outer: "_Around | None"
    catches: dict[str, tuple[Target, ...]] = field(default_factory=dict)
    through: tuple[Target, ...] | None = None
    """Entry of the `finally` (or of the `with` line) that every jump passes first."""
    pending: set[str] = field(default_factory=set)

    def targets(self, kind: str) -> tuple[Target, ...]:
        """Where a jump of this kind goes first."""
        if self.through is not None:
            self.pending.add(kind)
            return self.through
        if kind in self.catches:
            return self.catches[kind]
        return self.outer.targets(kind) if self.outer else ()


def _entry(steps: Sequence[ast.stmt], after: tuple[Target, ...]) -> tuple[Target, ...]:
    """Lines where control enters a block, or what comes after an empty one."""
    real = [s for s in steps if not is_quiet(s)]
    return tuple((line, None) for line in header_lines(real[0])) if real else after


def _at(lines: Iterable[int]) -> tuple[Target, ...]:
    return tuple((line, None) for line in lines)


@dataclass(slots=True)
class _Builder:
    flow: LineGraph
    jumping: bool
    unreported: list[int] = field(default_factory=list)
    """Lines that Python may pass without saying so."""

    def connect(self, sources: Iterable[Node], targets: tuple[Target, ...], condition: str) -> None:
        for source in sources:
            for target, own in targets:
                self.flow.connect(source, target, own or condition)

    def suite(self, steps: Sequence[ast.stmt], after: tuple[Target, ...], around: _Around) -> None:
        real = [s for s in steps if not is_quiet(s)]
        for step, following in pairwise([*real, None]):
            assert step is not None
            self.statement(step, _entry([following], after) if following else after, around)

    def statement(self, node: ast.stmt, after: tuple[Target, ...], around: _Around) -> None:
        lines = header_lines(node)
        again = self.jumping and jumps_inside(node)
        if again or len(lines) > 1:  # several lines of one expression come in an order that depends on the version
            for line in lines:
                self.connect([line], _at(other for other in lines if again or other != line), "same statement")
        if may_raise(node):
            self.connect(lines, around.targets("exception"), "exception")
        match node:
            case ast.Assign() | ast.Expr() | ast.AugAssign():
                self.connect(lines, after, "next")
            case ast.Return():
                self.connect(lines, around.targets("return"), "return")
            case ast.Break():
                self.connect(lines, around.targets("break"), "break")
            case ast.Continue():
                self.connect(lines, around.targets("continue"), "continue")
            case ast.Raise():
                pass
            case ast.If():
                self._choice(node, after, around)
            case ast.While() | ast.For() | ast.AsyncFor():
                self._loop(node, after, around)
            case ast.With() | ast.AsyncWith():
                self._with(node, after, around)
            case ast.Try() | ast.TryStar():
                self._try(node, after, around)
            case ast.Match():
                self._match(node, after, around)
            case _:
                self.connect(lines, after, "next")

    def _choice(self, node: ast.If, after: tuple[Target, ...], around: _Around) -> None:
        lines = header_lines(node)
        self.connect(lines, _entry(node.body, after), "true")
        self.connect(lines, _entry(node.orelse, after), "false")
        self.suite(node.body, after, around)
        self.suite(node.orelse, after, around)

    def _loop(self, node: ast.While | ast.For | ast.AsyncFor, after: tuple[Target, ...], around: _Around) -> None:
        lines = header_lines(node)
        again, stop = ("true", "false") if isinstance(node, ast.While) else ("loop", "exhausted")
        self.connect(lines, _entry(node.body, _at(lines)), again)
        if not (isinstance(node, ast.While) and is_while_true(node)):
            self.connect(lines, _entry(node.orelse, after), stop)
        inside = _Around(around, {"break": after, "continue": _at(lines)})
        self.suite(node.body, _at(lines), inside)
        self.suite(node.orelse, after, around)

    def _with(self, node: ast.With | ast.AsyncWith, after: tuple[Target, ...], around: _Around) -> None:
        lines = header_lines(node)
        self.connect(lines, _entry(node.body, _at(lines)), "enter")
        inside = _Around(around, through=_at(lines))
        self.suite(node.body, _at(lines), inside)
        self.connect(lines, after, "exit")
        self._pass_on(lines, inside, around)

    def _pass_on(self, lines: Iterable[Node], inside: _Around, around: _Around) -> None:
        for kind in sorted(inside.pending):
            self.connect(lines, around.targets(kind), kind)

    def _try(self, node: ast.Try | ast.TryStar, after: tuple[Target, ...], around: _Around) -> None:
        final = _Around(around, through=_entry(node.finalbody, after)) if steps_of(node.finalbody) else around
        end = _entry(node.finalbody, after)
        inside = _Around(final, {"exception": _at(header_lines(node.handlers[0]))}) if node.handlers else final
        self.connect(header_lines(node), _entry(node.body, end), "next")
        self.suite(node.body, _entry(node.orelse, end), inside)
        self.suite(node.orelse, end, final)
        for handler, following in pairwise([*node.handlers, None]):
            assert handler is not None
            self._handler(handler, following, end, final)
        if node.finalbody:
            waiting = [(t, kind) for kind in sorted(final.pending) for t, _ in around.targets(kind)]
            normal = after if _completes(node) else ()
            self.suite(node.finalbody, (*normal, *waiting), around)
            self.unreported += unreported(node.finalbody)

    def _handler(
        self,
        node: ast.ExceptHandler,
        following: ast.ExceptHandler | None,
        end: tuple[Target, ...],
        around: _Around,
    ) -> None:
        lines = header_lines(node)
        self.connect(lines, _entry(node.body, end), "match")
        if node.type is not None:
            missed = _at(header_lines(following)) if following else around.targets("exception")
            self.connect(lines, missed, "no match")
            self.connect(lines, around.targets("exception"), "exception")
        self.suite(node.body, end, around)

    def _match(self, node: ast.Match, after: tuple[Target, ...], around: _Around) -> None:
        lines = header_lines(node)
        for case in node.cases:
            here = header_lines(case)
            self.connect(lines, _at(here), "next" if lines == header_lines(node) else "no match")
            self.connect(here, _entry(case.body, after), "match")
            self.connect(here, around.targets("exception"), "exception")
            if _irrefutable(case):  # `case _:` may have no line event of its own
                self.connect(lines, _entry(case.body, after), "match")
            self.suite(case.body, after, around)
            lines = here
        self.connect(lines, after, "no match")


def _irrefutable(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None


def _completes(node: ast.Try | ast.TryStar) -> bool:
    """Whether control can come to the end of the statement's parts without a jump."""
    normal = completes(node.orelse) if node.orelse else True
    return (completes(node.body) and normal) or any(completes(h.body) for h in node.handlers)
