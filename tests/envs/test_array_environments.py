"""Repair and trace as arrays: bounded, masked actions, and the rewards and ends of the environment inside."""

import copy
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check

from envs.check import check_env
from envs.errors import BadEnvOption
from envs.execution.sandbox.sandbox import Sandbox
from envs.gym.repair_arrays import CLASSES, PROGRAM, ROW, RepairArrays
from envs.gym.trace_arrays import TraceArrays
from envs.registration import ENVIRONMENTS
from tasks import CallTest, RepairTask, load

TASK = RepairTask(
    id="at-least",
    source="def at_least(x, y):\n    # inclusive\n    return x > y\n",
    entry="at_least",
    tests=(CallTest("1, 2", "False"), CallTest("2, 2", "True"), CallTest("3, 2", "True")),
)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


@pytest.fixture
def arrays(sandbox):
    return gymnasium.make("cwm_agent/RepairArrays-v0", tasks=[TASK], sandbox=sandbox, candidates=8)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param("RepairArrays-v0", {}, id="repair"),
        pytest.param("RepairArrays-v0", {"candidates": 1, "budget": 4}, id="one candidate"),
        pytest.param(
            "RepairArrays-v0", {"max_edits": 5, "keep": "always", "budget": 4}, id="fewer edits than candidates"
        ),
        pytest.param("RepairArrays-v0", {"localisation": False, "budget": 4}, id="no localisation"),
        pytest.param("TraceArrays-v0", {}, id="trace"),
        pytest.param("TraceArrays-v0", {"candidates": 1, "level": "plain", "parts": True}, id="one line"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version.*:UserWarning")
def test_every_wrapper_and_option_conforms(name, options, sandbox):
    tasks = [TASK] if name.startswith("Repair") else "repair/recursion"
    env = gymnasium.make(f"envs:cwm_agent/{name}", tasks=tasks, sandbox=sandbox, **options)
    gymnasium_check(env, skip_render_check=True)
    check_env(env)


def test_the_first_action_follows_the_ranking_and_every_edit_is_reached(sandbox):
    """An edit that was tried makes room for the next one, so a list of eight reaches them all."""
    hopeless = replace(TASK, tests=(CallTest("1, 2", "'neither'"),))
    env = gymnasium.make("cwm_agent/RepairArrays-v0", tasks=[hopeless], sandbox=sandbox, candidates=8)
    _, info = env.reset(seed=0)
    tried, over = [], False
    while not over:
        tried.append(info["candidates"][0])
        _, _, terminated, over, info = env.step(0)
        assert (info["tried"], terminated) == (tried[-1], False)
    assert sorted(tried) == sorted(map(str, env.unwrapped.offered))


def test_a_candidates_row_names_its_class_and_its_weight(arrays):
    observation, info = arrays.reset(seed=0)
    rows = observation[:-PROGRAM].reshape(8, ROW)
    assert rows[0, 1] == 1.0
    assert (np.diff(rows[:, 1]) <= 1e-6).all()
    classes = [CLASSES[int(row[7:].argmax())] for row in rows]
    assert classes == [text.split()[0] for text in info["candidates"]]


def test_a_masked_action_is_refused_and_costs_budget(sandbox):
    env = gymnasium.make("cwm_agent/RepairArrays-v0", tasks=[TASK], sandbox=sandbox, max_edits=3, keep="always")
    _, info = env.reset(seed=0)
    env.step(0)
    masks = env.get_wrapper_attr("action_masks")()
    assert not masks.all()
    _, reward, *_, info = env.step(int(np.argmin(masks)))
    assert (info["refused"], reward) == (True, pytest.approx(-0.001))


@pytest.mark.parametrize("action", [8, -1, 1.5, "0", None, True, float("nan")])
def test_an_action_out_of_range_is_one_sentence(arrays, action):
    arrays.reset(seed=0)
    with pytest.raises(BadEnvOption, match="whole number from 0 to 7"):
        arrays.env.env.step(action)


def test_a_ranking_of_ones_own_orders_the_candidates(sandbox):
    def last_first(source, edits, suspicion):
        return range(len(edits))

    env = gymnasium.make("cwm_agent/RepairArrays-v0", tasks=[TASK], sandbox=sandbox, ranking=last_first)
    _, info = env.reset(seed=0)
    assert info["candidates"][0] == str(env.unwrapped.offered[-1])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"candidates": 0}, "candidates=0: give a whole number, 1 or more"),
        ({"candidates": 2.5}, "candidates=2.5"),
        ({"ranking": "best"}, "ranking='best': give a function"),
        ({"ranking": lambda *_: [float("nan")]}, "one finite weight for each edit"),
    ],
)
def test_bad_options_of_wrappers_are_refused(options, complaint, sandbox):
    with pytest.raises(BadEnvOption, match=complaint):
        gymnasium.make("cwm_agent/RepairArrays-v0", tasks=[TASK], sandbox=sandbox, **options).reset(seed=0)


def test_wrappers_name_what_they_wrap():
    env = gymnasium.make("cwm_agent/Permutation-v0")
    for wrapper, name in ((RepairArrays, "Repair-v0"), (TraceArrays, "Trace-v0")):
        with pytest.raises(BadEnvOption, match=f"wraps cwm_agent/{name}"):
            wrapper(env)


def test_the_true_next_line_is_among_the_offered_ones(sandbox):
    """On the shipped recursion tasks, whose runs call and return, with the decomposed and the plain program."""
    tasks = load("repair/recursion").tasks[:4]
    for level in ("operations", "plain"):
        env = gymnasium.make("cwm_agent/TraceArrays-v0", tasks=tasks, sandbox=sandbox, level=level, steps=200)
        seen = offered = 0
        for seed in range(4):
            _, info = env.reset(seed=seed)
            over = False
            while not over:
                real = env.unwrapped.core.truth(env.unwrapped.state).line
                seen, offered = seen + 1, offered + (real in info["lines"])
                right = real in info["lines"]
                _, reward, terminated, truncated, info = env.step(info["lines"].index(real) if right else 15)
                assert reward == float(right)
                over = terminated or truncated
        assert offered / seen > 0.98


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_copy_is_stepped_on_its_own(name, sandbox):
    """The original stays where it is, and both give the same result for the same action."""
    on_tasks = any(word in name for word in ("Repair", "Trace"))
    env = gymnasium.make(name, **({"sandbox": sandbox, "tasks": "repair/recursion"} if on_tasks else {}))
    _, info = env.reset(seed=0)
    env.action_space.seed(0)
    action = env.action_space.sample(info.get("action_mask"))
    other = copy.deepcopy(env)
    first, second = other.step(action), env.step(action)
    assert first[1:4] == second[1:4]
    assert str(first[0]) == str(second[0])


def test_closing_a_copy_leaves_the_sandbox_of_the_original_open():
    env = gymnasium.make("cwm_agent/Repair-v0", tasks=[TASK])
    env.reset(seed=0)
    copy.deepcopy(env).close()
    untouched = gymnasium.make("cwm_agent/Repair-v0", tasks=[TASK])
    untouched.reset(seed=0)
    assert env.step(0)[1:4] == untouched.step(0)[1:4]
    env.close()
    untouched.close()


def test_vectors_of_environments_step_together(sandbox):
    """As PufferLib and CleanRL do: one array of observations, masks of all, episodes that begin anew by themselves."""
    vector = gymnasium.make_vec(
        "cwm_agent/RepairArrays-v0", num_envs=2, vectorization_mode="sync", tasks=[TASK], candidates=4, budget=5
    )
    observations, info = vector.reset(seed=0)
    for _ in range(8):
        assert observations.shape == (2, 4 * ROW + PROGRAM)
        actions = np.array([np.flatnonzero(mask)[0] if mask.any() else 0 for mask in info["action_mask"]])
        observations, rewards, *_, info = vector.step(actions)
        assert rewards.shape == (2,)
    vector.close()
