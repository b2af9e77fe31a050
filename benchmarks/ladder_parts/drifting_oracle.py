"""A history oracle that computes the next frame of a swap program from the last imagined one.

`ReplayOracle` answers by position, so a wrong frame does not change the later ones. Here it does, as in a model: the
next frame follows from the line and the values that the last frame shows. With `NoisyReplay` around it errors have
known rates per frame and drift on. Knows swaps, comparisons and the return of permutation programs, nothing else.
"""

import ast
from collections.abc import Sequence
from dataclasses import replace

from cwm_agent.oracles.history_protocol import ENDED, HistoryPrediction, HistoryQuery, Malformed
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Bindings
from envs.execution.state.history_frames import HistoryFrame


class DriftingOracle:
    """Continues swap programs from the frames it is given, right or wrong."""

    name = "drifting"

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        return [self._next(query.program, query.frames[-1]) for query in queries]

    def _next(self, program: Program, last: HistoryFrame) -> HistoryPrediction:
        if last.event == "return":
            return HistoryPrediction(ENDED, 0.0, 0.0)
        if not last.lines:
            return HistoryPrediction(Malformed("", "a line that the program does not hold"))
        line = last.lines[0]
        if last.event == "call":
            return HistoryPrediction(_line(program, line + 1, last.locals), 0.0, 0.0)
        try:
            return HistoryPrediction(_after(program, line, last), 0.0, 0.0)
        except (TypeError, ValueError, KeyError, SyntaxError) as error:  # a wrong value that cannot be compared or read
            return HistoryPrediction(Malformed("", f"no step from here: {error}"))


def _line(program: Program, line: int, rows: Bindings) -> HistoryFrame:
    return HistoryFrame("line", program.lines[line - 1], (line,), rows)


def _after(program: Program, line: int, last: HistoryFrame) -> HistoryFrame:
    """The frame after a line: a swap, a comparison or the return."""
    text = program.lines[line - 1].strip()
    values = dict(last.locals)
    [node] = ast.parse(f"{text} pass" if text.startswith("if ") else text if text[:6] != "return" else text[7:]).body
    if isinstance(node, ast.If):
        taken = bool(_compared(node.test, values))
        return _line(program, line + (1 if taken else 2), last.locals)
    if isinstance(node, ast.Assign):
        [target], value = node.targets, node.value
        changed = dict(zip(_names(target), [values[name] for name in _names(value)], strict=True))
        return _line(program, line + 1, tuple((name, changed.get(name, held)) for name, held in last.locals))
    if not isinstance(node, ast.Expr):
        raise ValueError(f"{text!r} is no line of a swap program")
    returned = f"({', '.join(values[name] for name in _names(node.value))})"
    return replace(last, event="return", locals=(), arg=returned)


def _names(node: ast.expr) -> list[str]:
    if not isinstance(node, ast.Tuple):
        raise ValueError(f"{ast.unparse(node)!r} is no row of names")
    return [ast.unparse(each) for each in node.elts]


def _compared(test: ast.expr, values: dict[str, str]) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        raise ValueError(f"{ast.unparse(test)!r} is no comparison of two names")
    left, right = (ast.literal_eval(values[ast.unparse(each)]) for each in (test.left, test.comparators[0]))
    return bool(left > right) if isinstance(test.ops[0], ast.Gt) else bool(left < right)
