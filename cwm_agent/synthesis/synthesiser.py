"""The synthesiser: fills missing bodies, and repairs each function with the agent until its tests pass.

A draft is source with the five functions of a game. Each function is a repair task of its own: the tests are the calls
that trajectories show. The agent imagines candidates and runs the best in the sandbox. Nothing here reads the game.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.synthesis.expression_search import CallExample, find_body
from cwm_agent.synthesis.game_source import RULES, is_missing, with_body, without_body
from cwm_agent.synthesis.rule_tests import rule_tests
from cwm_agent.synthesis.trajectories import Transition, check_consistent
from envs.editing.edit import apply_patch
from envs.execution.sandbox.call_values import call_values, value_of
from envs.execution.sandbox.sandbox import Sandbox
from tasks.task import CallTest, RepairTask

MOST_TESTS = 24
"""Tests of one repair task: those that fail first, then some that pass."""
FIRST_EXAMPLES, MORE_EXAMPLES, FILLINGS = 20, 6, 8
"""Tests that a missing body is found from, tests added where it fails, and how often."""
ROUNDS = 3
"""Most repairs of one function: each takes the tests that still fail."""


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What became of one function."""

    name: str
    tests: int
    failed: int
    """Tests that the function still fails."""
    how: str
    """`right` from the start, `filled`, `repaired`, or `wrong`."""
    executions: int = 0
    """Real executions that the agent was charged."""


@dataclass(frozen=True, slots=True)
class Synthesis:
    """A game's source made from trajectories, and what became of each function."""

    source: str
    rules: tuple[RuleResult, ...]

    @property
    def complete(self) -> bool:
        """Whether every test passes."""
        return all(rule.failed == 0 for rule in self.rules)


def synthesise(
    draft: str,
    transitions: Sequence[Transition],
    settings: Settings,
    sandbox: Sandbox,
    *,
    on_rule: Callable[[RuleResult], None] = lambda rule: None,
) -> Synthesis:
    """Return a game that reproduces the transitions, as far as filling and repair get; raises BadTrajectories."""
    check_consistent(transitions)
    tests = rule_tests(transitions)
    source, results = draft, []
    for name in RULES:
        source, result = _made_right(source, name, tests[name], settings, sandbox=sandbox)
        results.append(result)
        on_rule(result)
    # A repair of a shared helper may have changed a function that was right before.
    left = {name: len(failing(source, name, tests[name], sandbox)) for name in RULES}
    return Synthesis(source, tuple(replace(rule, failed=left[rule.name]) for rule in results))


def failing(source: str, name: str, tests: Sequence[CallTest], sandbox: Sandbox) -> list[CallTest]:
    """Return the tests that the function fails, run for real."""
    results = call_values(sandbox, source, [f"{name}({test.arguments})" for test in tests])
    return [test for test, result in zip(tests, results, strict=True) if not _passes(test, result)]


def _passes(test: CallTest, result: Any) -> bool:
    try:
        return test.accepts(value_of(result))
    except ValueError:
        return False


def _made_right(
    source: str, name: str, tests: Sequence[CallTest], settings: Settings, sandbox: Sandbox
) -> tuple[str, RuleResult]:
    """Return the source with one function filled or repaired, and what became of it.

    Where repair fails, the body is looked for as if it were missing.
    """
    if is_missing(source, name):
        filled = _filled(source, name, tests, sandbox)
        if filled is not None:
            return filled, RuleResult(name, len(tests), 0, "filled")
    wrong, spent, repaired = failing(source, name, tests, sandbox), 0, False
    for number in range(ROUNDS):
        if not wrong:
            break
        passing = [test for test in tests if test not in wrong]
        chosen = _chosen(wrong, passing, Random(number))
        task = RepairTask(id=f"{name}-{number + 1}", source=source, entry=name, tests=tuple(chosen))
        episode = Workplace(settings).solve(RepairKind(), task)
        spent += episode.executions
        if not episode.patch:
            break
        candidate = apply_patch(source, episode.patch)
        left = failing(candidate, name, tests, sandbox)
        if len(left) >= len(wrong):
            break
        source, wrong, repaired = candidate, left, True
    filled = _filled(without_body(source, name), name, tests, sandbox) if wrong and tests else None
    if filled is not None:
        return filled, RuleResult(name, len(tests), 0, "filled", executions=spent)
    how = "wrong" if wrong else "repaired" if repaired else "right"
    return source, RuleResult(name, len(tests), len(wrong), how, executions=spent)


def _filled(source: str, name: str, tests: Sequence[CallTest], sandbox: Sandbox) -> str | None:
    """Return the source with a missing body found from few tests, and from more where it fails others; else None."""
    rng = Random(0)
    chosen = rng.sample(list(tests), min(len(tests), FIRST_EXAMPLES))
    for _ in range(FILLINGS):
        body = find_body(_parameters(source, name), [_example(test) for test in chosen])
        if body is None:
            return None
        candidate = with_body(source, name, body)
        wrong = failing(candidate, name, tests, sandbox)
        if not wrong:
            return candidate
        chosen += rng.sample(wrong, min(len(wrong), MORE_EXAMPLES))
    return None


def _chosen(wrong: Sequence[CallTest], passing: Sequence[CallTest], rng: Random) -> list[CallTest]:
    """Return tests for one task: up to half of them fail, and short calls come first since they cost least."""
    failing_tests = sorted(rng.sample(list(wrong), min(len(wrong), MOST_TESTS // 2)), key=lambda t: len(t.arguments))
    others = rng.sample(list(passing), min(len(passing), MOST_TESTS - len(failing_tests)))
    return failing_tests + sorted(others, key=lambda test: len(test.arguments))


def _parameters(source: str, name: str) -> list[str]:
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return [argument.arg for argument in node.args.args]
    return []


def _example(test: CallTest) -> CallExample:
    arguments = ast.literal_eval(f"({test.arguments},)") if test.arguments else ()
    return CallExample(arguments, ast.literal_eval(test.expected))
