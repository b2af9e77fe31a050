"""The next action by rule from imagined values, for history rollouts of decomposed programs.

A decomposed branch tests a name, and the last frame shows the repr of that name, so a rule decides the branch; a line
with one successor needs no decision. No rule can tell which way a `for` goes (a history does not show an iterator's
position), which handler takes an exception, where a `finally` leads, or whether a line calls into the program or
raises: there the oracle chooses among the actions that the control-flow graph allows.
"""

import ast
from dataclasses import dataclass

from cwm_agent.views.history.action_places import Action, ActionPlaces
from cwm_agent.views.history.history_state import HistoryState, Level
from envs.execution.decompose.program import Program
from tasks.errors import NotPlain
from tasks.result_text import read_result


@dataclass(frozen=True, slots=True)
class RuledAction:
    """The actions that may come next, and whether a rule chose the line."""

    allowed: frozenset[Action]
    by_rule: bool


def ruled(program: Program, standing: HistoryState) -> RuledAction:
    """Return the actions that the rules allow."""
    places = ActionPlaces.of(program)
    allowed = places.allowed(standing)
    if standing.event == "exception" or not standing.levels:
        return RuledAction(allowed, len(allowed) == 1)
    lines = _chosen(program, places, standing.levels[-1])
    if lines is None:
        return RuledAction(allowed, len(allowed) == 1)
    texts = {places.text(line) for line in lines}
    kept = frozenset(each for each in allowed if each.event != "line" or each.text in texts)
    ways = [each for each in kept if each.event in ("line", "return")]
    return RuledAction(kept or allowed, len(ways) == 1)


def _chosen(program: Program, places: ActionPlaces, level: Level) -> frozenset[int] | None:
    """Return the lines of the same function that follow without an exception; None if no rule decides."""
    if len(level.lines) != 1 or level.entered:
        return places.following(level)
    line = level.lines[0]
    place = program.layout.places.get(line)
    if place is None or isinstance(place.node, ast.For | ast.With) or program.layout.waiting_places(line):
        return None
    if isinstance(place.node, ast.If | ast.While):
        truth = _truth(place.node.test, dict(level.locals))
        return None if truth is None else places.when(line, "true" if truth else "false")
    following = places.following(level)
    handlers = places.when(line, "exception")
    return (following - handlers) or following


def _truth(test: ast.expr, values: dict[str, str]) -> bool | None:
    """Return the truth of a tested name by its repr; None if the repr does not tell."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _truth(test.operand, values)
        return None if inner is None else not inner
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if not isinstance(test, ast.Name) or test.id not in values:
        return None
    text = values[test.id]
    try:
        return text != "dict()" and bool(read_result(text))
    except NotPlain:
        return None
