"""What one process solves tasks with: settings, and the sandbox, oracle, policy and proposer that they name.

Everything is opened when it is first used and kept, so that a domain that needs no sandbox starts none.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from cwm_agent.agent.domain import ChoosesPlanner, DomainError, DomainKind, Prepares, ShowsRealSteps, Task, opened
from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.learning.errors import CannotLearn
from cwm_agent.agent.learning.learnt_model import FILE, LearntModel, LearntPolicy
from cwm_agent.agent.learning.online_learner import OnlineLearner, check_learning
from cwm_agent.agent.learning.true_steps import RealSteps
from cwm_agent.agent.loop import solve_task
from cwm_agent.agent.planner_registry import planner_named
from cwm_agent.agent.repair.edit_ranking import Policy
from cwm_agent.agent.repair.history_beliefs import MeteredHistory, real_histories
from cwm_agent.agent.repair.proposals.model_edits import Proposer
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.worker_state import TaskWatch, Watcher
from cwm_agent.imagination.view_adapters import FrameType, adapter_of
from cwm_agent.oracles.history_protocol import HistoryOracle
from cwm_agent.oracles.protocol import ChangesWeights, Forgets, Oracle, OracleError
from cwm_agent.oracles.wrappers.answer_cache import AnswerCache, CachedOracle
from cwm_agent.oracles.wrappers.meter import MeteredOracle
from cwm_agent.oracles.writer_protocol import writer_named
from envs.bounded_cache import empty_caches
from envs.domains.inputs.symbolic_inputs import SymbolicInputs
from envs.domains.load_check import CannotLoad
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Frame
from envs.execution.state.history_frames import HistoryFrame
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.tracer.history_recorder import Recorder
from envs.execution.tracer.reality import Reality
from planners import BadPlanner, Planner
from tasks.errors import TaskError


@dataclass(frozen=True, slots=True)
class MeteredAnswers:
    """An oracle as one task uses it."""

    meter: MeteredOracle | MeteredHistory
    """Counts what the oracle itself answers."""
    cache: CachedOracle | MeteredHistory
    """The oracle to ask: it answers from the cache where it can, and counts that."""


class Workplace:
    """Solves tasks one after another; what one task does never depends on another, unless answers are shared."""

    def __init__(
        self,
        settings: Settings,
        *,
        oracle: Oracle | HistoryOracle | None = None,
        sandbox: Sandbox | None = None,
        proposer: Proposer | None = None,
        cache: AnswerCache | None = None,
    ) -> None:
        """What is given is used in place of what the settings name; `cache` holds answers across tasks."""
        self.settings = settings
        self.on_progress: Callable[[str], None] = lambda note: None
        """Called with a line about the current task, many times a second."""
        self.watcher: Watcher | None = None
        """Takes what this process does; None where no display shows it."""
        self.real_steps: RealSteps | None = None
        """Real runs of the task that was solved last, where the oracle learns from them."""
        self._cache = AnswerCache() if cache is None and settings.share else cache
        given = {"oracle": oracle, "sandbox": sandbox, "proposer": proposer}
        self.__dict__ |= {name: value for name, value in given.items() if value is not None}  # as if opened

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the oracle's session with the sandbox and the sandbox's processes, where they were opened."""
        if "_reality" in self.__dict__:
            self._reality.close()
        if "sandbox" in self.__dict__:
            self.sandbox.close()
        if self.__dict__.get("symbolic") is not None:
            self.__dict__["symbolic"].close()

    @cached_property
    def sandbox(self) -> Sandbox:
        """Runs programs for real, contained."""
        return Sandbox(packages=self.settings.packages)

    @cached_property
    def _reality(self) -> Reality:
        return Reality(self.sandbox)

    @cached_property
    def oracle(self) -> Oracle | HistoryOracle:
        """The oracle that the settings name, of the kind that their view asks; a baseline's answers nothing."""
        settings, adapter = self.settings, adapter_of(self.settings.view)
        if not settings.imagines:
            found: Oracle | HistoryOracle = adapter.no_oracle()
        else:
            found = adapter.oracle(
                settings.oracle, lambda: self._reality, real_histories(lambda: Recorder(self.sandbox))
            )
        return found

    @cached_property
    def symbolic(self) -> SymbolicInputs | None:
        """Finds inputs on which two programs differ, where the settings ask for it."""
        return SymbolicInputs() if self.settings.inputs == "symbolic" else None

    @cached_property
    def policy(self) -> Policy | None:
        """The edit policy that the settings name; a blind baseline has none."""
        return policy_of(self.settings)

    @cached_property
    def value(self) -> LearntModel | None:
        """The value of candidates that was learnt from episodes, where the settings name one."""
        if not self.settings.value:
            return None
        found = LearntModel.load(self.settings.value)
        if not found.value:
            raise CannotLearn(f"The model in {self.settings.value} has no value: no episode it saw imagined anything.")
        return found

    @cached_property
    def proposer(self) -> Proposer | None:
        """The language model that proposes edits, where the settings name one."""
        settings = self.settings
        return Proposer(writer_named(settings.proposer), seed=settings.seed) if settings.proposer else None

    @cached_property
    def drafts(self) -> Mapping[str, tuple[str, ...]]:
        """Programs to begin with, by task; none where the settings name no file."""
        from cwm_agent.agent.draft_programs import read_drafts

        return read_drafts(self.settings.drafts) if self.settings.drafts else {}

    @property
    def shared_cache(self) -> AnswerCache | None:
        """The oracle's answers so far, where tasks share them."""
        return self._cache

    def metered_oracle(self) -> MeteredAnswers:
        """The oracle with counters that start at 0, and behind the answer cache where queries of its view repeat."""
        return _METERED[adapter_of(self.settings.view).frame_type](self.oracle, self.shared_cache)

    def planner(self, kind: DomainKind) -> Planner:
        """The planner that the settings name, with the options that suit a kind of domain."""
        own = kind.planner(self.settings.planner) if isinstance(kind, ChoosesPlanner) else None
        return own or planner_named(self.settings.planner)

    def open(self, kind: DomainKind) -> None:
        """Open the oracle, and what a kind of domain needs, so that what cannot be opened is refused at once."""
        _ = self.oracle
        if isinstance(kind, Prepares):
            kind.prepare(self)

    def solve(self, kind: DomainKind, task: Task) -> Episode:
        """One episode; a task that cannot be worked on is a failed row with its reason.

        A backend that fails and a plug-in that breaks its protocol end the run, which can be continued when they work.
        A fault of the agent itself is recorded with its traceback, so that the other tasks of a long run are not lost.
        """
        self.forget()
        self.real_steps = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # of candidates such as `x is 1`
                watch = None if self.watcher is None else TaskWatch(task.id, self.watcher)
                domain, planner = opened(kind, task, self), self.planner(kind)
                if self.settings.learn and not isinstance(domain, ShowsRealSteps):
                    raise CannotLearn(
                        f"--learn {self.settings.learn} needs real runs step by step, and {kind.name} tasks show none."
                    )
                found = solve_task(task.id, domain, planner, self.settings, on_progress=self.on_progress, watch=watch)
                if self.settings.learn and isinstance(domain, ShowsRealSteps):
                    self.real_steps = domain.real_steps()
                return found
        except (OracleError, DomainError, BadPlanner, CannotLearn):
            raise
        except (ExecutionError, TaskError) as error:
            spent = {"executions": 1.0} if isinstance(error, CannotLoad) else {}
            return self._failed(task, f"{type(error).__name__}: {error}", spent)
        except Exception:
            return self._failed(task, traceback.format_exc())

    def _failed(self, task: Task, problem: str, spent: dict[str, float] | None = None) -> Episode:
        settings = self.settings.described()
        return Episode(task.id, False, None, settings=settings, problem=problem, spent=spent or {})

    def learner(self, folder: Path) -> OnlineLearner | None:
        """What adapts the oracle between tasks, with its file in a folder; None where the settings learn nothing."""
        if not self.settings.learn:
            return None
        check_learning(self.settings)
        oracle, view = self.oracle, self.settings.view
        assert isinstance(oracle, ChangesWeights)
        assert view != "history"
        adapts = self.settings.learn == "online"
        return OnlineLearner(oracle, folder, view=view, seed=self.settings.seed, adapts=adapts)

    def learn(self, learner: OnlineLearner, task: Task) -> None:
        """Adapt the oracle to the task that was solved last; answers of the old weights are no longer shared."""
        if self.real_steps is not None and learner.learn(task.id, self.real_steps) and self._cache is not None:
            self._cache = AnswerCache()

    def forget(self) -> None:
        """Forget earlier tasks: an episode is the same whatever this process solved before, and memory stays level."""
        empty_caches()
        if isinstance(self.oracle, Forgets):
            self.oracle.forget()


def _metered_steps(oracle: Any, cache: AnswerCache | None) -> MeteredAnswers:
    meter = MeteredOracle(oracle)
    return MeteredAnswers(meter, CachedOracle(meter, cache))


def _metered_histories(oracle: Any, cache: AnswerCache | None) -> MeteredAnswers:
    meter = MeteredHistory(oracle)
    return MeteredAnswers(meter, meter)


_METERED: dict[FrameType, Callable[[Any, AnswerCache | None], MeteredAnswers]] = {
    Frame: _metered_steps,
    HistoryFrame: _metered_histories,
}


def policy_of(settings: Settings) -> Policy | None:
    """The policy that the settings name; a blind baseline has none."""
    if settings.policy == "none" or settings.planner.startswith("baseline"):
        return None
    from cwm_agent.engine.weights import WeightsError
    from cwm_agent.policy.edit_policy import EditPolicy

    if (Path(settings.policy) / FILE).is_file():
        return LearntPolicy(EditPolicy.shipped(), LearntModel.load(settings.policy))
    try:
        return EditPolicy.shipped() if settings.policy == "embedded" else EditPolicy.load(settings.policy)
    except WeightsError as error:
        raise OracleError(f"The policy {settings.policy!r} cannot be loaded: {error}") from error
