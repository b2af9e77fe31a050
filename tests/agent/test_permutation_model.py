"""Permutation models: imagined states of plans, effects learnt from real runs, and plans found by planners."""

from random import Random

import pytest
from local_worlds import exact

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.permutation.permutation_domain import longest_plan, plan_executions, solve_plan
from cwm_agent.agent.permutation.permutation_model import ImaginedPermutation, closeness
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.imagination.guides import Guide, parse_guide
from cwm_agent.oracles.backends.no_oracle import NoOracle
from cwm_agent.oracles.protocol import Answer, Prediction
from cwm_agent.oracles.wrappers.noise import NoisyOracle, Rates
from envs.domains.permutation_core import PermutationCore
from planners import check_model
from tasks.task import PermutationTask

STYLES = ("straight", "branching", "loop", "branching-loop")
TASK = PermutationTask("swaps-4", (3, 0, 2, 1), (0, 1, 2, 3), "swaps", distance=2)


def core(style="straight", **options):
    return PermutationCore((3, 0, 2, 1), (0, 1, 2, 3), style=style, **options)


def settings(planner="best-first", oracle="exact", **options):
    return Settings(planner, oracle, budget=Budget(10, tokens=10**9), ceiling=True, **options)


def walked(world, plan):
    """The states that a plan is imagined to lead through."""
    states = [world.start()]
    for command in plan:
        states.append(world.step([(states[-1], command)], Random(0))[0].state)
    return states


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("view", "guide"), [("local", "grounded"), ("local", "free"), ("program", "grounded"), ("program", "cfg")]
)
def test_the_exact_oracle_imagines_what_really_happens(style, view, guide):
    """Every prefix of a plan stands where the core says, in every style, view and guide."""
    problem = core(style)
    world = ImaginedPermutation(problem, exact(), view, parse_guide(guide))
    plan = [Random(3).choice(problem.commands) for _ in range(5)]
    real = [problem.run(plan[:number]) for number in range(6)]
    assert [state.arrangement for state in walked(world, plan)] == real
    assert world.reimagine(plan).arrangement == real[-1]


@pytest.mark.parametrize("style", STYLES)
def test_the_model_passes_check_model(style):
    problem = core(style)
    world = ImaginedPermutation(problem, exact())
    check_model(world, world.start())


def test_the_program_view_shows_all_commands_and_the_local_view_one():
    """In the program view a query holds all commands so far; in the local view the last one."""

    class Watching:
        name = "watching"

        def __init__(self):
            self.inner, self.sources = exact(), []

        def imagine(self, queries):
            self.sources += [query.program.source for query in queries]
            return self.inner.imagine(queries)

    for view, lines in (("program", [1, 2, 3]), ("local", [1, 1, 1])):
        oracle = Watching()
        walked(ImaginedPermutation(core(), oracle, view), core().commands[:3])
        assert [source.count("\n") - 3 for source in oracle.sources] == lines


def test_later_states_follow_from_a_wrong_state():
    """Each later state is the effect of the commands on the wrong one."""

    class Wrong:
        name = "wrong"
        inner = NoisyOracle(exact(), Rates(state=1.0), "systematic", seed=1)

        def imagine(self, queries):
            first = queries[0].frame.line == 2 and len(queries[0].program.lines) == 4
            return (self.inner if first else exact()).imagine(queries)

    problem = core()
    world = ImaginedPermutation(problem, Wrong(), "program")
    first, second = (state.arrangement for state in walked(world, problem.commands[:2])[1:])
    assert first != problem.run(problem.commands[:1])
    assert second == problem.commands[1].apply(first)


def test_a_step_without_an_answer_is_unknown_and_not_an_end():
    world = ImaginedPermutation(core(), NoOracle())
    step = world.step([(world.start(), core().commands[0])], Random(0))[0]
    assert (step.value, step.end, step.state.arrangement) == (None, None, None)
    assert step.state.reason == "no oracle"
    assert len(world.actions(step.state)) == len(core().commands)


def test_a_value_that_is_no_number_leaves_the_arrangement_unknown():
    class Texts:
        name = "texts"

        def imagine(self, queries):
            said = exact().imagine(queries)
            bound = tuple((name, "'x'") for name, _ in said[0].said.effect.bound)
            return [Prediction(Answer(type(said[0].said.effect)(bound=bound)))]

    world = ImaginedPermutation(core(), Texts())
    state = world.step([(world.start(), core().commands[0])], Random(0))[0].state
    assert state.arrangement is None
    assert state.frame is not None


def test_effects_that_a_real_run_showed_are_not_imagined_again():
    """After learning, the same command on the same arrangement is known without the oracle."""
    problem = core()
    world = ImaginedPermutation(problem, NoOracle())
    command = problem.commands[0]
    real = world.carry_out([command, command])
    assert real == (problem.start, command.apply(problem.start), problem.start)
    assert [state.arrangement for state in walked(world, [command, command, command])] == [*real, real[1]]
    assert world.imagined == 0


def test_states_with_the_same_arrangement_are_equal_whatever_their_plans():
    world = ImaginedPermutation(core(), exact())
    swap = core().commands[0]
    assert walked(world, [swap, swap])[-1] == world.start()
    assert walked(world, [swap])[-1] != world.start()


@pytest.mark.parametrize("guide", [Guide("forced"), Guide(every=2)])
def test_guides_that_need_the_real_run_are_refused(guide):
    with pytest.raises(ValueError, match="plan"):
        ImaginedPermutation(core(), exact(), "local", guide)


@pytest.mark.parametrize("planner", ["mcts", "beam", "best-first"])
@pytest.mark.parametrize("style", ["straight", "branching"])
def test_every_planner_finds_plans_with_the_exact_oracle(planner, style):
    task = PermutationTask("t", TASK.start, TASK.goal, "swaps", distance=2, style=style)
    episode = solve_plan(task, Workplace(settings(planner), oracle=exact()))
    assert episode.solved
    assert len(episode.patch) == 2
    assert episode.runs[0].marks == (True,)
    assert episode.executions == 1
    assert episode.spent["looks"] > 0


def test_programs_that_an_oracle_runs_are_charged():
    charged = Settings("best-first", "exact", budget=Budget(plan_executions(Settings(oracle="exact"))))
    episode = solve_plan(TASK, Workplace(charged, oracle=exact()))
    assert episode.executions == episode.spent["looks"] + 1
    few = Settings("best-first", "exact", budget=Budget(5))
    assert solve_plan(TASK, Workplace(few, oracle=exact())).executions <= 5


def test_a_false_goal_costs_one_real_run():
    """The oracle says wrongly that a rotation sorts; the real run shows the error, and the next plan is right."""
    task = PermutationTask("rotate", (1, 2, 0), (0, 1, 2), ((1, 2, 0),), distance=2)

    class FalseGoal:
        name = "false"

        def imagine(self, queries):
            said = exact().imagine(queries)
            wrong = Answer(type(said[0].said.effect)(bound=(("a", "0"), ("b", "1"), ("c", "2"))))
            wrongs = [dict(query.question.reads) == {"a": "1", "b": "2", "c": "0"} for query in queries]
            return [Prediction(wrong) if is_wrong else each for is_wrong, each in zip(wrongs, said, strict=True)]

    episode = solve_plan(task, Workplace(settings(oracle="embedded"), oracle=FalseGoal()))
    assert [run.marks for run in episode.runs] == [(False,), (True,)]
    assert [run.beliefs for run in episode.runs] == [(True,), (True,)]
    assert episode.patch == ("move 0", "move 0")


def test_without_an_oracle_random_plans_are_run():
    episode = solve_plan(TASK, Workplace(settings(oracle="none", seed=3), oracle=NoOracle()))
    assert 1 <= len(episode.runs) <= 10
    assert all(run.imagined is None for run in episode.runs)


def test_a_plan_that_is_imagined_differently_the_second_time_is_not_run():
    """With independent errors, no plan is run whose two imagined states differ."""
    oracle = NoisyOracle(exact(), Rates(state=0.3), "iid", seed=5)
    episode = solve_plan(TASK, Workplace(settings(oracle="noisy:iid:state=0.3"), oracle=oracle))
    assert all(run.beliefs == (True,) for run in episode.runs)


def test_closeness_of_neighbour_swaps_counts_the_distance_still_to_go():
    problem = PermutationCore((1, 0, 2), (0, 1, 2), "adjacent")
    assert closeness(problem, (2, 1, 0)) < closeness(problem, (1, 0, 2)) < closeness(problem, (0, 1, 2)) == 1.0
    assert longest_plan(problem) == 4


def test_an_overriding_state_that_is_no_permutation_is_used_as_it_is():
    """An item that occurs twice leaves the plan known and wrong; nothing is raised."""
    world = ImaginedPermutation(core(), NoOracle())
    state = world._known_state((core().commands[0],), (0, 0, 2, 1))
    world.override(state)
    assert world.step([(world.start(), core().commands[0])], Random(0))[0].state.arrangement == (0, 0, 2, 1)
