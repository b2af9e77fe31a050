"""Tests of a program and their verdicts, judged outside the process that ran the program.

A `Check` is a call and the literal it must give: the literal never enters the sandbox, so a program that
fakes its result must know the answer. An `Assertion` is code; where it is an expression over calls with
literal arguments, the calls run with the program, and the expression runs elsewhere on the values they gave
(`outside`); any other code runs beside the program, which could then lie about it (`inside`). Knows no
process: sandbox.py runs, this file plans and judges.
"""

from __future__ import annotations

import ast
import builtins
import json
from dataclasses import dataclass
from typing import Any, Literal

from envs.bounded_cache import MIB, bounded_cache
from envs.execution.sandbox.call_results import CallResult
from envs.execution.sandbox.isolation import wire_format

Comparison = Literal["equal", "close", "raises"]
Outcome = Literal["returned", "raised", "cpu", "wall", "steps", "output", "crashed", "not run"]
Judged = Literal["outside", "inside"]


class BadTest(ValueError):
    """A test that could never be judged."""


@dataclass(frozen=True, slots=True)
class Check:
    """A call that must give a literal: `Check("add(1, 2)", "3")`."""

    call: str
    """An expression over the names of the program."""
    expected: str
    """A literal, or the class name of an exception where the comparison is `raises`."""
    comparison: Comparison = "equal"
    """`equal`: Python's ==; `close`: numbers may differ by `tolerance`; `raises`: the exception's class name."""
    tolerance: float = 1e-6
    setup: str = ""
    """Statements that run among the names of the program before the call."""
    world: str = "{}"
    """What the program's sources give, as JSON (`tasks/scripted_world.py`)."""

    def __post_init__(self) -> None:
        if self.comparison not in ("equal", "close", "raises"):
            raise BadTest(f"No comparison {self.comparison!r}. Choose one of: equal, close, raises.")
        if self.comparison != "raises":
            _expected_tree(self.expected)


@dataclass(frozen=True, slots=True)
class Assertion:
    """Code that must not raise: `Assertion("assert abs(root(2) - 1.414) < 0.01")`."""

    code: str


Test = Check | Assertion


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one test showed."""

    passed: bool
    outcome: Outcome
    """How the call ended; only `returned` and `raised` say anything about the program's answer."""
    value: str = ""
    """The value returned, as Python writes it, or the exception with its message, or what stopped the program."""
    cpu_s: float = 0.0
    """CPU seconds that the test took as its process measured them; where a limit stopped it, as the kernel did."""
    judged: Judged = "outside"
    """`inside` where the program's own process decided: a hostile program could have lied."""
    loaded: bool = True
    """False where the program's module could not be run, so that no test was."""


@dataclass(frozen=True, slots=True)
class TestPlan:
    """The steps that one test needs in the sandbox, and how to judge what they give."""

    test: Test
    steps: tuple[tuple[str, str], ...]
    """(`call` or `code`, text) pairs, in order."""
    expression: str | None = None
    """For an assertion judged outside: an expression over `_0`, `_1`, ..., the values of the steps."""

    def payload(self) -> list[dict[str, Any]]:
        """The steps as the sandbox takes them; the first says in which world they run."""
        world = json.loads(self.test.world) if isinstance(self.test, Check) else {}
        steps: list[dict[str, Any]] = [{kind: text} for kind, text in self.steps]
        return [{**step, "world": world} if not place else step for place, step in enumerate(steps)]

    @property
    def judged(self) -> Judged:
        """Where the verdict is decided."""
        return "inside" if isinstance(self.test, Assertion) and self.expression is None else "outside"


@bounded_cache(8 * MIB, per_character=40)
def _expected_tree(text: str) -> Any:
    try:
        tree = json.loads(wire_format.literal_tree(text.strip()))
    except (ValueError, SyntaxError, TypeError, RecursionError) as error:
        raise BadTest(
            f"Expected value {text[:80]!r} is no Python literal ({error}). Use an Assertion instead."
        ) from error
    if wire_format.has_opaque(tree):
        raise BadTest(f"Expected value {text[:80]!r}... is too large to compare.")
    return tree


@bounded_cache(8 * MIB, per_character=8)
def plan(test: Test, entry: str) -> TestPlan:
    """How to run and judge one test of the function `entry`."""
    if isinstance(test, Check):
        setup = (("code", test.setup),) if test.setup else ()
        return TestPlan(test, (*setup, ("call", test.call)))
    lifted = _Lift(entry).lift(test.code)
    if lifted is None:
        return TestPlan(test, (("code", test.code),))
    calls, expression = lifted
    return TestPlan(test, tuple(("call", call) for call in calls), expression)


class _Lift(ast.NodeTransformer):
    """Takes the calls of one function out of an expression, where that changes nothing of what it means."""

    _LAZY = (
        ast.BoolOp,
        ast.IfExp,
        ast.Lambda,
        ast.ListComp,
        ast.SetComp,
        ast.DictComp,
        ast.GeneratorExp,
        ast.NamedExpr,
    )

    def __init__(self, entry: str) -> None:
        self.entry = entry
        self.calls: list[str] = []

    def lift(self, code: str) -> tuple[list[str], str] | None:
        """The calls and the expression over their values, or None where the code must run as it stands."""
        try:
            body = ast.parse(code).body
        except SyntaxError:
            return None
        if len(body) != 1 or not isinstance(body[0], ast.Assert) or self._lazy(body[0].test):
            return None
        expression = self.visit(body[0].test)
        known = {"math", *dir(builtins), *(f"_{index}" for index in range(len(self.calls)))}
        names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
        return (self.calls, ast.unparse(expression)) if self.calls and names <= known else None

    def _lazy(self, expression: ast.expr) -> bool:
        chains = (node for node in ast.walk(expression) if isinstance(node, ast.Compare))
        return any(len(chain.ops) > 1 for chain in chains) or any(
            isinstance(node, self._LAZY) for node in ast.walk(expression)
        )

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if self._of_entry(node) or (_is_call_of(node, _GATHERERS) and self._gathers(node)):
            self.calls.append(ast.unparse(node))
            return ast.Name(f"_{len(self.calls) - 1}", ast.Load())
        self.generic_visit(node)
        return node

    def _of_entry(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and _is_call_of(node, (self.entry,)) and _literal_arguments(node)

    def _gathers(self, node: ast.Call) -> bool:
        # `list(f(3))` is lifted whole: what f gives may be an iterator, which cannot leave.
        return len(node.args) == 1 and not node.keywords and self._of_entry(node.args[0])


_GATHERERS = ("list", "tuple", "set", "sorted", "dict")


def _is_call_of(node: ast.Call, names: tuple[str, ...]) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in names


def _literal_arguments(call: ast.Call) -> bool:
    try:
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
            ast.literal_eval(argument)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def judge_check(check: Check, result: CallResult) -> Verdict:
    """The verdict of a check on what its call came to; a message that no honest run sends is a failure."""
    if result.problem is not None:
        return Verdict(False, "crashed", result.problem, result.cpu_s)
    if result.raised is not None:
        passed = check.comparison == "raises" and result.exception == check.expected
        return Verdict(passed, "raised", result.raised, result.cpu_s)
    return Verdict(_matches(check, result.tree), "returned", wire_format.show(result.tree), result.cpu_s)


def _matches(check: Check, tree: Any) -> bool:
    if check.comparison == "raises":
        return False
    expected = _expected_tree(check.expected)
    if check.comparison == "close":
        return not wire_format.has_opaque(tree) and wire_format.close(tree, expected, check.tolerance)
    return wire_format.key(tree) == wire_format.key(expected)
