"""Plans imagined by a model that continues histories: the world is a model, its truths are true, and plans are found."""

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

TASK = PermutationTask("swaps", (2, 0, 1, 3), (0, 1, 2, 3), "swaps", 2)


def told(program: Program, call: HistoryFrame) -> History:
    """The real run, in this very process."""
    return record(program, ", ".join(text for _, text in call.locals))


class Speechless:
    """Says nothing that could be understood."""

    name = "speechless"

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        return [HistoryPrediction(Malformed("", "silence"), tokens=3) for _ in queries]


@pytest.mark.parametrize("style", ["straight", "branching"])
def test_a_step_leads_where_the_command_really_leads(style: Style) -> None:
    core = PermutationCore.drawn(Random(3), items=4, style=style)
    world = HistoryPermutation(core, ReplayOracle(told))
    state, real, rng = world.start(), core.start, Random(0)
    for _ in range(4):
        command = rng.choice(core.commands)
        [step] = world.step([(state, command)], rng)
        state, real = step.state, core.transition(real, command)
        assert state.arrangement == real
    assert world.again(state.plan) == state


@pytest.mark.parametrize("style", ["straight", "branching"])
def test_what_was_really_seen_is_told_as_a_real_run_is(style: Style) -> None:
    core = PermutationCore.drawn(Random(5), items=5, style=style)
    plan = tuple(Random(1).choices(core.commands, k=5))
    written = core.program(plan)
    real = record(plain(written.source, "f"), written.arguments)
    world = HistoryPermutation(core, Speechless())
    world.learn(plan)
    assert world._histories[plan] == real.frames[:-1]
    assert world.again(plan).arrangement == core.run(plan), "nothing is asked about it any more"


@pytest.mark.parametrize("planner", ["mcts", "beam", "best-first"])
def test_plans_are_found_by_what_is_told(planner: str) -> None:
    settings = Settings(planner, "exact", "history", parse_guide("free"), Budget(executions=10), ceiling=True)
    episode = solve_plan(TASK, Workplace(settings, oracle=ReplayOracle(told)))
    assert (episode.solved, len(episode.runs)) == (True, 1)


def test_wrong_tellings_cost_real_runs_and_not_the_truth() -> None:
    """What was really seen is learnt, so a plan that failed is not made again."""
    noisy = NoisyReplay(ReplayOracle(told), Rates(state=0.2), "systematic", 1)
    settings = Settings("beam", "noisy", "history", parse_guide("cfg"), Budget(executions=20), ceiling=True)
    episode = solve_plan(TASK, Workplace(settings, oracle=noisy))
    assert len({run.patch for run in episode.runs}) == len(episode.runs)
    assert episode.solved == (episode.runs[-1].marks == (True,) if episode.runs else False)


def test_a_model_that_says_nothing_leaves_plans_unknown() -> None:
    world = HistoryPermutation(PermutationCore.of_task(TASK), Speechless())
    [step] = world.step([(world.start(), world.core.commands[0])], Random(0))
    assert (step.state.arrangement, step.state.reason, step.tokens) == (None, "silence", 3)
    [further] = world.step([(step.state, world.core.commands[0])], Random(0))
    assert (further.state.arrangement, further.tokens) == (None, 0)


@pytest.mark.parametrize("guide", ["grounded", "forced", "free+anchored:2"])
def test_other_guides_are_refused(guide: str) -> None:
    with pytest.raises(ValueError, match="under the guide free or cfg"):
        HistoryPermutation(PermutationCore.of_task(TASK), Speechless(), parse_guide(guide))
