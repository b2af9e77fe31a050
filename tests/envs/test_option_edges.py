"""Every edge of every option is a clear error or a valid environment; none hangs, none fails later."""

import gymnasium
import pytest

import cwm_agent
from envs.check import check_env
from envs.errors import BadEnvOption
from envs.registration import ENVIRONMENTS
from tasks import CallTest, RepairTask, TraceTask

PERMUTATION, REPAIR, TRACE = (f"envs:cwm_agent/{name}-v0" for name in ("Permutation", "Repair", "Trace"))
HIDDEN, STATE, PROBE = (f"envs:cwm_agent/{name}-v0" for name in ("HiddenPermutation", "HiddenState", "FunctionProbe"))
REPAIR_ARRAYS, TRACE_ARRAYS = (f"envs:cwm_agent/{name}-v0" for name in ("RepairArrays", "TraceArrays"))
NAN, INFINITE = float("nan"), float("inf")
REFUSED = [
    *((PERMUTATION, {"items": value}) for value in (1, 0, -3, 2.5, "4", True, None, 10**9, 160)),
    *((PERMUTATION, {"generators": value}) for value in ("swap", (), ((0, 0, 1),), ((1, 0),), 3, [[0, 1.0]])),
    (PERMUTATION, {"items": 3, "generators": ((0, 1, 2),)}),
    *((PERMUTATION, {"distance": value}) for value in (-1, 5, 1.0, "2")),
    *((PERMUTATION, {"items": 70, "distance": 3, "generators": name}) for name in ("swaps", "adjacent")),
    (PERMUTATION, {"items": 9, "distance": 3, "generators": "reversals"}),
    (PERMUTATION, {"generators": "reversals", "distance": 10**9}),
    *((PERMUTATION, {"goal": value}) for value in ((0, 1), (0, 0, 1, 2, 3), "first", 5, (0, 1, 2, 3, -4))),
    (PERMUTATION, {"goal": (1, 0, 2, 3, 4), "style": "branching"}),
    (PERMUTATION, {"style": "loops"}),
    *((PERMUTATION, {"horizon": value}) for value in (0, -1, 2.5, None)),
    *((PERMUTATION, {"show_every": value}) for value in (0, 1.5)),
    *((PERMUTATION, {"slip": value}) for value in (-0.1, 1, NAN, "0.1")),
    *((PERMUTATION, {"price": value}) for value in (NAN, INFINITE, "free", None)),
    (PERMUTATION, {"task": "permutation"}),
    *((REPAIR, {"budget": value}) for value in (1, 0, 2.0, None)),
    *((REPAIR, {"max_edits": value}) for value in (0, -1, "8")),
    *((REPAIR, {"tasks": value}) for value in ([], (), 3, None, [1, 2])),
    (REPAIR, {"keep": "never"}),
    *((REPAIR, {"price": value}) for value in (NAN, INFINITE, "free")),
    (REPAIR, {"sandbox": "none"}),
    *((TRACE, {"steps": value}) for value in (1, 0, 2.5)),
    *((TRACE, {"longest": value}) for value in (99, -1, None)),
    *((TRACE, {"tasks": value}) for value in ([], 3)),
    (TRACE, {"level": "bytes"}),
    *((HIDDEN, {"items": value}) for value in (1, 0, 2.5, "4", True, None, 10**9, NAN)),
    *((HIDDEN, {"generators": value}) for value in ("swap", 3, None)),
    *((HIDDEN, {"slip": value}) for value in (-0.1, 1, NAN, "0.1")),
    *((name, {"horizon": value}) for name in (HIDDEN, STATE) for value in (0, 2.5, None, True)),
    *((name, {"price": value}) for name in (HIDDEN, STATE, PROBE) for value in (NAN, INFINITE, "free", None)),
    *((STATE, {name: value}) for name in ("size", "outputs") for value in (1, 2.5, "4", None, 10**9)),
    *((PROBE, {"size": value}) for value in (3, 4.0, None, 10**9)),
    *((PROBE, {"probes": value}) for value in (0, 1.5, None)),
    *((PROBE, {"predictions": value}) for value in (0, 17, None)),
    *((name, {"sandbox": "none"}) for name in (STATE, PROBE)),
    *((REPAIR_ARRAYS, {"candidates": value}) for value in (0, 1.5, None, "8")),
    (REPAIR_ARRAYS, {"ranking": 3}),
    *((TRACE_ARRAYS, {"candidates": value}) for value in (0, 1.5, None)),
]
VALID = [
    (PERMUTATION, {"items": 2}),
    (PERMUTATION, {"items": 30}),
    (PERMUTATION, {"items": 4, "distance": 0}),
    (PERMUTATION, {"items": 64, "distance": 5, "generators": "adjacent"}),
    (PERMUTATION, {"items": 3, "generators": [[1, 2, 0]]}),
    (PERMUTATION, {"goal": [4, 3, 2, 1, 0], "horizon": 1, "price": -1}),
    (PERMUTATION, {"show_every": 100, "slip": 0.99}),
    (REPAIR, {"budget": 2, "max_edits": 1}),
    (REPAIR, {"price": 0}),
    (TRACE, {"steps": 2, "longest": 100}),
    (HIDDEN, {"items": 2, "horizon": 1, "slip": 0.99, "price": -1}),
    (STATE, {"size": 2, "outputs": 2, "horizon": 1}),
    (STATE, {"size": 3, "outputs": 200}),
    (PROBE, {"size": 4, "probes": 100, "predictions": 4}),
]
BARE = RepairTask(id="bare", source="def f():\n    pass\n", entry="f", tests=(CallTest("", "1"),))
CALL = TraceTask(id="call", source="def f():\n    pass\n", entry="f", arguments="")

TASKS = {name: {"tasks": [BARE]} for name in (REPAIR, REPAIR_ARRAYS)} | {
    name: {"tasks": [CALL]} for name in (TRACE, TRACE_ARRAYS)
}


@pytest.mark.parametrize(("name", "options"), REFUSED, ids=str)
def test_an_impossible_option_is_one_sentence(name, options):
    with pytest.raises(BadEnvOption) as found:
        gymnasium.make(name, **options)
    assert "\n" not in str(found.value)
    assert len(str(found.value)) < 250


@pytest.mark.parametrize(("name", "options"), VALID, ids=str)
def test_an_extreme_option_makes_a_valid_environment(name, options):
    env = gymnasium.make(name, **TASKS.get(name, {}), **options)
    check_env(env.unwrapped)
    env.close()


def test_starts_of_ones_own_moves_lead_to_the_goal():
    """Rotations reach two of the five other arrangements of three items; only these are drawn."""
    env = gymnasium.make(PERMUTATION, items=3, generators=((1, 2, 0),))
    assert {tuple(env.reset(seed=seed)[0].tolist()) for seed in range(20)} == {(1, 2, 0), (2, 0, 1)}


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"start": (0, 1)}, "start=.*arrangement of 5 items"),
        ({"start": "01234"}, "start='01234'"),
        ({"goal": 7}, "goal=7"),
        ({"distance": 99}, "farthest start is 4"),
        ("start", "give a dict"),
    ],
)
def test_bad_options_of_reset_are_one_sentence(options, complaint):
    with pytest.raises(BadEnvOption, match=complaint):
        gymnasium.make(PERMUTATION).reset(options=options)


@pytest.mark.parametrize(
    ("name", "action"),
    [
        (PERMUTATION, 10),
        (PERMUTATION, -1),
        (REPAIR, 5_000),
        (REPAIR, -1),
        (REPAIR, 0.5),
        (TRACE, 3),
        (TRACE, {"line": 1}),
        *((name, action) for name in (HIDDEN, STATE, PROBE) for action in (-1, 10**6, 0.5, "x", None, NAN)),
        *((name, action) for name in (REPAIR_ARRAYS, TRACE_ARRAYS) for action in (-1, 10**6, "x")),
    ],
)
def test_an_action_out_of_range_is_one_sentence(name, action):
    env = gymnasium.make(name, **TASKS.get(name, {}))
    env = env if "Arrays" in name else env.unwrapped
    env.reset(seed=0)
    with pytest.raises(BadEnvOption, match="action"):
        env.step(action)
    env.close()


@pytest.mark.parametrize("name", [name.removeprefix("cwm_agent/") for name in ENVIRONMENTS])
def test_every_environment_is_made_by_its_name(name):
    assert name in str(cwm_agent.make_env(name))
    assert name in str(gymnasium.make(f"envs:cwm_agent/{name}"))


@pytest.mark.parametrize("name", [HIDDEN, STATE, PROBE])
@pytest.mark.parametrize("options", ["start", 3, {"start": 1}, {3: 1}])
def test_an_environment_without_options_of_reset_says_so(name, options):
    with pytest.raises(BadEnvOption, match="reset"):
        gymnasium.make(name).reset(options=options)


def test_probing_one_input_again_and_again_ends():
    env = gymnasium.make(PROBE, probes=3, predictions=1).unwrapped
    env.reset(seed=0)
    for _ in range(3):
        observation, _, over, _, _ = env.step(0)
    assert not over
    assert observation["asked"] < env.size
    assert env.step(0)[2]
    env.close()
