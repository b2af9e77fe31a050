"""The agent: plan in imagination, run the most promising candidate for real, learn from the difference, go on.

The real run of the buggy program is paid for first; it says which tests fail, where, and on which tests the oracle can
be trusted. Hidden tests judge the result and are seen by nobody before.
"""

import difflib
import time
from dataclasses import asdict, dataclass, field
from itertools import islice
from random import Random

from cwm_agent.agent.beliefs import Dreamer
from cwm_agent.agent.budget import Budget, Spending
from cwm_agent.agent.closeness import closeness
from cwm_agent.agent.episode import Episode, RealRun
from cwm_agent.agent.trust import PART_CREDIT, Trust
from cwm_agent.agent.worlds import Candidate, ImaginedRepair
from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.oracles.memo import MemoOracle
from cwm_agent.oracles.metered import MeteredOracle
from cwm_agent.oracles.protocol import Oracle, View
from cwm_agent.verification.measuring import Case, step_queries
from envs.evaluation import Evaluation, Evaluator
from envs.execution.entering import module_bindings
from envs.execution.frames import Trace
from envs.execution.program import decomposed
from envs.execution.reality import Reality
from envs.execution.sandbox import Sandbox
from envs.execution.tracer import TraceLimits
from envs.execution.values import ExecutionError
from envs.localisation import coverage, ochiai
from envs.repair import RepairCore, RepairState
from planners import MCTS, Limits, Planner, Search, Step, correct
from tasks import CallTest, RepairTask

LONGEST_REAL_TRACE = 3_000
REHEARSED_CHARACTERS = 400
"""Steps of the buggy program with longer values are not asked about beforehand: these cost most."""
REHEARSED_AT_ONCE = 256
REHEARSAL = 2.0
"""How much the buggy program's own run, imagined and real, counts beside later comparisons."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to solve; saved with every episode."""

    planner: str = "mcts"
    oracle: str = "embedded"
    view: View = "local"
    guide: Guide = GROUNDED
    budget: Budget = field(default_factory=Budget)
    seed: int = 0
    batch: int = 48
    """Candidates imagined together at first; later four times as many, since batches pay and luck wears off."""
    patience: int = 384
    """Candidates imagined before the first real run, where none is hopeful; a quarter as many between later ones."""
    ceiling: bool = False
    """Looks at reality are counted and not charged: for oracles that are the ceiling of an experiment."""

    def described(self) -> dict[str, object]:
        return {**asdict(self), "guide": self.guide.name}


@dataclass(slots=True)
class _Work:
    """One task being solved."""

    task: RepairTask
    settings: Settings
    core: RepairCore
    evaluator: Evaluator
    world: ImaginedRepair
    planner: Planner
    rng: Random
    spending: Spending
    deadline: float
    metered: MeteredOracle
    looks: bool
    """The oracle runs programs for real."""
    ran: set[str] = field(default_factory=set)
    runs: list[RealRun] = field(default_factory=list)
    search: Search[RepairState, object] | None = None

    def may_imagine(self) -> bool:
        """Whether the budget allows to imagine more."""
        budget = self.settings.budget
        return (
            self.settings.oracle != "none"
            and time.monotonic() < self.deadline
            and self.metered.tokens < budget.tokens
            and (not self.looks or self.settings.ceiling or self.executions < budget.executions)
        )

    @property
    def executions(self) -> int:
        """Real executions charged so far: candidates run, and programs that the oracle ran."""
        charged = self.looks and not self.settings.ceiling
        return self.evaluator.executions + (len(self.world.seen) if charged else 0)


def solve_repair(task: RepairTask, oracle: Oracle, planner: Planner, sandbox: Sandbox, settings: Settings) -> Episode:
    """Solve one task within its budget."""
    began = time.monotonic()
    metered = MeteredOracle(oracle)
    memo = MemoOracle(metered)
    work, trusted = _prepared(task, metered, memo, planner, sandbox, settings, began)
    solved = _search(work)
    spending = work.spending
    spending.executions = work.executions
    spending.looks = len(work.world.seen) if work.looks else 0
    spending.tokens, spending.queries, spending.remembered = metered.tokens, memo.asked, memo.remembered
    spending.imagined = sum(any(candidate.beliefs) for candidate in work.world.seen.values())
    spending.seconds = time.monotonic() - began
    return _episode(work, solved, trusted)


def _prepared(
    task: RepairTask,
    metered: MeteredOracle,
    oracle: Oracle,
    planner: Planner,
    sandbox: Sandbox,
    settings: Settings,
    began: float,
) -> tuple[_Work, tuple[bool, ...]]:
    """Run the buggy program for real and find out what imagination is worth on it."""
    spending, deadline = Spending(), began + settings.budget.seconds
    core = RepairCore.of_task(task, most_edits=settings.budget.edits)
    evaluator = Evaluator(task, sandbox)
    marks = evaluator.original.marks
    suspicion = ochiai(coverage(sandbox, task.source, task.tests, entry=task.entry, limits=evaluator.limits), marks)
    traces = _real_traces(task, sandbox)
    spending.real_seconds = time.monotonic() - began
    steps = 2 * max([len(trace) for trace in traces if trace] or [200]) + 100
    lent = next((module_bindings(trace.frames[0]) for trace in traces if trace and trace.frames), ())
    dreamer = Dreamer(oracle, settings.view, settings.guide, steps, deadline, lent)
    _rehearse(task, traces, oracle, settings.view, began + settings.budget.seconds / 4)
    beliefs = dreamer.beliefs([(task.source, task.entry, test) for test in task.tests])
    trusted = tuple(
        belief.passes is not None and trace is not None and belief.value == trace.outcome.value
        for belief, trace in zip(beliefs, traces, strict=True)
    )
    lengths = [len(trace) if trace else LONGEST_REAL_TRACE for trace in traces]
    order = tuple(sorted(range(len(marks)), key=lambda at: (bool(marks[at]), not trusted[at], lengths[at])))
    trusts = [Trust() for _ in trusted]
    for trust, good in zip(trusts, trusted, strict=True):
        trust.learn(good, REHEARSAL)
    world = ImaginedRepair(core, dreamer, marks, _before(task, evaluator.original), trusts, order, suspicion)
    rng, looks = Random(settings.seed), settings.oracle.partition(":")[0] in ("exact", "noisy")
    work = _Work(task, settings, core, evaluator, world, planner, rng, spending, deadline, metered, looks)
    work.ran.add(task.source)
    return work, trusted


def _before(task: RepairTask, original: Evaluation) -> tuple[float, ...]:
    """What each test of the buggy program counts: 1 where it passes, part credit where it comes close."""
    return tuple(
        1.0 if mark else PART_CREDIT * closeness(test.expected, value) if isinstance(test, CallTest) else 0.0
        for test, mark, value in zip(task.tests, original.marks, original.values, strict=True)
    )


def _rehearse(task: RepairTask, traces: list[Trace | None], oracle: Oracle, view: View, until: float) -> None:
    """Ask about every step of the buggy program's real runs at once: one large batch instead of many small ones.

    Candidates share most of these steps, and what the oracle said of them is remembered.
    """
    program = decomposed(task.source, task.entry)
    cases = [Case(task.id, program, trace) for trace in traces if trace is not None]
    queries = (query for _, query, _, _ in step_queries(cases, view) if query is not None)
    short = (query for query in queries if len(str(query.question)) <= REHEARSED_CHARACTERS)
    while (batch := list(islice(short, REHEARSED_AT_ONCE))) and time.monotonic() < until:
        oracle.imagine(batch)


def _real_traces(task: RepairTask, sandbox: Sandbox) -> list[Trace | None]:
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


def _search(work: _Work) -> Candidate | None:
    """Imagine, act, verify, learn, until a candidate passes for real or the budget is spent."""
    budget = work.settings.budget
    if work.evaluator.original.solved:
        return Candidate(work.core.initial(), (), 1.0)
    while work.executions < budget.executions:
        began = time.monotonic()
        candidate = _promising(work)
        work.spending.imagining_seconds += time.monotonic() - began
        if candidate is None:
            return None
        began = time.monotonic()
        evaluation = work.evaluator.run(candidate.state.source)
        work.spending.real_seconds += time.monotonic() - began
        _learn(work, candidate, evaluation)
        if evaluation.solved:
            return candidate
    return None


def _promising(work: _Work) -> Candidate | None:
    """The best candidate not yet run: one that is believed to pass everything, as soon as there is one."""
    patience = work.settings.patience if not work.runs else work.settings.patience // 4
    seen = len(work.world.seen)
    while len(work.world.seen) - seen < patience:
        best = _best(work)
        if best is not None and work.world.hopeful(best):
            return best
        work.world.open = work.may_imagine()
        if not _explore(work) or not work.world.open:
            break
    return _best(work)


def _explore(work: _Work) -> bool:
    """Imagine one more batch of candidates; False when there are none left."""
    before = len(work.world.seen)
    size = work.settings.batch * (4 if before else 1)
    if isinstance(work.planner, MCTS):
        if work.search is None:
            work.search = work.planner.search(work.world, _root(work), _limits(work), work.rng)  # type: ignore[arg-type]
        search = work.search
        search.remaining = max(search.remaining, size)
        leaves = search.ask(size)
        if leaves:
            answers = work.world.step([(leaf.state, leaf.action) for leaf in leaves], work.rng)  # type: ignore[misc]
            search.tell(zip(leaves, answers, strict=True))
        return bool(leaves)
    work.planner.plan(work.world, _root(work), _limits(work, before + size), Random(work.settings.seed))
    return len(work.world.seen) > before


def _root(work: _Work) -> Step[RepairState]:
    state = work.core.initial()
    return Step(state, value=work.evaluator.original.share, prior=work.world.prior(state))


def _limits(work: _Work, calls: int | None = None) -> Limits:
    return Limits(calls=calls, depth=work.settings.budget.edits)


def _best(work: _Work) -> Candidate | None:
    fresh = [each for source, each in work.world.seen.items() if source not in work.ran]
    return max(fresh, key=work.world.odds, default=None)


def _learn(work: _Work, candidate: Candidate, evaluation: Evaluation) -> None:
    """Keep the truth: it replaces what was imagined, and tests that were imagined wrong are trusted less."""
    work.ran.add(candidate.state.source)
    for trust, belief, mark in zip(work.world.trusts, candidate.beliefs, evaluation.marks, strict=True):
        if belief is not None and belief.passes is not None and mark is not None:
            trust.learn(belief.passes == mark)
    beliefs = tuple(None if belief is None else belief.passes for belief in candidate.beliefs)
    imagined = work.world.promise(candidate)
    patch = tuple(str(edit) for edit in candidate.state.patch)
    work.runs.append(RealRun(patch, imagined, beliefs, evaluation.marks))
    if work.search is not None and not evaluation.solved:
        further = evaluation.share > work.evaluator.original.share and len(patch) < work.settings.budget.edits
        prior = work.world.prior(candidate.state) if further else None
        real = Step(candidate.state, value=evaluation.share, terminal=not further, prior=prior)
        correct(work.search, list(candidate.state.patch), real)


def _episode(work: _Work, solved: Candidate | None, trusted: tuple[bool, ...]) -> Episode:
    source = work.task.source if solved is None else solved.state.source
    right = None if solved is None else work.evaluator.passes_hidden(source)
    diff = difflib.unified_diff(work.task.source.splitlines(), source.splitlines(), "before", "after", lineterm="")
    return Episode(
        work.task.id,
        solved is not None,
        right,
        () if solved is None else tuple(str(edit) for edit in solved.state.patch),
        "\n".join(diff),
        work.settings.described(),
        trusted,
        tuple(work.runs),
        asdict(work.spending),
    )
