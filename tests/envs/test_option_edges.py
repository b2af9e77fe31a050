"""Every edge of every option is a clear error or a valid environment; none hangs, none fails later."""

import gymnasium
import pytest

import cwm_agent
from envs.check import check_env
from envs.errors import BadEnvOption
from tasks import CallTest, RepairTask, TraceTask

PERMUTATION, REPAIR, TRACE = (f"envs:cwm_agent/{name}-v0" for name in ("Permutation", "Repair", "Trace"))
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
]
BARE = RepairTask(id="bare", source="def f():\n    pass\n", entry="f", tests=(CallTest("", "1"),))
CALL = TraceTask(id="call", source="def f():\n    pass\n", entry="f", arguments="")


@pytest.mark.parametrize(("name", "options"), REFUSED, ids=str)
def test_an_impossible_option_is_one_sentence(name, options):
    with pytest.raises(BadEnvOption) as found:
        gymnasium.make(name, **options)
    assert "\n" not in str(found.value)
    assert len(str(found.value)) < 250


@pytest.mark.parametrize(("name", "options"), VALID, ids=str)
def test_an_extreme_option_makes_a_valid_environment(name, options):
    tasks = {REPAIR: {"tasks": [BARE]}, TRACE: {"tasks": [CALL]}}.get(name, {})
    env = gymnasium.make(name, **tasks, **options)
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
    ],
)
def test_an_action_out_of_range_is_one_sentence(name, action):
    tasks = {REPAIR: {"tasks": [BARE]}, TRACE: {"tasks": [CALL]}}.get(name, {})
    env = gymnasium.make(name, **tasks).unwrapped
    env.reset(seed=0)
    with pytest.raises(BadEnvOption, match="action"):
        env.step(action)
    env.close()


@pytest.mark.parametrize("name", ["Permutation-v0", "Repair-v0", "Trace-v0", "RepairArrays-v0", "TraceArrays-v0"])
def test_every_environment_is_made_by_its_name(name):
    assert name in str(cwm_agent.make_env(name))
    assert name in str(gymnasium.make(f"envs:cwm_agent/{name}"))
