"""From tests to verdicts: sends calls into the sandbox, judges what comes back as it comes, starts over after a death.

Knows the sandbox only by its `stream`, and no isolation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from envs.execution.sandbox import call_runner, program_tests
from envs.execution.sandbox.call_results import CallResult, read_call_result
from envs.execution.sandbox.isolation import wire_format
from envs.execution.sandbox.isolation.jobs import End
from envs.execution.sandbox.isolation.limits import SandboxLimits
from envs.execution.sandbox.program_tests import Check, Outcome, TestPlan, Verdict

if TYPE_CHECKING:
    from envs.execution.sandbox.sandbox import Sandbox

_RUN = "envs.execution.sandbox.call_runner:run"
_JUDGE = "envs.execution.sandbox.call_runner:judge"
NOT_RUN = Verdict(False, "not run")
Pending = tuple[int, TestPlan]


def verdicts(
    sandbox: Sandbox,
    source: str,
    tests: Sequence[program_tests.Test],
    entry: str,
    *,
    limits: SandboxLimits,
    stop_early: bool,
) -> Iterator[tuple[int, Verdict]]:
    """(index, verdict) as soon as each is known, until all are, or one fails and `stop_early` is set."""
    pending = [(index, program_tests.plan(test, entry)) for index, test in enumerate(tests)]
    deferred: list[tuple[int, TestPlan, Sequence[CallResult]]] = []
    while pending:
        known = 0
        for index, plan, found in _one_fork(sandbox, source, pending, limits):
            known += 1
            verdict = found if isinstance(found, Verdict) else _judged(plan, found)
            if verdict is None:
                assert not isinstance(found, Verdict)
                deferred.append((index, plan, found))
                continue
            yield index, verdict
            if stop_early and not verdict.passed:
                return
        # One fork serves every test up to the one it died on; the rest get a fresh one.
        pending = pending[known:]
    for index, verdict in _judged_elsewhere(sandbox, deferred, limits):
        yield index, verdict
        if stop_early and not verdict.passed:
            return


def _one_fork(
    sandbox: Sandbox, source: str, pending: Sequence[Pending], limits: SandboxLimits
) -> Iterator[tuple[int, TestPlan, Sequence[CallResult] | Verdict]]:
    """What each test's steps gave, as far as one process of the program gets; where it ends, that test's verdict."""
    steps = [step for _, plan in pending for step in plan.payload()]
    payload = {"source": source, "steps": steps, "limit": limits.steps}
    with sandbox.stream(_RUN, payload, limits=limits, renewals=len(steps) + 1) as stream:
        lines = map(read_call_result, stream)
        loaded = next(lines, None)
        if loaded is None or loaded.raised is not None:
            end = stream.stop()
            yield from ((index, plan, _load_failure(loaded, end, plan)) for index, plan in pending)
            return
        for index, plan in pending:
            results = list(islice(lines, len(plan.steps)))
            if len(results) < len(plan.steps):
                end = stream.stop()
                assert end is not None
                yield index, plan, _cut_short(end, plan)
                return
            yield index, plan, results


def _load_failure(result: CallResult | None, end: End | None, plan: TestPlan) -> Verdict:
    if result is None:
        assert end is not None
        return replace(_cut_short(end, plan), loaded=False)
    return Verdict(False, "raised", f"while loading: {result.raised}", judged=plan.judged, loaded=False)


def _cut_short(end: End, plan: TestPlan) -> Verdict:
    """The verdict of the test during which the process ended; its CPU time is that of the whole process."""
    outcome: Outcome
    if end.status in ("cpu", "wall", "output"):
        outcome, text = end.status, f"stopped at its {end.status} limit"
    elif end.status == "exit" and end.detail == call_runner.OUT_OF_STEPS:
        outcome, text = "steps", "stopped at its steps limit"
    elif end.status == "failed":
        outcome, text = "crashed", f"the process fell apart: {end.message}"
    elif end.status == "signal":
        outcome, text = "crashed", f"killed by signal {end.detail}"
    else:
        outcome, text = "crashed", f"left with status {end.detail} before answering"
    return Verdict(False, outcome, text, end.cpu_s, judged=plan.judged)


def _judged(plan: TestPlan, results: Sequence[CallResult]) -> Verdict | None:
    """The verdict, or None where an expression must first be evaluated on what the program gave."""
    if isinstance(plan.test, Check):
        failed = (result for result in results[:-1] if result.raised is not None or result.problem is not None)
        return program_tests.judge_check(plan.test, next(failed, results[-1]))
    spent = _spent(results)
    for result in results:
        if result.problem is not None:
            return Verdict(False, "crashed", result.problem, spent, judged=plan.judged)
        if result.raised is not None:
            return Verdict(False, "raised", result.raised, spent, judged=plan.judged)
    if plan.expression is None:
        return Verdict(True, "returned", "", spent, judged="inside")
    if any(wire_format.has_opaque(result.tree) for result in results):
        return Verdict(False, "returned", _shown(results), spent)
    return None


def _spent(results: Sequence[CallResult]) -> float:
    return sum(result.cpu_s for result in results)


def _shown(results: Sequence[CallResult]) -> str:
    return ", ".join(wire_format.show(result.tree) for result in results)


def _judged_elsewhere(
    sandbox: Sandbox, deferred: Sequence[tuple[int, TestPlan, Sequence[CallResult]]], limits: SandboxLimits
) -> Iterator[tuple[int, Verdict]]:
    """Evaluate assertions on the values alone, in a fork that never saw the program."""
    while deferred:
        items = [
            {
                "expression": plan.expression,
                "values": {f"_{number}": result.tree for number, result in enumerate(results)},
            }
            for _, plan, results in deferred
        ]
        known = 0
        with sandbox.stream(_JUDGE, items, limits=limits, renewals=len(items)) as stream:
            answers = iter(stream)
            for index, _, results in deferred:
                answer = next(answers, None)
                known += 1
                passed = isinstance(answer, dict) and answer.get("returned") is True
                yield index, Verdict(passed, "returned", _shown(results), _spent(results))
                if answer is None:  # the judge died on this value; the rest get another
                    break
        deferred = deferred[known:]
