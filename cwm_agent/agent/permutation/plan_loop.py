"""The agent on permutation problems: plan in imagination, imagine the plan once more, carry it out, learn, plan again.

A plan that is not imagined to lead to the goal, twice, is not carried out. What a run shows is kept, so the next plan
starts from what is true. Without an oracle there is nothing to search in: plans are drawn, as the control.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from random import Random
from typing import cast

from cwm_agent.agent.budget import Spending
from cwm_agent.agent.episode import Episode, RealRun
from cwm_agent.agent.permutation.history_model import HistoryPermutation
from cwm_agent.agent.permutation.known_plans import PlanState
from cwm_agent.agent.permutation.permutation_model import ImaginedPermutation, step_to
from cwm_agent.agent.planner_registry import planner_named
from cwm_agent.agent.repair.history_beliefs import MeteredHistory
from cwm_agent.agent.repair.repair_loop import Settings
from cwm_agent.oracles.history_protocol import HistoryOracle
from cwm_agent.oracles.protocol import Oracle
from cwm_agent.oracles.wrappers.answer_cache import AnswerCache, CachedOracle
from cwm_agent.oracles.wrappers.meter import MeteredOracle
from envs.domains.permutation_commands import Command
from envs.domains.permutation_core import PermutationCore
from planners import MCTS, Beam, BestFirst, Limits, Plan, Planner, Spent
from tasks.task import PermutationTask

CALLS = 4_000
"""Commands imagined for one plan."""
DOUBTS = 20
"""Plans that were imagined otherwise the second time, after which the search for one is given up."""
_OWN: dict[str, Planner] = {
    "mcts": MCTS(simulations=CALLS, leaves=16, transpositions=True),
    "beam": Beam(16),
    "best-first": BestFirst(),
}
"""Settings that suit permutations: values say much here, so little is explored."""


def plan_planner_named(name: str) -> Planner:
    """The planner a name stands for, as it suits permutation problems."""
    return _OWN.get(name) or planner_named(name)


def plan_executions(oracle: str, ceiling: bool) -> int:
    """Real executions that a plan usually may cost: ten attempts, or what an oracle needs that runs programs itself."""
    return CALLS + 1_000 if runs_programs(oracle) and not ceiling else 10


def runs_programs(oracle: str) -> bool:
    """Whether an oracle of this name looks at reality."""
    return oracle.partition(":")[0] in ("exact", "noisy")


def longest_plan(core: PermutationCore) -> int:
    """Commands that are enough from anywhere: one less than items where any two change places."""
    enough = core.items - 1 if core.generators in ("swaps", "reversals") else core.items * (core.items - 1) // 2
    return enough + 1


@dataclass(slots=True)
class _Work:
    """One problem being solved."""

    settings: Settings
    core: PermutationCore
    world: ImaginedPermutation | HistoryPermutation
    planner: Planner
    metered: MeteredOracle | MeteredHistory
    deadline: float
    looks: bool
    """The oracle runs programs for real."""
    rng: Random
    runs: list[RealRun] = field(default_factory=list)
    solved: tuple[Command, ...] | None = None

    @property
    def executions(self) -> int:
        """Real executions charged so far: plans carried out, and programs that the oracle ran."""
        charged = self.looks and not self.settings.ceiling
        return len(self.runs) + (self.world.imagined if charged else 0)

    @property
    def left(self) -> int:
        return self.settings.budget.executions - self.executions

    def limits(self) -> Limits:
        """What the next search may spend; two executions are kept for imagining its plan again and running it."""
        charged = self.looks and not self.settings.ceiling
        steps = max(0, self.settings.budget.steps - self.world.frames)
        return Limits(
            calls=min(CALLS, steps, max(0, self.left - 2) if charged else CALLS),
            tokens=max(0, self.settings.budget.tokens - self.metered.tokens),
            seconds=max(0.0, self.deadline - time.monotonic()),
            depth=longest_plan(self.core),
        )


def solve_plan(
    task: PermutationTask, oracle: Oracle | HistoryOracle, settings: Settings, memory: AnswerCache | None = None
) -> Episode:
    """Solve one problem within its budget; `solved` means that a plan really led to the goal.

    What the oracle said is kept in `memory`, where one is given. A history oracle is asked in the history view.
    """
    began = time.monotonic()
    core = PermutationCore.of_task(task)
    metered: MeteredOracle | MeteredHistory
    memo: CachedOracle | MeteredHistory
    world: ImaginedPermutation | HistoryPermutation
    if settings.view == "history":
        metered = memo = MeteredHistory(cast(HistoryOracle, oracle))
        world = HistoryPermutation(core, metered, settings.guide)
    else:
        metered = MeteredOracle(cast(Oracle, oracle))
        memo = CachedOracle(metered, memory)
        world = ImaginedPermutation(core, memo, settings.view, settings.guide)
    work = _Work(
        settings,
        core,
        world,
        plan_planner_named(settings.planner),
        metered,
        began + settings.budget.seconds,
        runs_programs(settings.oracle),
        Random(settings.seed),
    )
    while work.solved is None and work.left > 0 and (plan := _plan(work)):
        _act(work, plan)
    spent = Spending(
        executions=work.executions,
        looks=work.world.imagined if work.looks else 0,
        tokens=metered.tokens,
        queries=memo.asked,
        remembered=memo.hits,
        imagined=work.world.imagined,
        seconds=time.monotonic() - began,
    )
    return _episode(task, work, spent)


def _plan(work: _Work) -> Plan[PlanState, Command] | None:
    """A plan worth carrying out; None where none is found."""
    if not work.settings.imagines:
        return _drawn(work)
    for _ in range(DOUBTS):
        start = step_to(work.core, work.world.start(), work.core.start)
        found: Plan[PlanState, Command] = work.planner.plan(work.world, start, work.limits(), work.rng)
        found = found if found.terminal else found.best_terminal or found
        if not found.terminal:
            return None
        again = work.world.again(found.actions)
        if again == found.states[-1]:
            return found
        work.world.tell(again)
    return None


def _drawn(work: _Work) -> Plan[PlanState, Command]:
    """A plan of any length with all commands alike."""
    length = work.rng.randint(1, longest_plan(work.core))
    plan = tuple(work.rng.choice(work.core.commands) for _ in range(length))
    return Plan(plan, (PlanState(plan, None, None, plan),), None, False, Spent())


def _act(work: _Work, plan: Plan[PlanState, Command]) -> None:
    """Carry a plan out for real and keep what was seen, beside what had been imagined."""
    believed = plan.states[-1].arrangement
    reached = work.core.is_goal(work.world.learn(plan.actions)[-1])
    imagined = None if believed is None else work.core.value(believed)
    belief = None if believed is None else work.core.is_goal(believed)
    work.runs.append(RealRun(tuple(map(str, plan.actions)), imagined, (belief,), (reached,)))
    if reached:
        work.solved = plan.actions


def _episode(task: PermutationTask, work: _Work, spent: Spending) -> Episode:
    plan = work.solved or ()
    program = work.core.program(plan).source if plan else ""
    return Episode(
        task.id,
        work.solved is not None,
        None,
        tuple(map(str, plan)),
        program,
        work.settings.described(),
        (),
        tuple(work.runs),
        asdict(spent),
    )


def commands_to_goal(core: PermutationCore, oracle: Oracle, planner: str, rng: Random) -> tuple[Command, ...]:
    """The best plan that one search finds, to the goal or as near to it as was imagined; nothing is carried out."""
    world = ImaginedPermutation(core, oracle)
    start = step_to(core, world.start(), core.start)
    found = plan_planner_named(planner).plan(world, start, Limits(calls=CALLS, depth=longest_plan(core)), rng)
    return found.actions if found.terminal or not found.best_terminal else found.best_terminal.actions
