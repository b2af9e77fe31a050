"""Environments with hidden state conform, hide what they say they hide, and are solved by planning over beliefs."""

from __future__ import annotations

from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check

import envs  # noqa: F401  # registers the environments
from cwm_agent.rollouts.hidden_models import HiddenPermutationModel, HiddenStateModel
from envs.check import check_env
from envs.domains.hidden_permutation import HiddenPermutationCore, Look
from envs.domains.hidden_programs import draw_function, draw_machine
from envs.domains.permutation_core import PermutationCore
from envs.errors import BadEnvOption
from envs.execution.sandbox.call_values import call_values, value_of
from envs.execution.sandbox.sandbox import Sandbox
from planners import POMCP, Limits, check_model, run

HIDDEN, STATE, PROBE = (f"cwm_agent/{name}-v0" for name in ("HiddenPermutation", "HiddenState", "FunctionProbe"))
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    (HIDDEN, {}),
    (HIDDEN, {"items": 3, "slip": 0.3, "horizon": 5}),
    (STATE, {}),
    (STATE, {"size": 5, "outputs": 2, "horizon": 3}),
    (PROBE, {}),
    (PROBE, {"probes": 2, "predictions": 1}),
]


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_every_environment_conforms(name: str, options: dict[str, Any]) -> None:
    env = gymnasium.make(name, **options)
    gymnasium_check(env.unwrapped, skip_render_check=True)
    check_env(env.unwrapped)
    env.close()


@pytest.mark.parametrize("name", [HIDDEN, STATE, PROBE])
def test_hidden_environments_render_what_is_seen(name: str) -> None:
    env = gymnasium.make(name, render_mode="ansi")
    env.reset(seed=1)
    assert str(env.render()).strip()
    env.close()


def test_only_the_place_looked_at_is_shown() -> None:
    env = gymnasium.make(HIDDEN, items=4).unwrapped
    seen, _ = env.reset(seed=3)
    assert seen.tolist() == [4, 4, 4, 4]
    looks = len(env.core.problem.commands)
    seen, *_ = env.step(np.int64(looks + 2))
    assert seen.tolist() == [4, 4, env.state.items[2], 4]
    seen, *_ = env.step(np.int64(0))
    assert set(seen.tolist()) <= {4} or env.core.is_goal(env.state)


def test_slips_execute_other_commands() -> None:
    core = HiddenPermutationCore(PermutationCore((2, 0, 1), (0, 1, 2)), slip=0.9)
    found = {core.transition(core.initial(), core.choices[0], Random(seed)) for seed in range(30)}
    assert len(found) == 3
    assert core.transition(core.initial(), Look(1), Random(0)).items == (2, 0, 1)


def _episode(model: Any, state: Any, belief: Any, planner: POMCP, rng: Random) -> float:
    """The return of an episode that POMCP plans step by step."""
    search, total = planner.search(model, belief, Limits(calls=None, depth=8), rng), 0.0
    for _ in range(12):
        action = run(search).actions[0]
        step = model.step([(state, action)], rng)[0]
        total += step.reward
        if step.end is not None:
            break
        state = step.state
        search.advance(action, model.observe(state))
    return total


@pytest.mark.parametrize("slip", [0.0, 0.1])
def test_pomcp_sorts_hidden_items(slip: float) -> None:
    core = HiddenPermutationCore(PermutationCore((1, 2, 0), (0, 1, 2)), slip)
    model = HiddenPermutationModel(core)
    check_model(model, core.initial())
    planner = POMCP(simulations=250, rollout_depth=4, particles=120)
    found = [_episode(model, core.initial(), model.belief(), planner, Random(seed)) for seed in range(3)]
    assert min(found) > 0.85


def test_pomcp_finds_the_hidden_state_of_a_program(sandbox: Sandbox) -> None:
    """Belief by imagination: what each possible state would have shown; a blind claim is right once in eight."""
    machine = draw_machine(Random(2), sandbox)
    model = HiddenStateModel(machine)
    planner = POMCP(simulations=300, rollout_depth=2, particles=100)
    found = [_episode(model, (state, machine.outputs), model.belief(), planner, Random(0)) for state in (1, 6)]
    assert min(found) > 0.7


def test_the_table_of_a_machine_is_what_its_source_computes(sandbox: Sandbox) -> None:
    machine = draw_machine(Random(0), sandbox)
    names: dict[str, Any] = {}
    exec(machine.source, names)
    assert all(names["step"](s, c) == machine.table[s][c] for s in range(machine.size) for c in range(3))
    function = draw_function(Random(0), sandbox)
    exec(function.source, names)
    assert [names["f"](number) for number in range(16)] == list(function.values)


def test_a_function_is_predicted_after_probes() -> None:
    env = gymnasium.make(PROBE, probes=16, predictions=3, price=0.0).unwrapped
    env.reset(seed=0)
    observation: dict[str, Any] = {"asked": 16}
    for number in range(16):
        observation, reward, over, *_ = env.step(np.int64(number))
        assert (reward, over) == (0.0, False)
    total = 0.0
    while not over:
        observation, reward, over, _, info = env.step(np.int64(env.probed[int(observation["asked"])]))
        total += reward
    assert total == pytest.approx(1.0)
    assert "def f" in info["source"]
    env.close()


def test_calls_of_a_program_that_fails_say_so(sandbox: Sandbox) -> None:
    results = call_values(sandbox, "def f(x):\n    return 1 // x\n", ["f(1)", "f(0)", "f(2)"])
    assert [result.exception for result in results] == [None, "ZeroDivisionError", None]
    with pytest.raises(ValueError, match="ZeroDivisionError"):
        value_of(results[1])
    broken = call_values(sandbox, "def f(x:\n", ["f(1)"])
    assert broken[0].exception == "SyntaxError"
    gone = call_values(sandbox, "import os\ndef f(x):\n    os._exit(1)\n", ["f(1)", "f(2)"])
    assert all(result.problem for result in gone)


@pytest.mark.parametrize(
    ("name", "options"),
    [(HIDDEN, {"slip": 1.0}), (HIDDEN, {"horizon": 0}), (STATE, {"size": 1}), (PROBE, {"predictions": 0})],
)
def test_options_that_cannot_be_are_refused(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(BadEnvOption):
        gymnasium.make(name, **options)
