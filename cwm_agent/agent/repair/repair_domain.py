"""The repair domain: edits of a buggy program, imagined on its tests, run for real when their odds are best.

The real run of the buggy program is charged first; it says which tests fail, where, and on which tests the oracle can
be trusted. Hidden tests judge the result; nothing sees them before. Knows no planner.
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from random import Random
from typing import Any

from cwm_agent import defaults
from cwm_agent.agent.budget import Spending
from cwm_agent.agent.domain import Conclusion, Finding
from cwm_agent.agent.draft_programs import draft_edits
from cwm_agent.agent.episodes.episode import RealRun
from cwm_agent.agent.episodes.search_record import SearchRecord
from cwm_agent.agent.learning.true_steps import RealSteps
from cwm_agent.agent.loop import Imagining
from cwm_agent.agent.repair import original_run
from cwm_agent.agent.repair.blind_search import BlindSearch
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.candidate_stream import CandidateStream
from cwm_agent.agent.repair.details.recorded_runs import RecordedRuns
from cwm_agent.agent.repair.details.repair_details import RepairDetails, RunCandidate
from cwm_agent.agent.repair.details.rollout_replay import KeptRollouts, RolloutReplay
from cwm_agent.agent.repair.history_beliefs import IMAGINERS, Imaginer
from cwm_agent.agent.repair.imagined_tests import tests_of
from cwm_agent.agent.repair.odds import most_informative
from cwm_agent.agent.repair.original_run import ImaginedOriginal
from cwm_agent.agent.repair.persistence import most_effort
from cwm_agent.agent.repair.proposals.model_edits import failures_of
from cwm_agent.agent.repair.proposals.real_verdicts import fixed_tests, really_judged
from cwm_agent.agent.repair.readiness import Readiness
from cwm_agent.agent.repair.repair_model import ImaginedRepair
from cwm_agent.agent.repair.selection.failing_tests import failing_lines, refuse_flaky
from cwm_agent.agent.repair.selection.likely_rivals import likely_rivals
from cwm_agent.agent.repair.selection.patch_choice import PatchChoice, further_effort
from cwm_agent.agent.repair.selection.result_differences import VariedCalls
from cwm_agent.agent.repair.selection.second_look import SecondLook
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import MeteredAnswers, Workplace
from cwm_agent.imagination.active_rollout import STEPS_A_TOKEN
from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.oracles.protocol import width_of
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from envs.domains.evaluation import Evaluation, Evaluator
from envs.domains.fault_localisation import coverage, ochiai
from envs.domains.inputs.argument_types import argument_types
from envs.domains.load_check import check_loads
from envs.domains.repair_core import RepairCore, RepairState
from envs.editing.edit import Edit
from envs.execution.state.frames import Trace
from envs.execution.stepper.first_frame import module_bindings
from planners import Leaf, Step
from tasks import RepairTask

USUAL_TOKENS = 128
"""Tokens that a candidate usually costs; steps by cache or rule are counted among them."""


@dataclass(slots=True)
class RepairDomain:
    """One repair task being solved: a `Domain` that streams, proposes, chooses and concludes."""

    task: RepairTask
    workplace: Workplace
    spending: Spending = field(default_factory=Spending)
    original: ImaginedOriginal = field(init=False)
    """On which tests the oracle was right about the buggy program, and which it cannot imagine."""
    _core: RepairCore = field(init=False)
    _evaluator: Evaluator = field(init=False)
    _evaluation: Evaluation = field(init=False)
    """Of the candidate that was run last."""
    _world: ImaginedRepair = field(init=False)
    _stream: CandidateStream = field(init=False)
    _oracle: MeteredAnswers = field(init=False)
    _blind: BlindSearch | None = None
    """In place of planner and oracle, for a baseline."""
    _candidate: Candidate | None = None
    """The candidate that was chosen last."""
    _ran: set[str] = field(default_factory=set)
    _recorded: RecordedRuns = field(default_factory=RecordedRuns)
    _runs: list[RunCandidate] = field(default_factory=list)
    _kept: KeptRollouts = field(default_factory=KeptRollouts)
    """Rollouts that cannot be repeated from the answer cache."""
    _choice: PatchChoice = field(init=False)
    _imaginer_used: Imaginer = field(init=False)
    _solved_after: int | None = None
    """Real executions until the first candidate passed."""
    _repeats: int = 0
    """Chosen candidates whose result was known, since they are one program with another text: each is charged too."""
    _looked_further: bool = False
    _drafts: frozenset[str] = frozenset()
    """Programs to begin with: all of them are imagined before anything is run."""

    @property
    def settings(self) -> Settings:
        return self.workplace.settings

    # The five methods of a domain.

    def start(self, spending: Spending) -> Step[RepairState]:
        """Run the buggy program for real, and find out on which tests imagination is right about it."""
        began = time.monotonic()
        self.spending = spending
        self._oracle = self.workplace.metered_oracle()
        task, sandbox, settings = self.task, self.workplace.sandbox, self.settings
        self._evaluator = evaluator = Evaluator(task, sandbox)
        check_loads(evaluator.original, settings.packages)
        refuse_flaky(task, evaluator)
        marks = evaluator.original.marks
        covered = coverage(sandbox, task.source, task.tests, entry=task.entry, limits=evaluator.limits)
        suspicion = ochiai(covered, marks)
        traces = original_run.real_traces(task, sandbox)
        spending.real_seconds = time.monotonic() - began
        self._recorded.keep(task, traces)
        lengths = tuple(len(trace) if trace else original_run.LONGEST_REAL_TRACE for trace in traces)
        until = began + settings.budget.seconds
        imaginer = self._imaginer(traces, lengths, until)
        self.original = original_run.imagined_original(task, traces, imaginer if settings.imagines else None)
        judged = lengths if settings.imagines else (0,) * len(lengths)  # a real run judges long tests too
        order = original_run.order_of(marks, self.original, judged)
        self._core = self._with_proposals(RepairCore.of_task(task, most_edits=settings.budget.edits), order, imaginer)
        self._world = ImaginedRepair(
            self._core,
            tests_of(imaginer, settings.batch or width_of(self.workplace.oracle)),
            marks=marks,
            original_scores=original_run.original_scores(task, evaluator.original),
            trusts=original_run.first_trust(self.original.trusted),
            order=order,
            lengths=lengths,
            suspicion=suspicion,
            covered=covered,
            policy=self.workplace.policy if time.monotonic() < until else None,  # it takes seconds
            evidence=original_run.run_evidence(task, traces, marks),
            learnt_value=None if self.workplace.value is None else self.workplace.value.value_of,
        )
        self._ran.add(task.source)
        self._imaginer_used = imaginer
        types = argument_types(task) if settings.inputs else ()
        calls = VariedCalls.of_task(task, settings.seed, types=types)
        look = SecondLook(task, calls, evaluator.original, self.workplace.policy)
        self._choice = PatchChoice(look, sandbox, evaluator.limits, types, self.workplace.symbolic)
        self._account()
        state = self._core.initial()
        if evaluator.original.solved:
            return Step(state, value=1.0, end="goal")
        if settings.planner.startswith("baseline"):
            rng, share = Random(settings.seed), evaluator.original.share
            self._blind = BlindSearch.named(settings.planner, self._core, suspicion, rng, share=share)
            return Step(state, value=evaluator.original.share)
        self._stream = CandidateStream.begun(self._world, settings)
        return Step(state, value=evaluator.original.share, prior=self._world.prior(state))

    def actions(self, state: RepairState) -> Sequence[Edit]:
        return self._world.actions(state)

    def imagine(self, new: Sequence[Leaf[RepairState, Edit]]) -> Sequence[Finding[RepairState, Edit]]:
        """Begin new candidates and imagine all that are under way further."""
        found = self._stream.imagine(new)
        self._account()
        return found

    def act(self, path: Sequence[Edit], spending: Spending) -> RealRun:
        """Run the candidate that was chosen on all visible tests."""
        candidate, before = self._chosen(path), self._evaluator.executions
        evaluation = self._evaluation = self._evaluator.run(candidate.state.source)
        self._repeats += self._evaluator.executions == before
        if self.settings.learn:
            self._recorded.record(self.task, candidate.state.source, self.workplace.sandbox)
        self._ran.add(candidate.state.source)
        self._runs.append(RunCandidate(candidate, self._world.odds(candidate), evaluation))
        self._choice.look.notice(candidate, evaluation)
        self._account()
        if evaluation.solved and self._solved_after is None:
            self._solved_after = self.spending.executions
        beliefs = tuple(None if belief is None else belief.passes for belief in candidate.beliefs)
        return RealRun(tuple(map(str, path)), self._world.expected_share(candidate), beliefs, evaluation.marks)

    def learn(self, path: Sequence[Edit], real: RealRun) -> Step[RepairState]:
        """Trust tests that were imagined wrong less; candidates made from this one must fix what it really fails."""
        candidate, original, evaluation = self._chosen(path), self._evaluator.original, self._evaluation
        if self._blind is not None:
            self._blind.learn(candidate, evaluation.share)
        for trust, passes, mark in zip(self._world.trusts, real.beliefs, real.marks, strict=True):
            if passes is not None and mark is not None:
                trust.learn(passes == mark)
        self._world.learn(candidate.state, evaluation.marks)
        if self.settings.lists:
            most = max((fixed_tests(each.evaluation.marks, original.marks) for each in self._runs[:-1]), default=0)
            self._stream.learn(really_judged(candidate, evaluation, self.task.tests, original.marks, most=most))
        if evaluation.solved:
            return Step(candidate.state, value=evaluation.share, end="goal")
        if evaluation.share > original.share and len(path) < self.settings.budget.edits:
            return Step(candidate.state, value=evaluation.share, prior=self._world.prior(candidate.state))
        return Step(candidate.state, value=evaluation.share, end="failure")

    # Abilities beyond these: streaming, proposals, the choice of the candidate, the conclusion.

    def room(self) -> int:
        return self._stream.room()

    def busy(self) -> bool:
        return bool(self._world.under_way)

    def close(self) -> Sequence[Finding[RepairState, Edit]]:
        return self._stream.close()

    def propose(self, asked: int) -> bool:
        return self._stream.propose(asked)

    def progress(self) -> str:
        """Candidates imagined, and how many tests the best one is believed to pass."""
        seen, tests = self._world.seen, len(self.task.tests)
        best = "passes" if self._world.believed_solutions else f"passes {self._world.most_passing} of {tests} tests"
        return f"{len(seen)} candidates imagined, best so far {best}"

    def choose(self, imagining: Imagining[RepairState, Edit]) -> Sequence[Edit] | None:
        """The candidate with the best odds that was not run yet; at once where it is believed to pass everything."""
        if self._blind is not None:
            self._candidate = self._blind.next()
        else:
            best = self._best_listed if self.settings.lists else self._best_candidate
            self._candidate = best(imagining)
        return None if self._candidate is None else self._candidate.state.patch

    def alternative(self, imagining: Imagining[RepairState, Edit]) -> Sequence[Edit] | None:
        """A smaller patch, or another candidate that may be what the author meant."""
        if self._blind is not None:
            return None
        self._candidate = self._choice.look.next()
        if self._candidate is None and self.settings.imagines and not self._looked_further:
            self._looked_further = True
            self._imagine_further(imagining, passing := self._choice.look.passing_candidates())
            believed = [*self._world.believed_solutions, *likely_rivals(self._world, self._imaginer_used, passing)]
            ranked = sorted(believed, key=lambda each: -self._world.odds(each))
            self._choice.look.add_alternatives(ranked, self._imaginer_used)
            self._account()
            self._candidate = self._choice.look.next()
        return None if self._candidate is None else self._candidate.state.patch

    def preferred(self, path: Sequence[Edit]) -> Sequence[Edit]:
        """The most natural of the patches that passed, after all of them were run on inputs that no test has."""
        if self._blind is not None:
            return path
        self._candidate = self._choice.choose(self._comparisons_left)
        return self._candidate.state.patch

    def _comparisons_left(self) -> int:
        self._account()
        return self.settings.budget.comparisons - self.spending.comparisons

    def _imagine_further(self, imagining: Imagining[RepairState, Edit], passing: Sequence[Candidate]) -> None:
        """Imagine for a bounded effort more, which does not depend on the clock."""
        last = self._effort + further_effort(self._effort, passing)
        while self._effort < last and imagining.advance() and imagining.open:
            pass

    def conclude(self, path: Sequence[Edit] | None) -> Conclusion:
        """The patch as a diff, and whether the hidden tests pass too."""
        self._account_all()
        failing = failing_lines(self.task, self._evaluator.original)
        if path is None:
            return Conclusion(trusted=self.original.trusted, failing=failing, imagination=self._imagination)
        source = self._candidate.state.source if path and self._candidate else self.task.source
        before, after = self.task.source.splitlines(), source.splitlines()
        diff = difflib.unified_diff(before, after, "before", "after", lineterm="")
        right, trusted = self._evaluator.passes_hidden(source), self.original.trusted
        found = Conclusion("\n".join(diff), right, trusted, failing, imagination=self._imagination)
        known, marks = self.settings.imagines and self.workplace.policy is not None, self._evaluator.original.marks
        return self._choice.concluded(found, marks, self.spending, known=known)

    @property
    def _imagination(self) -> tuple[str, ...]:
        return self.original.lines if self.settings.imagines else ()

    def estimate(self) -> tuple[int, float | None]:
        """The candidates imagined so far, and the best odds among those that were not run."""
        best = self._best(self._world.seen.values()) if self.settings.imagines else None
        return len(self._world.seen), None if best is None else self._world.odds(best)

    def describe(self, record: SearchRecord) -> dict[str, Any]:
        """Program, tests, fault localisation, the tree with beliefs at its nodes, and the frames that were imagined."""
        replay = RolloutReplay(self._imaginer_used, self._kept)
        return RepairDetails(self.task, self._world, self._evaluator.original, self._runs, replay=replay).rows(record)

    def _best_candidate(self, imagining: Imagining[RepairState, Edit]) -> Candidate | None:
        marks = self._evaluator.original.marks
        if all(marks[at] for at in self._world.order):
            imagining.close()  # no failing test can be imagined, so no candidate could be believed to fix one
        before, readiness = self._effort, Readiness(self._world, self._best)
        while self._effort - before < self._patience or self._best_known is None:
            if self._world.seen and self._effort >= most_effort(self.settings.patience, marks, self._runs):
                imagining.close()  # the real runs that are left go to the best candidates known
            waits = bool(self._drafts & self._world.under_way.keys())
            if not waits and (candidate := readiness.candidate()) is not None:
                return candidate
            if not imagining.advance() or not imagining.open:
                break
        return self._best_known

    @property
    def _best_known(self) -> Candidate | None:
        """The best candidate that was not run yet, one that is believed to pass before all others."""
        return self._best(self._world.believed_solutions) or self._best(self._world.seen.values())

    @property
    def _patience(self) -> int:
        """Effort before the next real run while no candidate is believed to pass."""
        return max(1, self.settings.patience // (defaults.LATER_PATIENCE if self._runs else 1))

    def _best_listed(self, imagining: Imagining[RepairState, Edit]) -> Candidate | None:
        """The likeliest candidate by priors and real verdicts, of as many as would be imagined before this run."""
        imagining.close()
        before = len(self._world.seen)
        while len(self._world.seen) - before < self._patience:
            room, listed = self._stream.room(), imagining.advance()
            if not self._stream.propose(room if listed else 0) and not listed:
                break
        return self._best(self._world.seen.values())

    def _best(self, candidates: Iterable[Candidate]) -> Candidate | None:
        """The candidate to run of some, none of whose code was run; a sensible one while more can be imagined."""
        fresh = [each for each in candidates if each.state.source not in self._ran]
        while (best := self._likeliest(fresh)) is not None:
            if self._choice.look.was_run(best):
                self._ran.add(best.state.source)
            elif not self._world.open or self._choice.look.is_sensible(best):
                return best
            fresh.remove(best)
        return None

    def _likeliest(self, candidates: Sequence[Candidate]) -> Candidate | None:
        """The candidate with the best odds, or, where the settings say so, the one whose run gains most."""
        if self.settings.choice != "information" or len(candidates) < 2:
            return max(candidates, key=self._world.odds, default=None)
        options, rng = [(each.prior, each.beliefs) for each in candidates], Random(self.settings.seed + len(self._runs))
        return candidates[most_informative(options, self._world.trusts, self._world.marks, rng)]

    def _chosen(self, path: Sequence[Edit]) -> Candidate:
        """The candidate of a path: the one that was chosen, or one that nothing is believed of."""
        if self._candidate is not None and self._candidate.state.patch == tuple(path):
            return self._candidate
        state = reduce(self._core.transition, path, self._core.initial())
        return Candidate(state, (None,) * len(self.task.tests), 0.0)

    @property
    def _effort(self) -> int:
        """Candidates imagined so far; an expensive one counts as often as it costs what a candidate usually does."""
        tokens = self._oracle.meter.tokens + self._world.steps // STEPS_A_TOKEN
        return max(self._world.judged, tokens // USUAL_TOKENS)

    def _imaginer(self, traces: Sequence[Trace | None], lengths: Sequence[int], until: float) -> Imaginer:
        limits = {test: 3 * length + 200 for test, length in zip(self.task.tests, lengths, strict=True)}
        variables = next((module_bindings(trace.frames[0]) for trace in traces if trace and trace.frames), ())
        oracle, view, guide = self._oracle.cache, self.settings.view, self.settings.guide
        made = IMAGINERS[adapter_of(view).frame_type]
        keep = self._kept.keeper(oracle, view)
        return made(oracle, view, guide, until=until, module_variables=variables, limits=limits, keep=keep)

    def _with_proposals(self, core: RepairCore, order: Sequence[int], imaginer: Imaginer) -> RepairCore:
        """The core with drafts and edits of a language model beside those by rule, where the settings name any."""
        proposer, drafts = self.workplace.proposer, draft_edits(self.task, self.workplace.drafts)
        self._drafts = frozenset(edit.apply(self.task.source) for edit in drafts)
        core = replace(core, proposed=drafts)
        if proposer is None:
            return core
        shown = imaginer if self.settings.imagines else None
        failures = failures_of(self.task, self._evaluator.original, order, shown)
        core = replace(core, proposed=(*drafts, *proposer.edits(self.task.source, self.task.entry, failures)))
        self.spending.proposals, self.spending.proposal_tokens = len(core.proposed), proposer.tokens
        return core

    def real_steps(self) -> RealSteps:
        assert isinstance(self._oracle.cache, CachedOracle)
        return self._recorded.steps(self._oracle.cache)

    def _account(self) -> None:
        """Bring up to date what the loop reads of the spending."""
        spent, world = self.spending, self._world
        charged = len(world.seen) + len(world.under_way) if self.settings.charges_oracle else 0
        total = self._evaluator.executions + self._choice.executions + self._repeats + charged
        spent.executions = total if self._solved_after is None else self._solved_after
        spent.comparisons = total - spent.executions
        spent.tokens, spent.steps = self._oracle.meter.tokens, world.steps

    def _account_all(self) -> None:
        self._account()
        spent, world = self.spending, self._world
        spent.looks = len(world.seen) if self.settings.runs_programs else 0
        spent.queries, spent.remembered = self._oracle.cache.asked, self._oracle.cache.hits
        spent.imagined = sum(candidate.is_answered for candidate in world.seen.values())
