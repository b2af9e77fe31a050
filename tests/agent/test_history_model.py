"""Plans in the history view: steps lead where commands lead, real runs are kept, and plans are found."""

from collections.abc import Sequence
from random import Random

import pytest

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.permutation.history_model import HistoryPermutation
from cwm_agent.agent.permutation.permutation_domain import solve_plan
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.oracles.backends.replay import NoisyReplay, ReplayOracle
from cwm_agent.oracles.history_protocol import HistoryPrediction, HistoryQuery, Malformed
from cwm_agent.oracles.wrappers.noise import Rates
from envs.domains.permutation_core import PermutationCore, Style
from envs.execution.decompose.program import Program, plain
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.tracer.history_recorder import record
from tasks.task import PermutationTask

TASK = PermutationTask("swaps", (2, 0, 1, 3), (0, 1, 2, 3), "swaps", distance=2)


def recorded(program: Program, call: HistoryFrame) -> History:
    """The real history of a call, recorded in this process."""
    return record(program, ", ".join(text for _, text in call.locals))


class Silent:
    """An oracle whose answers are all malformed."""

    name = "silent"

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        return [HistoryPrediction(Malformed("", "silence"), tokens=3) for _ in queries]


@pytest.mark.parametrize("style", ["straight", "branching"])
def test_a_step_leads_where_the_command_really_leads(style: Style) -> None:
    core = PermutationCore.drawn(Random(3), items=4, style=style)
    world = HistoryPermutation(core, ReplayOracle(recorded))
    state, real, rng = world.start(), core.start, Random(0)
    for _ in range(4):
        command = rng.choice(core.commands)
        [step] = world.step([(state, command)], rng)
        state, real = step.state, core.transition(real, command)
        assert state.arrangement == real
    assert world.reimagine(state.plan) == state


@pytest.mark.parametrize("style", ["straight", "branching"])
def test_the_history_kept_after_a_real_run_equals_the_recorded_one(style: Style) -> None:
    core = PermutationCore.drawn(Random(5), items=5, style=style)
    plan = tuple(Random(1).choices(core.commands, k=5))
    written = core.program(plan)
    real = record(plain(written.source, "f"), written.arguments)
    world = HistoryPermutation(core, Silent())
    world.carry_out(plan)
    assert world._histories[plan] == real.frames[:-1]
    assert world.reimagine(plan).arrangement == core.run(plan), "the oracle is not asked"


@pytest.mark.parametrize("planner", ["mcts", "beam", "best-first"])
def test_every_planner_finds_a_plan(planner: str) -> None:
    settings = Settings(planner, "exact", "history", parse_guide("free"), budget=Budget(executions=10), ceiling=True)
    episode = solve_plan(TASK, Workplace(settings, oracle=ReplayOracle(recorded)))
    assert (episode.solved, len(episode.runs)) == (True, 1)


def test_a_plan_that_failed_for_real_is_not_run_again() -> None:
    """Noise costs real runs; their effects are kept, so no plan is run twice."""
    noisy = NoisyReplay(ReplayOracle(recorded), Rates(state=0.2), "systematic", 1)
    settings = Settings("beam", "noisy", "history", parse_guide("cfg"), budget=Budget(executions=20), ceiling=True)
    episode = solve_plan(TASK, Workplace(settings, oracle=noisy))
    assert len({run.patch for run in episode.runs}) == len(episode.runs)
    assert episode.solved == (episode.runs[-1].marks == (True,) if episode.runs else False)


def test_malformed_answers_leave_plans_unknown() -> None:
    world = HistoryPermutation(PermutationCore.of_task(TASK), Silent())
    [step] = world.step([(world.start(), world.core.commands[0])], Random(0))
    assert (step.state.arrangement, step.state.reason, step.tokens) == (None, "silence", 3)
    [further] = world.step([(step.state, world.core.commands[0])], Random(0))
    assert (further.state.arrangement, further.tokens) == (None, 0)


@pytest.mark.parametrize("guide", ["grounded", "forced", "free+anchored:2"])
def test_other_guides_are_refused(guide: str) -> None:
    with pytest.raises(ValueError, match="under the guide free or cfg"):
        HistoryPermutation(PermutationCore.of_task(TASK), Silent(), parse_guide(guide))
