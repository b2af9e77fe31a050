"""The agent: plan in imagination, run the most promising candidate for real, learn from the difference, go on.

The real run of the buggy program is paid for first; it says which tests fail, where, and on which tests the oracle can
be trusted. Hidden tests judge the result and are seen by nobody before.
"""

import difflib
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from random import Random
from typing import cast

from cwm_agent.agent.budget import Budget, Spending
from cwm_agent.agent.episode import Episode, RealRun
from cwm_agent.agent.repair import rehearsal
from cwm_agent.agent.repair.beliefs import RolloutImaginer
from cwm_agent.agent.repair.blind_search import BlindSearch
from cwm_agent.agent.repair.candidate_stream import CandidateStream
from cwm_agent.agent.repair.edit_ranking import Policy
from cwm_agent.agent.repair.history_beliefs import HistoryImaginer, MeteredHistory
from cwm_agent.agent.repair.imagined_tests import BatchedTests, ImaginedTests, StreamedTests
from cwm_agent.agent.repair.model_edits import Proposer, failures_of
from cwm_agent.agent.repair.repair_model import Candidate, ImaginedRepair
from cwm_agent.imagination.active_rollout import STEPS_A_TOKEN
from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.oracles.history_protocol import HistoryOracle
from cwm_agent.oracles.protocol import Oracle, View
from cwm_agent.oracles.wrappers.answer_cache import AnswerCache, CachedOracle
from cwm_agent.oracles.wrappers.meter import MeteredOracle
from envs.domains.evaluation import Evaluation, Evaluator
from envs.domains.fault_localisation import coverage, ochiai
from envs.domains.repair_core import RepairCore, RepairState
from envs.editing.class_priors import is_likely
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.stepper.first_frame import module_bindings
from planners import MCTS, Limits, Planner, Step
from tasks import RepairTask

USUAL_TOKENS = 128
"""What a candidate usually costs, steps by memory or rule among them."""
SECOND_THOUGHTS = 96
"""Further candidates imagined before an unlikely edit is run: many unlikely edits pass the tests and mean nothing."""


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
    """Tests imagined together, those that cost least so far; as one ends, the next begins."""
    patience: int = 1536
    """Effort before the first real run, where no candidate is hopeful; an eighth of it between later ones."""
    ceiling: bool = False
    """Looks at reality are counted and not charged: for oracles that are the ceiling of an experiment."""
    share: bool = False
    """What the oracle said is remembered from task to task."""
    policy: str = "embedded"
    """Who has an opinion on edits before they are imagined, in every row of an experiment alike; or `none`."""
    proposer: str = ""
    """A language model that proposes edits beside the rules; nothing for none."""

    @property
    def imagines(self) -> bool:
        """Whether anything is imagined at all."""
        return self.oracle != "none" and not self.planner.startswith("baseline")

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
    metered: MeteredOracle | MeteredHistory
    looks: bool
    """The oracle runs programs for real."""
    blind: BlindSearch | None = None
    """In place of planner and oracle, where a baseline was asked for."""
    ran: set[str] = field(default_factory=set)
    runs: list[RealRun] = field(default_factory=list)
    exploring: CandidateStream | None = None
    """How candidates are searched for, where the planner is a tree search that can be fed."""

    def may_imagine(self) -> bool:
        """Whether the budget allows to imagine more."""
        budget = self.settings.budget
        return (
            self.settings.imagines
            and time.monotonic() < self.deadline
            and self.metered.tokens < budget.tokens
            and self.world.steps < budget.steps
            and (not self.looks or self.settings.ceiling or self.executions < budget.executions)
        )

    @property
    def effort(self) -> int:
        """Candidates imagined so far; of dear ones each counts as often as it costs what one usually does."""
        return max(len(self.world.seen), (self.metered.tokens + self.world.steps // STEPS_A_TOKEN) // USUAL_TOKENS)

    @property
    def executions(self) -> int:
        """Real executions charged so far: candidates run, and programs that the oracle ran."""
        charged = self.looks and not self.settings.ceiling
        return self.evaluator.executions + (len(self.world.seen) + len(self.world.under_way) if charged else 0)


def solve_repair(
    task: RepairTask,
    oracle: Oracle | HistoryOracle,
    planner: Planner,
    sandbox: Sandbox,
    settings: Settings,
    memory: AnswerCache | None = None,
    proposer: Proposer | None = None,
    policy: Policy | None = None,
) -> Episode:
    """Solve one task within its budget; `memory` is what the oracle said before, where that is shared.

    A history oracle is asked in the history view; `proposer` is a source of edits beside the rules; `policy` has an
    opinion on all edits, and some of its own.
    """
    began = time.monotonic()
    metered: MeteredOracle | MeteredHistory
    memo: CachedOracle | MeteredHistory
    if settings.view == "history":
        metered = memo = MeteredHistory(cast(HistoryOracle, oracle))
    else:
        metered = MeteredOracle(cast(Oracle, oracle))
        memo = CachedOracle(metered, memory)
    work, trusted = _prepared(task, metered, memo, planner, sandbox, settings, began, proposer, policy)
    solved = _search(work)
    spending = work.spending
    spending.executions = work.executions
    spending.looks = len(work.world.seen) if work.looks else 0
    spending.tokens, spending.queries, spending.remembered = metered.tokens, memo.asked, memo.hits
    spending.steps = work.world.steps
    spending.imagined = sum(any(candidate.beliefs) for candidate in work.world.seen.values())
    spending.seconds = time.monotonic() - began
    return _episode(work, solved, trusted)


def _prepared(
    task: RepairTask,
    metered: MeteredOracle | MeteredHistory,
    oracle: CachedOracle | MeteredHistory,
    planner: Planner,
    sandbox: Sandbox,
    settings: Settings,
    began: float,
    proposer: Proposer | None,
    policy: Policy | None,
) -> tuple[_Work, tuple[bool | None, ...]]:
    """Run the buggy program for real and find out what imagination is worth on it."""
    spending, deadline = Spending(), began + settings.budget.seconds
    evaluator = Evaluator(task, sandbox)
    marks = evaluator.original.marks
    covered = coverage(sandbox, task.source, task.tests, entry=task.entry, limits=evaluator.limits)
    suspicion = ochiai(covered, marks)
    traces = rehearsal.real_traces(task, sandbox)
    spending.real_seconds = time.monotonic() - began
    lengths = [len(trace) if trace else rehearsal.LONGEST_REAL_TRACE for trace in traces]
    limits = {test: 3 * length + 200 for test, length in zip(task.tests, lengths, strict=True)}
    lent = next((module_bindings(trace.frames[0]) for trace in traces if trace and trace.frames), ())
    dreamer: RolloutImaginer | HistoryImaginer
    if isinstance(oracle, MeteredHistory):
        dreamer = HistoryImaginer(oracle, settings.guide, until=deadline, lent=lent, limits=limits)
    else:
        assert settings.view != "history"
        dreamer = RolloutImaginer(oracle, settings.view, settings.guide, until=deadline, lent=lent, limits=limits)
    trusted = rehearsal.trusted(task, traces, dreamer) if settings.imagines else (None,) * len(traces)
    order = rehearsal.order_of(marks, trusted, lengths)
    core = RepairCore.of_task(task, most_edits=settings.budget.edits)
    if proposer is not None:
        failures = failures_of(task, evaluator.original, order, dreamer if settings.imagines else None)
        core = replace(core, proposed=proposer.edits(task.source, task.entry, failures))
        spending.proposals, spending.proposal_tokens = len(core.proposed), proposer.tokens
    dreaming: ImaginedTests[tuple[str, int]] = (
        StreamedTests(dreamer, settings.batch) if isinstance(dreamer, RolloutImaginer) else BatchedTests(dreamer)
    )
    before, trusts = rehearsal.counts_of(task, evaluator.original), rehearsal.first_trust(trusted)
    world = ImaginedRepair(core, dreaming, marks, before, trusts, order, tuple(lengths), suspicion, covered, policy)
    rng, looks = Random(settings.seed), settings.oracle.partition(":")[0] in ("exact", "noisy")
    work = _Work(task, settings, core, evaluator, world, planner, rng, spending, deadline, metered, looks)
    work.ran.add(task.source)
    if settings.planner.startswith("baseline"):
        work.blind = BlindSearch.named(settings.planner, core, suspicion, rng, evaluator.original.share)
    elif isinstance(planner, MCTS):
        work.exploring = CandidateStream.begun(world, _root(work), planner, settings.budget.edits, rng)
    return work, trusted


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
    if work.blind is not None:
        return work.blind.next()
    patience = work.settings.patience if not work.runs else work.settings.patience // 8
    before, since = work.effort, None
    while work.effort - before < patience:
        hope = _best(work, work.world.hopes)
        if hope is not None:
            since = len(work.world.seen) if since is None else since
            if is_likely(hope.state.patch) or len(work.world.seen) - since >= SECOND_THOUGHTS:
                return hope
        work.world.open = work.may_imagine()
        if not _explore(work) or not work.world.open:
            break
    return _best(work, work.world.hopes) or _best(work, work.world.seen.values())


def _explore(work: _Work) -> bool:
    """Imagine a few more candidates, or the same ones further; False when there are none left."""
    if work.exploring is not None:
        return work.exploring.advance()
    before, settings = len(work.world.seen), work.settings
    limits = Limits(calls=before + settings.batch, depth=settings.budget.edits)
    work.planner.plan(work.world, _root(work), limits, Random(settings.seed))
    return len(work.world.seen) > before


def _root(work: _Work) -> Step[RepairState]:
    state = work.core.initial()
    return Step(state, value=work.evaluator.original.share, prior=work.world.prior(state))


def _best(work: _Work, candidates: Iterable[Candidate]) -> Candidate | None:
    """The likeliest of some candidates that were not run yet."""
    fresh = [each for each in candidates if each.state.source not in work.ran]
    return max(fresh, key=work.world.odds, default=None)


def _learn(work: _Work, candidate: Candidate, evaluation: Evaluation) -> None:
    """Keep the truth: it replaces what was imagined, and tests that were imagined wrong are trusted less."""
    work.ran.add(candidate.state.source)
    if work.blind is not None:
        work.blind.told(candidate, evaluation.share)
    for trust, belief, mark in zip(work.world.trusts, candidate.beliefs, evaluation.marks, strict=True):
        if belief is not None and belief.passes is not None and mark is not None:
            trust.learn(belief.passes == mark)
    beliefs = tuple(None if belief is None else belief.passes for belief in candidate.beliefs)
    imagined = work.world.expected_share(candidate)
    patch = tuple(str(edit) for edit in candidate.state.patch)
    work.runs.append(RealRun(patch, imagined, beliefs, evaluation.marks))
    work.world.learn(candidate.state, evaluation.marks)
    if work.exploring is not None and not evaluation.solved:
        further = evaluation.share > work.evaluator.original.share and len(patch) < work.settings.budget.edits
        prior = work.world.prior(candidate.state) if further else None
        real = Step(candidate.state, value=evaluation.share, terminal=not further, prior=prior)
        work.exploring.correct(candidate.state, real)


def _episode(work: _Work, solved: Candidate | None, trusted: tuple[bool | None, ...]) -> Episode:
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
