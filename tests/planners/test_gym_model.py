"""Planners solve Gymnasium's own environments through the adapter, for real."""

from __future__ import annotations

from random import Random

import gymnasium
import pytest
from local_worlds import exact

from cwm_agent.rollouts.errors import NotPlannable
from cwm_agent.rollouts.gym_model import GymModel
from cwm_agent.rollouts.imagined_env import ImaginedEnv
from planners import MCTS, Beam, BestFirst, Limits, Step, check_model

ENVIRONMENTS = {
    "FrozenLake": ("FrozenLake-v1", {"is_slippery": False}, 1.0),
    "FrozenLake 8x8": ("FrozenLake-v1", {"is_slippery": False, "map_name": "8x8"}, 1.0),
    "CliffWalking": ("CliffWalking-v1", {}, -13.0),
    "Taxi": ("Taxi-v4", {}, 6.0),
}
PLANNERS = [MCTS(simulations=3000, transpositions=True), Beam(width=64), BestFirst()]


def made(name: str):
    kind, options, best = ENVIRONMENTS[name]
    try:
        env = gymnasium.make(kind, **options)
    except gymnasium.error.Error as error:  # versions of environments come and go
        pytest.skip(str(error))
    return env, env.reset(seed=0), best


@pytest.mark.parametrize("name", ENVIRONMENTS)
@pytest.mark.parametrize("planner", PLANNERS, ids=lambda planner: type(planner).__name__)
def test_a_plan_carried_out_for_real_gets_the_best_return(name, planner):
    """The imagined return is the optimal one, and the real environment pays exactly that and ends."""
    env, (observation, info), best = made(name)
    model = GymModel(key=lambda env: env.unwrapped.s, share=("P",))
    start = model.start(env, observation, info)
    plan = planner.plan(model, start, Limits(calls=3000, depth=40), Random(0))
    paid, over = 0.0, False
    for action in plan.actions:
        _, reward, over, _, _ = env.step(action)
        paid += reward
    assert (paid, over, plan.value) == (best, True, best)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_adapter_conforms_to_the_contract_of_models(name):
    """check_model finds nothing."""
    env, (observation, info), _ = made(name)
    model = GymModel(key=lambda env: env.unwrapped.s, share=("P",))
    check_model(model, model.start(env, observation, info))


def test_planning_leaves_the_environment_as_it_stands():
    """The user's environment is copied, never stepped."""
    env, (observation, info), _ = made("FrozenLake")
    model = GymModel()
    MCTS(simulations=20).plan(model, model.start(env, observation, info), Limits(), Random(0))
    assert env.unwrapped.s == 0


def test_chance_comes_from_the_planner_and_not_from_the_copied_environment():
    """On slippery ice one move gives several outcomes for several seeds, and the same for the same seed."""
    env = gymnasium.make("FrozenLake-v1", is_slippery=True)
    env.reset(seed=0)
    model = GymModel(key=lambda env: env.unwrapped.s)
    start = model.start(env).state
    seen = [model.step([(start, 2)], Random(seed))[0].state.key for seed in range(20)]
    assert len(set(seen)) > 1
    assert seen == [model.step([(start, 2)], Random(seed))[0].state.key for seed in range(20)]


def test_without_a_key_no_two_states_are_the_same():
    """Merging states is the user's word, since an observation may hide what matters."""
    env, (observation, info), _ = made("FrozenLake")
    model = GymModel()
    start = model.start(env, observation, info).state
    one, two = model.step([(start, 0), (start, 0)], Random(0))
    assert one.state != two.state


def test_masked_actions_are_not_offered():
    """Taxi says in `info` which moves hit a wall."""
    env, (observation, info), _ = made("Taxi")
    model = GymModel(share=("P",))
    start = model.start(env, observation, info).state
    assert list(model.actions(start)) == [a for a in range(6) if info["action_mask"][a]]


def test_a_truncated_episode_is_a_truncation():
    """Planning does not pass the time limit of the environment."""
    env = gymnasium.make("FrozenLake-v1", is_slippery=False, max_episode_steps=1)
    env.reset(seed=0)
    model = GymModel()
    (step,) = model.step([(model.start(env).state, 0)], Random(0))
    assert step.end == "truncated"


def test_a_fallen_pole_is_a_failure_and_a_balanced_one_is_planned():
    """CartPole rewards every step alike, the last one too: its end is never taken for a goal."""
    env = gymnasium.make("CartPole-v1")
    observation, info = env.reset(seed=0)
    model = GymModel()
    step = model.start(env, observation, info)
    while step.end is None:
        (step,) = model.step([(step.state, 1)], Random(0))
    assert step.end == "failure"
    model = GymModel(value=lambda env, observation: -abs(float(observation[2])))
    plan = Beam(8, merge=False).plan(model, model.start(env, observation, info), Limits(depth=30), Random(0))
    assert (len(plan.actions), plan.end) == (30, None)


def test_what_an_end_means_can_be_declared():
    """Rewards do not tell in MountainCar, so the user does."""
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=0)
    model = GymModel(end=lambda env, reward, info: "goal")
    step = model.start(env)
    while step.end is None:
        (step,) = model.step([(step.state, 0)], Random(0))
    assert step.end == "goal"


@pytest.mark.parametrize("end", ["goal", "failure", "truncated"])
def test_an_end_is_declared_by_its_name(end):
    """All three kinds that planners know."""
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=0)
    model = GymModel(end=end)
    step = model.start(env)
    while step.end is None:
        (step,) = model.step([(step.state, 0)], Random(0))
    assert step.end == end


def test_an_end_that_planners_do_not_know_is_one_sentence():
    """Said by name, or by a function when an episode ends."""
    with pytest.raises(NotPlannable, match="one of goal, failure, truncated"):
        GymModel(end="won")
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    env.reset(seed=0)
    model = GymModel(end=lambda env, reward, info: "won")
    (step,) = model.step([(model.start(env).state, 1)], Random(0))
    with pytest.raises(NotPlannable, match="one of goal, failure, truncated"):
        model.step([(step.state, 2)], Random(0))


class Rewarded(gymnasium.RewardWrapper):
    """Replaces every reward."""

    def __init__(self, env, paid):
        super().__init__(env)
        self.paid = paid

    def reward(self, reward):
        return self.paid


def test_a_reward_that_is_no_number_is_one_sentence():
    env = Rewarded(gymnasium.make("FrozenLake-v1"), float("nan"))
    env.reset(seed=0)
    model = GymModel()
    with pytest.raises(NotPlannable, match="gave the reward nan for the action 0"):
        model.step([(model.start(env).state, 0)], Random(0))


def test_a_playout_estimates_what_comes_after_the_search():
    """It is the return of random actions: seeded by the planner's rng, cut at the given number."""
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=0)
    model = GymModel(playout=5)
    start = model.start(env)
    assert start.value == 5.0
    one, other = (model.step([(start.state, 0)], Random(0))[0].value for _ in range(2))
    assert one == other
    assert 8 <= GymModel(playout=500).start(env).value < 200


def test_values_and_candidate_actions_are_the_users():
    """A value function and an action list make other spaces plannable."""
    env, (observation, info), _ = made("FrozenLake")
    model = GymModel(value=lambda env, observation: 0.25, actions=lambda env: (1, 2))
    start = model.start(env, observation, info)
    assert isinstance(start, Step)
    assert start.value == 0.25
    assert model.actions(start.state) == (1, 2)


def test_a_continuous_action_space_asks_for_candidates():
    """The error says what to pass."""
    env = gymnasium.make("Pendulum-v1")
    env.reset(seed=0)
    model = GymModel()
    with pytest.raises(NotPlannable, match="actions=lambda"):
        model.actions(model.start(env).state)


def test_sharing_what_is_not_there_is_refused():
    """A misspelt attribute is named at once."""
    env, _, _ = made("FrozenLake")
    with pytest.raises(NotPlannable, match="'Q'"):
        GymModel(share=("Q",)).start(env)


OURS = ["Permutation-v0", "Repair-v0", "RepairArrays-v0", "TraceArrays-v0"]


@pytest.mark.parametrize("name", OURS)
def test_our_own_environments_are_planned_in_without_naming_what_to_share(name):
    """The copies share sandbox, tasks and tables by themselves; the user's environment stays where it is."""
    options = {} if name.startswith("Perm") else {"tasks": "repair/recursion", "max_edits": 4, "candidates": 2}
    if name.startswith("Trace"):
        options.pop("max_edits")
    if name == "Repair-v0":
        options.pop("candidates")
    env = gymnasium.make(f"envs:cwm_agent/{name}", **options)
    observation, info = env.reset(seed=0)
    model = GymModel(key=lambda env: env.unwrapped.state)
    start = model.start(env, observation, info)
    check_model(model, start)
    plan = BestFirst().plan(model, start, Limits(calls=12, depth=3), Random(0))
    assert plan.actions
    assert getattr(env.unwrapped, "executions", 1) == 1
    env.close()


def test_an_imagined_environment_is_planned_in():
    """Its copies ask the same oracle, and a plan that reaches the goal there reaches it for real."""
    env = ImaginedEnv(gymnasium.make("envs:cwm_agent/Permutation-v0", items=3), exact())
    env.reset(seed=0)
    model = GymModel(key=lambda env: env.unwrapped.real.state)
    plan = BestFirst().plan(model, model.start(env), Limits(calls=60, depth=4), Random(0))
    real = gymnasium.make("cwm_agent/Permutation-v0", items=3)
    real.reset(seed=0)
    assert plan.end == "goal"
    assert [real.step(action)[2] for action in plan.actions][-1]


def test_an_environment_that_cannot_be_copied_is_one_sentence():
    """The message says which argument helps."""
    env = gymnasium.make("CartPole-v1")
    env.unwrapped.lock = (each for each in ())
    with pytest.raises(NotPlannable, match=r"cannot be copied .* Name the attributes"):
        GymModel().start(env)
