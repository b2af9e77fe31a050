"""Finds the lines that an action may mean: several lines can have the same text, and only some of them can come next.

It uses the control-flow graph of the program, plain or decomposed; it runs nothing and reads no value.
"""

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cwm_agent.views.history.history_state import HistoryState, Level
from envs.bounded_cache import MIB, bounded_cache
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Event
from envs.execution.syntax.control_flow_graph import CALL, RETURN, control_flows
from envs.execution.syntax.line_map import parsed

_OPERATORS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.Attribute, ast.For, ast.With, ast.AugAssign)
"""Syntax that may enter a method of the program's own class, or a generator, without a written call."""


@dataclass(frozen=True, slots=True)
class Action:
    """The part of a frame that a guide decides: its event and its line as written; `end` closes a history."""

    event: str
    """An event's name, or `end`."""
    text: str = ""


END = Action("end")


class ActionPlaces:
    """The lines of one program by their text, and the lines that may follow each."""

    def __init__(self, program: Program) -> None:
        self._lines = program.lines
        self._layout = program.layout
        self._by_text: dict[str, list[int]] = {}
        for number, text in enumerate(self._lines, start=1):
            self._by_text.setdefault(text, []).append(number)
        self._after: dict[int, frozenset[int]] = {}
        self._handlers: dict[int, frozenset[int]] = {}
        self._when: dict[tuple[int, str], frozenset[int]] = {}
        self._first: dict[int, frozenset[int]] = {}
        self._function: dict[int, int] = {}
        self._returning: set[int] = set()
        self._raising: set[int] = set()
        for first, graph in control_flows(program.source, silent=program.level != "plain").items():
            self._first[first] = _numbers(graph.successors(CALL))
            for node in graph.nodes:
                if isinstance(node, int):
                    edges = [(to, data["conditions"]) for _, to, data in graph.out_edges(node, data=True)]
                    self._add(first, node, edges)
        tree = parsed(program.source)
        self._yields = _lines_of(tree, lambda node: isinstance(node, ast.Yield | ast.YieldFrom))
        self._calling = _calling(tree)

    def _add(self, first: int, line: int, edges: list[tuple[int | str, frozenset[str]]]) -> None:
        self._function[line] = first
        self._after[line] = _numbers(to for to, _ in edges)
        self._handlers[line] = _numbers(to for to, conditions in edges if "exception" in conditions)
        for condition in {word for _, conditions in edges for word in conditions}:
            self._when[line, condition] = _numbers(to for to, conditions in edges if condition in conditions)
        if any(to == RETURN for to, _ in edges):
            self._returning.add(line)
        if any("exception" in conditions for _, conditions in edges):
            self._raising.add(line)

    @staticmethod
    @bounded_cache(16 * MIB, per_character=150)
    def of(program: Program) -> "ActionPlaces":
        return ActionPlaces(program)

    def text(self, line: int) -> str:
        return self._lines[line - 1]

    @property
    def written(self) -> frozenset[str]:
        """Return every line that can be a step, as text."""
        return frozenset(self.text(line) for line in self._after)

    def following(self, level: Level) -> frozenset[int]:
        """Return the lines of the same function that can come after its present line."""
        found: set[int] = set()
        for line in level.lines:
            found |= self._first[line] if level.entered and line in self._first else self._after.get(line, frozenset())
        return frozenset(found)

    def when(self, line: int, condition: str) -> frozenset[int]:
        """Return the lines that follow a line on a condition of the control-flow graph: `true`, `false`, `next`, ..."""
        return self._when.get((line, condition), frozenset())

    def returns(self, line: int) -> bool:
        """Whether the function may return from this line."""
        return line in self._returning

    def located(self, standing: HistoryState, event: Event, text: str) -> tuple[int, tuple[int, ...]]:
        """Return the depth of a frame and the lines that its action may mean; no lines if none has that text."""
        if event == "call":
            return standing.depth + 1, self._entries(text)
        depths = self._depths(standing, event)
        for depth in depths:
            level = standing.levels[depth - 1]
            where = self.following(level) if event == "line" else level.lines
            lines = tuple(sorted(line for line in where if self.text(line) == text))
            if lines:
                return depth, lines
        return depths[0], self._anywhere(standing.levels[depths[0] - 1], text)

    def _depths(self, standing: HistoryState, event: Event) -> list[int]:
        """Return the depths that a frame may have, likeliest first: only exceptions skip functions."""
        top = standing.depth
        if event == "exception" and standing.event == "exception" and top > 1:
            return [top - 1, top, *range(top - 2, 0, -1)]
        return list(range(top, 0, -1)) if "exception" in (event, standing.event) else [top]

    def _entries(self, text: str) -> tuple[int, ...]:
        """Return the lines at which a function begins or a generator resumes."""
        found = self._by_text.get(text, [])
        return tuple([line for line in found if line in self._first or line in self._yields] or found)

    def _anywhere(self, level: Level, text: str) -> tuple[int, ...]:
        """Return the lines of that text, reachable or not: those of the same function if there are any."""
        found = self._by_text.get(text, [])
        functions = {line if level.entered else self._function.get(line) for line in level.lines}
        return tuple([line for line in found if self._function.get(line) in functions] or found)

    def allowed(self, standing: HistoryState) -> frozenset[Action]:
        """Return all actions that may come next by syntax alone; none if the history is over."""
        if not standing.levels:
            return frozenset()
        level = standing.levels[-1]
        if standing.event == "exception":
            places = {line for here in level.lines for line in (*self._handlers.get(here, ()), *self._unwinding(here))}
            return frozenset({Action("line", self.text(line)) for line in places} | self._climbing(standing))
        found = {Action("line", self.text(line)) for line in self.following(level)}
        if not level.entered:
            found |= self._leaving(standing, level)
        return frozenset(found)

    def _unwinding(self, line: int) -> set[int]:
        """Return the lines of which one is reported as an exception leaves from there: the ends of `finally` bodies."""
        found = {
            each.lineno
            for node, part in self._layout.enclosing(line)
            if part == "finalbody" and isinstance(node, ast.Try | ast.TryStar)
            for each in ast.walk(node.finalbody[-1])
            if isinstance(each, ast.stmt)
        }
        return found & self._after.keys()

    def _leaving(self, standing: HistoryState, level: Level) -> set[Action]:
        """Return the actions by which control may leave the function from its present line, by return or by a call."""
        found: set[Action] = set()
        if any(line in self._returning or line in self._yields for line in level.lines):
            found.add(Action("return", level.action))
        if any(line in self._raising for line in level.lines):
            found.add(Action("exception", level.action))
        if any(self._layout.waiting_places(line) for line in level.lines):  # a pending exception shows no event
            found |= self._climbing(standing)
        if any(line in self._calling for line in level.lines):
            found |= {Action("call", self.text(line)) for line in (*self._first, *self._yields)}
        return found

    def _climbing(self, standing: HistoryState) -> set[Action]:
        """Return the places to which an exception goes that its function does not handle."""
        return {Action("exception", standing.levels[-2].action)} if standing.depth > 1 else {END}


def _numbers(nodes: Iterable[int | str]) -> frozenset[int]:
    return frozenset(node for node in nodes if isinstance(node, int))


def _lines_of(tree: ast.AST, wanted: Callable[[ast.AST], bool]) -> frozenset[int]:
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt) and wanted(node))
    return frozenset(line for node in nodes for line in range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _calling(tree: ast.Module) -> frozenset[int]:
    """Return the lines from which a function of the program may be entered."""
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    hidden = any(
        isinstance(node, ast.ClassDef | ast.Yield | ast.YieldFrom)
        or (isinstance(node, ast.Name) and node.id in defined and id(node) not in called)  # passed on and called later
        for node in ast.walk(tree)
    )

    def calls(node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            inside = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            named = isinstance(node.func, ast.Attribute) and node.func.attr in defined
            return hidden or named or bool(inside & defined)
        return hidden and isinstance(node, _OPERATORS)

    return _lines_of(tree, calls)
