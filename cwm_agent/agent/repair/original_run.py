"""The buggy program's one real run, and the same run imagined: which tests the oracle can be trusted on.

The real run is charged as one real execution. Its traces give the length of each test and, compared with what the
oracle imagines, the first trust in each test. All steps of the real run are put to the oracle beforehand, since
candidates share most of them. Knows no search.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from cwm_agent.agent.repair.beliefs import Belief, RolloutImaginer, program_of
from cwm_agent.agent.repair.evidence.run_evidence import RunEvidence
from cwm_agent.agent.repair.history_beliefs import HistoryImaginer
from cwm_agent.agent.repair.odds import PART_CREDIT, Trust
from cwm_agent.agent.repair.partial_credit import closeness
from cwm_agent.verification.step_accuracy import Case, step_queries
from envs.domains.evaluation import Evaluation
from envs.execution.decompose.program import Program
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Trace
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import TraceLimits
from tasks import CodeTest, RepairTask
from tasks.traced_calls import traced_call

LONGEST_REAL_TRACE = 3_000
"""Steps after which a real trace is cut off."""
LONG = 400
"""Steps of a real run beyond which a test is imagined only if no shorter one fails."""
FEWEST_TESTS = 2
"""Tests that are imagined however long they are."""
PREFETCHED_CHARACTERS = 400
"""Steps of the buggy program with longer questions are not asked beforehand: these are the most expensive."""
PREFETCH_BATCH = 64
ORIGINAL_RUN_WEIGHT = 2.0
"""Weight of the comparison with the buggy program's real run beside later comparisons, which count 1."""


def real_traces(task: RepairTask, sandbox: Sandbox) -> list[Trace | None]:
    """Traces of the buggy program's tests: part of its one real execution."""
    reality = Reality(sandbox)
    found: list[Trace | None] = []
    for test in task.tests:
        call = traced_call(task.source, task.entry, test, task.tests)
        try:
            limits = TraceLimits(steps=LONGEST_REAL_TRACE)
            record = call.world.record() if call else None
            found.append(reality.trace(program_of(call), call.arguments, limits, record) if call else None)
        except ExecutionError:
            found.append(None)
    return found


@dataclass(frozen=True, slots=True)
class ImaginedOriginal:
    """The buggy program's run as imagined, beside the real one."""

    trusted: tuple[bool | None, ...]
    """For each test whether the imagined result is the real one; None for long runs and tests without a trace."""
    reasons: tuple[str, ...]
    """For each test why it cannot be imagined; empty where it can."""
    passing: frozenset[int] = frozenset()
    """Tests that pass as imagined: one of these that really fails does so because of the tests run before it."""

    @property
    def lines(self) -> tuple[str, ...]:
        """How many tests can be imagined, and why the others cannot, as lines for a reader."""
        possible = sum(not reason for reason in self.reasons)
        tests: dict[str, list[int]] = {}
        for number, reason in enumerate(self.reasons, start=1):
            if reason:
                tests.setdefault(reason, []).append(number)
        told = (f"{_numbered(numbers)}: {reason}" for reason, numbers in tests.items())
        return (f"{possible} of {len(self.reasons)} tests can be imagined", *told)


def _numbered(numbers: Sequence[int]) -> str:
    return f"test{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def imagined_original(
    task: RepairTask, traces: Sequence[Trace | None], imaginer: RolloutImaginer | HistoryImaginer | None
) -> ImaginedOriginal:
    """Imagine the tests of the buggy program, but for long ones, and compare them with their real runs.

    Without an imaginer nothing is known of any test.
    """
    if imaginer is None:
        return ImaginedOriginal((None,) * len(traces), ("",) * len(traces))
    short = [trace if trace and len(trace) <= LONG else None for trace in traces]
    if isinstance(imaginer, RolloutImaginer):  # histories of two candidates share no step
        _prefetch_steps(task, short, imaginer)
    imagined = [at for at, trace in enumerate(traces) if trace is None or short[at] is not None]
    beliefs = imaginer.beliefs([(task.source, task.entry, task.tests[at]) for at in imagined])
    trusted: list[bool | None] = [None] * len(traces)
    reasons = [trace.unsupported or "" if trace else "" for trace in traces]
    for at, belief in zip(imagined, beliefs, strict=True):
        trace = short[at]
        if trace is not None:
            trusted[at] = belief.passes is not None and belief.value == trace.outcome.value
        reasons[at] = _reason(belief, task.source)
    passing = frozenset(at for at, belief in zip(imagined, beliefs, strict=True) if belief.passes)
    return ImaginedOriginal(tuple(trusted), tuple(reasons), passing)


def _reason(belief: Belief, source: str) -> str:
    """Why a test cannot be imagined; empty for a verdict, and for a mistake of the model, which may not come again."""
    if belief.passes is not None or belief.value.startswith(("malformed", "truncated")):
        return ""
    reason = belief.value.removeprefix("unsupported: ")
    if belief.line is None:
        return reason
    return f"line {belief.line}: {reason}" if belief.line <= source.count("\n") + 1 else f"in the test: {reason}"


def _prefetch_steps(task: RepairTask, traces: Sequence[Trace | None], imaginer: RolloutImaginer) -> None:
    """Put every step of the real runs to the oracle, in large batches, so that its cache holds the answers.

    A batch is begun only while the task has time left.
    """
    cases = [Case(task.id, program, trace) for program, trace in traced_programs(task, traces)]
    queries = (query for _, query, _, _ in step_queries(cases, imaginer.view) if query is not None)
    short = (query for query in queries if len(str(query.question)) <= PREFETCHED_CHARACTERS)
    while (imaginer.until is None or time.monotonic() < imaginer.until) and (
        batch := list(islice(short, PREFETCH_BATCH))
    ):
        imaginer.oracle.imagine(batch)


def traced_programs(task: RepairTask, traces: Sequence[Trace | None]) -> Iterator[tuple[Program, Trace]]:
    """Each traced call of a task's program, decomposed, with its trace."""
    calls = [traced_call(task.source, task.entry, test, task.tests) for test in task.tests]
    for call, trace in zip(calls, traces, strict=True):
        if call is not None and trace is not None:
            yield program_of(call), trace


def run_evidence(task: RepairTask, traces: Sequence[Trace | None], marks: Sequence[bool | None]) -> RunEvidence:
    """What the buggy program's real run says of its edits."""
    calls = [traced_call(task.source, task.entry, test, task.tests) for test in task.tests]
    pairs = zip(calls, traces, strict=True)
    runs = [(at, program_of(call), trace) for at, (call, trace) in enumerate(pairs) if call and trace]
    return RunEvidence.of_runs(task.source, runs, marks)


def first_trust(trusted: Sequence[bool | None]) -> list[Trust]:
    """The trust in each test's imagination after the comparison with the buggy program's real run."""
    trusts = [Trust() for _ in trusted]
    for trust, good in zip(trusts, trusted, strict=True):
        if good is not None:
            trust.learn(good, ORIGINAL_RUN_WEIGHT)
    return trusts


def order_of(marks: Sequence[bool | None], original: ImaginedOriginal, lengths: Sequence[int]) -> tuple[int, ...]:
    """Tests in the order they are imagined: failing ones first, then trusted ones, then short ones.

    A failing test that passes as imagined comes behind the others: nearly every candidate passes it too.

    Tests that cannot be imagined are left out, and long ones unless there are fewer than `FEWEST_TESTS` before them.
    """
    possible = [at for at, reason in enumerate(original.reasons) if not reason]

    def key(at: int) -> tuple[bool, bool, bool, int]:
        return bool(marks[at]), not marks[at] and at in original.passing, original.trusted[at] is False, lengths[at]

    ranked = sorted(possible, key=key)
    return tuple(at for place, at in enumerate(ranked) if place < FEWEST_TESTS or lengths[at] <= LONG)


def original_scores(task: RepairTask, original: Evaluation) -> tuple[float, ...]:
    """The score of each test of the buggy program: 1 where it passes, part credit where its result is close."""
    return tuple(
        1.0 if mark else PART_CREDIT * closeness(test.expected, value) if not isinstance(test, CodeTest) else 0.0
        for test, mark, value in zip(task.tests, original.marks, original.values, strict=True)
    )
