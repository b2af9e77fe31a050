"""The permutation domain: plan in imagination, imagine the plan once more, carry it out, learn, plan again.

A plan that is not imagined to lead to the goal, twice, is not carried out. What a run shows is kept, so the next plan
starts from what is true. Without an oracle there is nothing to search in: plans are drawn, as the control.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from cwm_agent.agent.budget import Spending
from cwm_agent.agent.domain import Conclusion, Finding
from cwm_agent.agent.episodes.episode import Episode, RealRun
from cwm_agent.agent.episodes.search_record import SearchRecord
from cwm_agent.agent.loop import Imagining, solve_task
from cwm_agent.agent.permutation.history_model import HistoryPermutation
from cwm_agent.agent.permutation.known_plans import PlanState
from cwm_agent.agent.permutation.permutation_model import ImaginedPermutation, step_to
from cwm_agent.agent.permutation.plan_details import PlanDetails
from cwm_agent.agent.planner_registry import planner_named
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import MeteredAnswers, Workplace
from cwm_agent.imagination.guides import Guide
from cwm_agent.imagination.view_adapters import FrameType, adapter_of
from cwm_agent.oracles.history_protocol import HistoryOracle
from cwm_agent.oracles.protocol import Oracle, View
from envs.domains.permutation_commands import Command
from envs.domains.permutation_core import PermutationCore
from envs.execution.state.frames import Frame
from envs.execution.state.history_frames import HistoryFrame
from planners import MCTS, Beam, BestFirst, Leaf, Limits, Plan, Planner, Step, plan_with
from tasks.task import PermutationTask

CALLS = 4_000
"""Commands imagined for one plan."""
MOST_DISAGREEMENTS = 20
"""Plans that were imagined differently the second time, after which the search for one is given up."""
_OWN: dict[str, Planner] = {
    "mcts": MCTS(simulations=CALLS, leaves=16, transpositions=True),
    "beam": Beam(16),
    "best-first": BestFirst(),
}
"""Settings that suit permutations: values say much here, so little is explored."""

PermutationModel = ImaginedPermutation | HistoryPermutation
_MODELS: dict[FrameType, Callable[[PermutationCore, Any, Any, Guide], PermutationModel]] = {
    Frame: ImaginedPermutation,
    HistoryFrame: lambda core, oracle, view, guide: HistoryPermutation(core, oracle, guide),
}


def model_of(view: View, core: PermutationCore, oracle: Oracle | HistoryOracle, guide: Guide) -> PermutationModel:
    """The problem as an oracle of a view imagines it."""
    return _MODELS[adapter_of(view).frame_type](core, oracle, view, guide)


def plan_planner_named(name: str) -> Planner:
    """The planner a name stands for, as it suits permutation problems."""
    return _OWN.get(name) or planner_named(name)


def plan_executions(settings: Settings) -> int:
    """Real executions that a plan usually may cost: ten attempts, or what an oracle needs that runs programs itself."""
    return CALLS + 1_000 if settings.charges_oracle else 10


def longest_plan(core: PermutationCore) -> int:
    """Commands that are enough from anywhere: one less than items where any two change places."""
    enough = core.items - 1 if core.generators in ("swaps", "reversals") else core.items * (core.items - 1) // 2
    return enough + 1


@dataclass(slots=True)
class PermutationDomain:
    """One permutation problem being solved: a `Domain` that chooses, concludes and describes."""

    task: PermutationTask
    workplace: Workplace
    spending: Spending = field(default_factory=Spending)
    core: PermutationCore = field(init=False)
    world: PermutationModel = field(init=False)
    _oracle: MeteredAnswers = field(init=False)
    _ran: list[tuple[Command, ...]] = field(default_factory=list)
    """Plans that were carried out."""
    _believed: dict[tuple[Command, ...], PlanState] = field(default_factory=dict)
    """What was imagined of the plans that were chosen."""

    def __post_init__(self) -> None:
        self.core = PermutationCore.of_task(self.task)

    @property
    def settings(self) -> Settings:
        return self.workplace.settings

    def start(self, spending: Spending) -> Step[PlanState]:
        """The empty plan; nothing is run for it."""
        self.spending, settings = spending, self.settings
        self._oracle = self.workplace.metered_oracle()
        self.world = model_of(settings.view, self.core, self._oracle.cache, settings.guide)
        return self._root()

    def actions(self, state: PlanState) -> Sequence[Command]:
        return self.world.actions(state)

    def imagine(self, new: Sequence[Leaf[PlanState, Command]]) -> Sequence[Finding[PlanState, Command]]:
        """Imagine one more command of each plan, all together."""
        steps = self.world.step([(leaf.state, leaf.action) for leaf in new], Random(0))
        self._account()
        return list(zip(new, steps, strict=True))

    def act(self, path: Sequence[Command], spending: Spending) -> RealRun:
        """Carry a plan out for real."""
        known = self._believed.get(tuple(path))
        believed = None if known is None else known.arrangement
        reached = self.core.is_goal(self.world.carry_out(path)[-1])
        self._ran.append(tuple(path))
        self._account()
        imagined = None if believed is None else self.core.value(believed)
        belief = None if believed is None else self.core.is_goal(believed)
        return RealRun(tuple(map(str, path)), imagined, (belief,), (reached,))

    def learn(self, path: Sequence[Command], real: RealRun) -> Step[PlanState]:
        """Where the plan really leads; the world has kept it."""
        arrangement = self.core.run(path)
        return step_to(self.core, PlanState(tuple(path), None, arrangement, arrangement), arrangement)

    def choose(self, imagining: Imagining[PlanState, Command]) -> Sequence[Command] | None:
        """A plan that is imagined to reach the goal twice: in the search, and once more as one whole program."""
        if not self.settings.imagines:
            return self._drawn(imagining.rng)
        for _ in range(MOST_DISAGREEMENTS):
            imagining.restart(self._root(), self._limits(imagining.deadline))
            found: Plan[PlanState, Command] | None = imagining.plan()
            if found is None:
                return None
            again = self.world.reimagine(found.actions)
            self._account()
            if again == found.states[-1]:
                self._believed[found.actions] = found.states[-1]
                return found.actions
            self.world.override(again)
        return None

    def conclude(self, path: Sequence[Command] | None) -> Conclusion:
        """The plan as a program."""
        spent = self.spending
        spent.looks = self.world.imagined if self.settings.runs_programs else 0
        spent.queries, spent.remembered = self._oracle.cache.asked, self._oracle.cache.hits
        spent.imagined = self.world.imagined
        return Conclusion(self.core.program(path).source if path else "")

    def describe(self, record: SearchRecord) -> dict[str, Any]:
        """The tree, and the imagined run of each plan that was carried out."""
        return PlanDetails(self.world).rows(self._ran if self.settings.imagines else (), record)

    def _root(self) -> Step[PlanState]:
        return step_to(self.core, self.world.start(), self.core.start)

    def _drawn(self, rng: Random) -> tuple[Command, ...]:
        """A plan of any length with all commands alike."""
        length = rng.randint(1, longest_plan(self.core))
        return tuple(rng.choice(self.core.commands) for _ in range(length))

    def _limits(self, deadline: float) -> Limits:
        """What the next search may spend; two executions are kept for imagining its plan again and running it."""
        budget, spent = self.settings.budget, self.spending
        left = budget.executions - spent.executions
        steps = max(0, budget.steps - self.world.frames)
        return Limits(
            calls=min(CALLS, steps, max(0, left - 2) if self.settings.charges_oracle else CALLS),
            tokens=max(0, budget.tokens - self._oracle.meter.tokens),
            seconds=max(0.0, deadline - time.monotonic()),
            depth=longest_plan(self.core),
        )

    def _account(self) -> None:
        spent = self.spending
        spent.executions = len(self._ran) + (self.world.imagined if self.settings.charges_oracle else 0)
        spent.tokens, spent.steps = self._oracle.meter.tokens, self.world.frames


def solve_plan(task: PermutationTask, workplace: Workplace) -> Episode:
    """Solve one problem with what a workplace holds; `solved` means that a plan really led to the goal."""
    planner = workplace.planner(PermutationKind())
    return solve_task(task.id, PermutationDomain(task, workplace), planner, workplace.settings)


@dataclass(frozen=True, slots=True)
class PermutationKind:
    """Items to be put in order by commands; a plan is a program of commands."""

    name: str = "permutation"

    def load(self, path: str) -> list[PermutationTask]:
        """The permutation tasks at a path; others are left out."""
        from tasks import load

        return [task for task in load(path).tasks if isinstance(task, PermutationTask)]

    def open(self, task: PermutationTask, workplace: Workplace) -> PermutationDomain:
        return PermutationDomain(task, workplace)

    def planner(self, name: str) -> Planner | None:
        return _OWN.get(name)

    def summarise(self, tasks: Sequence[PermutationTask], episodes: Sequence[Episode]) -> Mapping[str, Any]:
        return {"plans": by_distance(tasks, episodes)}


def by_distance(tasks: Sequence[PermutationTask], episodes: Sequence[Episode]) -> list[dict[str, Any]]:
    """Plan success for each distance: problems, those solved, and those that the first plan solved."""
    known = {episode.task: episode for episode in episodes}
    groups: dict[int | None, list[Episode]] = defaultdict(list)
    for task in tasks:
        if task.id in known:
            groups[task.distance].append(known[task.id])
    return [
        {
            "distance": distance,
            "tasks": len(group),
            "solved": sum(each.solved for each in group),
            "first_plan": sum(bool(each.runs) and each.runs[0].marks == (True,) for each in group),
        }
        for distance, group in sorted(groups.items(), key=lambda pair: pair[0] or 0)
    ]


def commands_to_goal(core: PermutationCore, oracle: Oracle, planner: str, rng: Random) -> tuple[Command, ...]:
    """The best plan that one search finds, to the goal or as near to it as was imagined; nothing is carried out."""
    world = ImaginedPermutation(core, oracle)
    start, limits = step_to(core, world.start(), core.start), Limits(calls=CALLS, depth=longest_plan(core))
    found = plan_with(plan_planner_named(planner), world, start, limits, rng=rng)
    return found.actions if found.end == "goal" or not found.best_goal else found.best_goal.actions
