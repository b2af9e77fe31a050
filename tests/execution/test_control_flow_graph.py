"""Control-flow graphs hold every step that Python takes, each with its condition."""

import pytest

from benchmarks.decompose import missing_edges
from benchmarks.program_checks.behaviour import BehaviourRecorder, observe
from envs.execution.decompose.decomposition import decompose
from envs.execution.syntax.control_flow_graph import CALL, RAISE, RETURN, control_flows
from envs.execution.syntax.line_map import LineMap


def edges(source: str, *, silent: bool = False, exceptions: bool = False) -> set[tuple[int | str, int | str, str]]:
    """Edges of `f` with their conditions."""
    graph = control_flows(source, silent=silent)[1]
    every = {(a, b, graph.edges[a, b]["condition"]) for a, b in graph.edges}
    return {edge for edge in every if exceptions or edge[2] != "exception"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            "def f(a):\n    if a:\n        b = 1\n    else:\n        b = 2\n    return b",
            {(CALL, 2, "call"), (2, 3, "true"), (2, 5, "false"), (3, 6, "next"), (5, 6, "next"), (6, RETURN, "return")},
            id="if-else",
        ),
        pytest.param(
            "def f(a):\n    for x in a:\n        if x:\n            break\n        continue\n"
            "    else:\n        x = 1\n    return x",
            {
                (CALL, 2, "call"),
                (2, 3, "loop"),
                (2, 7, "exhausted"),
                (3, 4, "true"),
                (3, 5, "false"),
                (4, 8, "break"),
                (5, 2, "continue"),
                (7, 8, "next"),
                (8, RETURN, "return"),
            },
            id="for-else-break-continue",
        ),
        pytest.param(
            "def f(a):\n    try:\n        a()\n    except ValueError:\n        pass\n"
            "    finally:\n        b = 1\n    return b",
            {
                (CALL, 2, "call"),
                (2, 3, "next"),
                (3, 7, "next"),
                (4, 5, "match"),
                (4, 7, "no match"),
                (5, 7, "next"),
                (7, 8, "next"),
                (8, RETURN, "return"),
            },
            id="try-except-finally",
        ),
        pytest.param(
            "def f(a):\n    with a as b:\n        return b",
            {(CALL, 2, "call"), (2, 3, "enter"), (3, 2, "return"), (2, RETURN, "return")},
            id="return-inside-with",
        ),
    ],
)
def test_edges_carry_their_conditions(source: str, expected: set[tuple[int | str, int | str, str]]) -> None:
    """Graphs of small functions, edge by edge."""
    assert edges(source) == expected


def test_an_exception_leads_to_the_handler_then_outwards() -> None:
    """A line inside `try` may jump to the first handler; what no handler takes leaves the function."""
    source = "def f(a):\n    try:\n        a()\n    except ValueError:\n        b = a()\n    return b"
    found = edges(source, exceptions=True)
    assert (3, 4, "exception") in found
    assert (4, RAISE, "no match") in found
    assert (5, RAISE, "exception") in found


def test_silent_lines_can_be_left_out() -> None:
    """`while True:` and `try:` say nothing; without them their neighbours meet."""
    source = "def f(a):\n    while True:\n        try:\n            a += 1\n        except E:\n            break\n"
    assert {2, 3} <= set(control_flows(source)[1])
    graph = control_flows(source, silent=True)[1]
    assert set(graph) == {CALL, RETURN, RAISE, 4, 5, 6}
    assert graph.has_edge(CALL, 4)
    assert graph.has_edge(4, 4)


def test_every_function_has_its_graph() -> None:
    """By first line, methods and inner functions included."""
    source = "class C:\n    def m(self):\n        def g():\n            return 1\n        return g\n"
    assert set(control_flows(source)) == {2, 3}
    assert control_flows(source)[3].has_edge(4, RETURN)


TRICKY = """
def f(mode):
    seen = []
    for i in range(4):
        try:
            try:
                seen.append(i)
                if mode == "break" and i == 1:
                    break
                if mode == "continue" and i == 1:
                    continue
                if mode == "return":
                    return seen
                if mode == "raise":
                    raise ValueError(i)
                if mode == "deep":
                    [][i]
            except ValueError as error:
                seen.append(str(error))
                if i == 2:
                    raise KeyError(i)
            else:
                seen.append("else")
            finally:
                seen.append("finally")
                if mode == "again":
                    raise RuntimeError
        except RuntimeError:
            mode = "raise"
        except KeyError:
            return "key"
    else:
        while mode != "over":
            mode = "over"
        else:
            seen.append("over")
    match mode:
        case "over":
            return seen
        case str() if seen:
            return len(seen)
        case _:
            return None
"""


@pytest.mark.parametrize("mode", ["plain", "break", "continue", "return", "raise", "deep", "again"])
@pytest.mark.parametrize("rewritten", [False, True])
def test_real_runs_take_only_edges(mode: str, rewritten: bool) -> None:
    """Nested `try`, `finally` with everything that can pass through it, loops with `else`, `match`."""
    source = decompose(TRICKY, "f").source if rewritten else TRICKY
    recorder = BehaviourRecorder(10_000)
    observe(source, "f", repr(mode), recorder)
    assert recorder.moves
    assert missing_edges(source, recorder.moves) == []


def test_a_finally_that_only_passes_may_go_unreported() -> None:
    """Python drops `pass` from the way of an exception, so the line before leads to the handler directly."""
    source = (
        "def f(a):\n    try:\n        try:\n            a()\n        finally:\n            pass\n"
        "    except TypeError:\n        return 1\n"
    )
    assert control_flows(source)[1].has_edge(4, 7)
    recorder = BehaviourRecorder(100)
    observe(source, "f", "3", recorder)
    assert missing_edges(source, recorder.moves) == []


def test_a_layout_tells_what_lies_around_a_line() -> None:
    """The statements around it with the part that holds it, and where something may wait while it is about to run."""
    source = (
        "def f(a):\n    for x in a:\n        try:\n            x()\n"
        "        except E:\n            pass\n        finally:\n            a()\n"
    )
    layout = LineMap.of(source)
    around = {line: [(node.lineno, part) for node, part in layout.enclosing(line)] for line in (4, 6, 8)}
    assert around[4] == [(3, "body"), (2, "body")]
    assert around[6] == [(5, "body"), (3, "handlers"), (2, "body")]
    assert around[8] == [(3, "finalbody"), (2, "body")]
    assert [layout.waiting_places(line) for line in (4, 5, 6, 8)] == [[], [3], [], [3]]
    assert layout.silent() == {3}
    assert {place.function for place in layout.places.values()} == {("f", 1)}
