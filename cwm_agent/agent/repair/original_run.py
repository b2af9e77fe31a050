"""The buggy program's one real run, and the same run imagined: which tests the oracle can be trusted on.

The real run is charged as one real execution. Its traces give the length of each test and, compared with what the
oracle imagines, the first trust in each test. All steps of the real run are put to the oracle beforehand, since
candidates share most of them. Knows no search.
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
from tasks import CodeTest, RepairTask
from tasks.task import traced_call

LONGEST_REAL_TRACE = 3_000
"""Steps after which a real trace is cut off."""
LONG = 400
"""Steps of a real run beyond which a test is imagined only if no shorter one fails."""
FEWEST_TESTS = 2
"""Tests that are imagined however long they are."""
PREFETCHED_CHARACTERS = 400
"""Steps of the buggy program with longer questions are not asked beforehand: these are the most expensive."""
PREFETCH_BATCH = 256
ORIGINAL_RUN_WEIGHT = 2.0
"""Weight of the comparison with the buggy program's real run beside later comparisons, which count 1."""


def real_traces(task: RepairTask, sandbox: Sandbox) -> list[Trace | None]:
    """Traces of the buggy program's tests: part of its one real execution."""
    reality = Reality(sandbox)
    found: list[Trace | None] = []
    for test in task.tests:
        call = traced_call(task.source, task.entry, test)
        try:
            limits = TraceLimits(steps=LONGEST_REAL_TRACE)
            found.append(reality.trace(decomposed(*call[:2]), call[2], limits) if call else None)
        except ExecutionError:
            found.append(None)
    return found


def trusted(
    task: RepairTask, traces: Sequence[Trace | None], imaginer: RolloutImaginer | HistoryImaginer
) -> tuple[bool | None, ...]:
    """For each test whether the imagined result is the buggy program's real one; None for long runs."""
    short = [trace if trace and len(trace) <= LONG else None for trace in traces]
    if isinstance(imaginer, RolloutImaginer):  # histories of two candidates share no step
        _prefetch_steps(task, short, imaginer)
    imagined = [at for at, trace in enumerate(short) if trace is not None]
    beliefs = imaginer.beliefs([(task.source, task.entry, task.tests[at]) for at in imagined])
    found: list[bool | None] = [None] * len(traces)
    for at, belief in zip(imagined, beliefs, strict=True):
        trace = short[at]
        assert trace is not None
        found[at] = belief.passes is not None and belief.value == trace.outcome.value
    return tuple(found)


def _prefetch_steps(task: RepairTask, traces: Sequence[Trace | None], imaginer: RolloutImaginer) -> None:
    """Put every step of the real runs to the oracle, in large batches, so that its cache holds the answers."""
    calls = [traced_call(task.source, task.entry, test) for test in task.tests]
    cases = [
        Case(task.id, decomposed(*call[:2]), trace)
        for call, trace in zip(calls, traces, strict=True)
        if call is not None and trace is not None
    ]
    queries = (query for _, query, _, _ in step_queries(cases, imaginer.view) if query is not None)
    short = (query for query in queries if len(str(query.question)) <= PREFETCHED_CHARACTERS)
    while batch := list(islice(short, PREFETCH_BATCH)):
        imaginer.oracle.imagine(batch)


def first_trust(trusted: Sequence[bool | None]) -> list[Trust]:
    """The trust in each test's imagination after the comparison with the buggy program's real run."""
    trusts = [Trust() for _ in trusted]
    for trust, good in zip(trusts, trusted, strict=True):
        if good is not None:
            trust.learn(good, ORIGINAL_RUN_WEIGHT)
    return trusts


def order_of(marks: Sequence[bool | None], trusted: Sequence[bool | None], lengths: Sequence[int]) -> tuple[int, ...]:
    """Tests in the order they are imagined: failing ones first, then trusted ones, then short ones.

    Long ones are left out unless there are fewer than `FEWEST_TESTS` before them.
    """
    ranked = sorted(range(len(marks)), key=lambda at: (bool(marks[at]), trusted[at] is False, lengths[at]))
    return tuple(at for place, at in enumerate(ranked) if place < FEWEST_TESTS or lengths[at] <= LONG)


def original_scores(task: RepairTask, original: Evaluation) -> tuple[float, ...]:
    """The score of each test of the buggy program: 1 where it passes, part credit where its result is close."""
    return tuple(
        1.0 if mark else PART_CREDIT * closeness(test.expected, value) if not isinstance(test, CodeTest) else 0.0
        for test, mark, value in zip(task.tests, original.marks, original.values, strict=True)
    )
