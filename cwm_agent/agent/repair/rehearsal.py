"""The buggy program's one real run, imagined once more: what that says of the oracle and of the tests.

The run is paid for as one real execution. Its traces say how long each test is and, held against what the oracle
imagines, on which tests it can be trusted. All its steps are asked about beforehand, since candidates share most of
them. Knows no search.
"""

from collections.abc import Sequence
from itertools import islice

from cwm_agent.agent.repair.beliefs import RolloutImaginer
from cwm_agent.agent.repair.history_beliefs import HistoryImaginer
from cwm_agent.agent.repair.odds import PART_CREDIT, Trust
from cwm_agent.agent.repair.partial_credit import closeness
from cwm_agent.verification.step_accuracy import Case, step_queries
from envs.domains.evaluation import Evaluation
from envs.execution.decompose.program import decomposed
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Trace
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import TraceLimits
from tasks import CallTest, RepairTask

LONGEST_REAL_TRACE = 3_000
LONG = 400
"""Steps of a real run beyond which a test is imagined only if no shorter one fails."""
FEWEST = 2
"""Tests that are imagined however long they are."""
REHEARSED_CHARACTERS = 400
"""Steps of the buggy program with longer values are not asked about beforehand: these cost most."""
REHEARSED_AT_ONCE = 256
REHEARSAL = 2.0
"""How much the buggy program's own run, imagined and real, counts beside later comparisons."""


def real_traces(task: RepairTask, sandbox: Sandbox) -> list[Trace | None]:
    """Traces of the buggy program's tests: part of its one real execution."""
    reality = Reality(sandbox)
    found: list[Trace | None] = []
    for test in task.tests:
        try:
            program = decomposed(task.source, task.entry)
            limits = TraceLimits(steps=LONGEST_REAL_TRACE)
            found.append(reality.trace(program, test.arguments, limits) if isinstance(test, CallTest) else None)
        except ExecutionError:
            found.append(None)
    return found


def trusted(
    task: RepairTask, traces: Sequence[Trace | None], dreamer: RolloutImaginer | HistoryImaginer
) -> tuple[bool | None, ...]:
    """On which tests imagination gives what the buggy program really gave; None for long ones, which are not asked."""
    short = [trace if trace and len(trace) <= LONG else None for trace in traces]
    if isinstance(dreamer, RolloutImaginer):  # histories of two candidates share no step
        _rehearse(task, short, dreamer)
    asked = [at for at, trace in enumerate(short) if trace is not None]
    beliefs = dreamer.beliefs([(task.source, task.entry, task.tests[at]) for at in asked])
    found: list[bool | None] = [None] * len(traces)
    for at, belief in zip(asked, beliefs, strict=True):
        trace = short[at]
        assert trace is not None
        found[at] = belief.passes is not None and belief.value == trace.outcome.value
    return tuple(found)


def _rehearse(task: RepairTask, traces: Sequence[Trace | None], dreamer: RolloutImaginer) -> None:
    """Ask about every step of the real runs at once: one large batch instead of many small ones."""
    program = decomposed(task.source, task.entry)
    cases = [Case(task.id, program, trace) for trace in traces if trace is not None]
    queries = (query for _, query, _, _ in step_queries(cases, dreamer.view) if query is not None)
    short = (query for query in queries if len(str(query.question)) <= REHEARSED_CHARACTERS)
    while batch := list(islice(short, REHEARSED_AT_ONCE)):
        dreamer.oracle.imagine(batch)


def first_trust(trusted: Sequence[bool | None]) -> list[Trust]:
    """What each test's imagination is believed at first."""
    trusts = [Trust() for _ in trusted]
    for trust, good in zip(trusts, trusted, strict=True):
        if good is not None:
            trust.learn(good, REHEARSAL)
    return trusts


def order_of(marks: Sequence[bool | None], trusted: Sequence[bool | None], lengths: Sequence[int]) -> tuple[int, ...]:
    """Tests as they are imagined: failing ones first, trusted ones, short ones; long ones only for want of others."""
    ranked = sorted(range(len(marks)), key=lambda at: (bool(marks[at]), trusted[at] is False, lengths[at]))
    return tuple(at for place, at in enumerate(ranked) if place < FEWEST or lengths[at] <= LONG)


def counts_of(task: RepairTask, original: Evaluation) -> tuple[float, ...]:
    """What each test of the buggy program counts: 1 where it passes, part credit where it comes close."""
    return tuple(
        1.0 if mark else PART_CREDIT * closeness(test.expected, value) if isinstance(test, CallTest) else 0.0
        for test, mark, value in zip(task.tests, original.marks, original.values, strict=True)
    )
