"""Claims about the registered environments: conformance for every option, seeds, masks, rendering, vectors."""

import itertools
import subprocess
import sys
import textwrap
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check

import envs.registration
from envs.check import Nonconforming, check_env
from envs.editing.edit import apply_patch
from envs.execution.sandbox.sandbox import Sandbox
from tasks import CallTest, RepairTask, TraceTask, load

PERMUTATION, REPAIR, TRACE, *_ = envs.registration.ENVIRONMENTS
TASK = RepairTask(
    id="at-least",
    source="def at_least(x, y):\n    # inclusive\n    return x > y\n",
    entry="at_least",
    tests=(CallTest("1, 2", "False"), CallTest("2, 2", "True"), CallTest("3, 2", "True")),
    hidden=(CallTest("0, 0", "True"),),
)
CALL = TraceTask(id="add", source="def add(x, y):\n    z = x + y\n    return z\n", entry="add", arguments="1, [2][0]")


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


OPTIONS = [
    pytest.param(PERMUTATION, {}, id="permutation"),
    pytest.param(PERMUTATION, {"items": 4, "generators": "adjacent", "distance": 5}, id="adjacent, exact distance"),
    pytest.param(PERMUTATION, {"generators": "reversals", "goal": "drawn"}, id="reversals, drawn goal"),
    pytest.param(PERMUTATION, {"generators": ((1, 2, 0), (1, 0, 2)), "items": 3}, id="own commands"),
    pytest.param(PERMUTATION, {"style": "branching", "show_every": 3}, id="branching, sparse"),
    pytest.param(PERMUTATION, {"style": "loop", "slip": 0.5, "horizon": 5, "price": 0.1}, id="loop, slip"),
    pytest.param(PERMUTATION, {"task": load("permutation").tasks[0]}, id="a task"),
    pytest.param(REPAIR, {}, id="repair"),
    pytest.param(REPAIR, {"keep": "always", "localisation": False, "price": 0.0}, id="keep always, no localisation"),
    pytest.param(REPAIR, {"max_edits": 7, "budget": 4}, id="few edits, small budget"),
    pytest.param(REPAIR, {"tasks": "repair/recursion"}, id="shipped tasks"),
    pytest.param(TRACE, {}, id="trace"),
    pytest.param(TRACE, {"level": "plain", "parts": True}, id="plain, in parts"),
    pytest.param(TRACE, {"stop_at_error": True, "tasks": "repair/strings"}, id="survival"),
]


def made(name, options, sandbox, **more):
    given = dict(options)
    if name != PERMUTATION:
        given = {"tasks": [TASK if name == REPAIR else CALL], "sandbox": sandbox, **given}
    return gymnasium.make(name, **given, **more)


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_every_environment_and_option_conforms(name, options):
    env = made(name, options, None)  # its own sandbox: Gymnasium's checker copies what make() was given
    gymnasium_check(env.unwrapped, skip_render_check=True)
    check_env(env.unwrapped)
    env.close()


@pytest.mark.parametrize("name", [PERMUTATION, REPAIR, TRACE])
def test_ansi_returns_text_and_human_prints_it(name, sandbox, capsys):
    env = made(name, {}, sandbox, render_mode="ansi")
    env.reset(seed=1)
    assert env.render().strip()
    assert capsys.readouterr().out == ""
    env = made(name, {}, sandbox, render_mode="human")
    env.reset(seed=1)
    assert capsys.readouterr().out.strip()


def test_a_repair_episode_ends_when_all_tests_pass_for_real(sandbox):
    env = made(REPAIR, {}, sandbox, render_mode="ansi")
    observation, info = env.reset(seed=0)
    assert observation["tests"].tolist() == [1, 0, 1]
    assert observation["suspicion"][2] > 0
    edits = [str(env.unwrapped.edit_of(rank)) for rank in np.flatnonzero(info["action_mask"])]
    action = edits.index("comparison-boundary 3:13: '>' -> '>='")
    observation, reward, terminated, truncated, info = env.step(action)
    assert (terminated, truncated) == (True, False)
    assert reward == pytest.approx(1 / 3 - 0.001)
    assert info["executions"] == 2
    assert env.unwrapped.passes_hidden()
    assert "+    return x >= y" in env.render()
    assert "tests +++" in env.render()


def test_an_edit_that_gains_nothing_is_reverted_and_masked(sandbox):
    env = made(REPAIR, {}, sandbox)
    before, info = env.reset(seed=0)
    edits = [str(env.unwrapped.edit_of(rank)) for rank in np.flatnonzero(info["action_mask"])]
    action = edits.index("comparison 3:13: '>' -> '<'")
    after, reward, *_, info = env.step(action)
    assert after["source"] == before["source"]
    assert reward == pytest.approx(-0.001)
    assert info["action_mask"][action] == 0
    *_, info = env.step(action)
    assert info["refused"]


def test_keep_always_continues_from_the_edited_program(sandbox):
    env = made(REPAIR, {"keep": "always"}, sandbox)
    _, info = env.reset(seed=0)
    edits = [str(env.unwrapped.edit_of(rank)) for rank in np.flatnonzero(info["action_mask"])]
    after, *_, info = env.step(edits.index("comparison 3:13: '>' -> '<'"))
    assert "x < y" in after["source"]
    assert info["patch"] == ("comparison 3:13: '>' -> '<'",)


def test_keep_always_masks_clashing_edits_and_moves_the_rest(sandbox):
    """A rank stands for one edit during the whole episode; the edit moves with the text."""
    task = load("repair").named("invoice-total")
    env = made(REPAIR, {"keep": "always", "budget": 12, "tasks": [task]}, sandbox).unwrapped
    _, info = env.reset(seed=0)
    rng, ended = np.random.default_rng(0), False
    while not ended:
        free = np.flatnonzero(info["action_mask"])
        for rank in free:
            env.edit_of(rank).apply(env.state.source)  # raises BadEdit if the text at its place differs
        *_, terminated, truncated, info = env.step(rng.choice(free))
        ended = terminated or truncated
    assert len(info["patch"]) > 3
    assert apply_patch(task.source, info["patch"]) == env.state.source


def test_hidden_tests_and_the_reference_appear_nowhere(sandbox):
    reference = "def at_least(x, y):\n    return 543212345 and x >= y\n"
    task = replace(TASK, hidden=(CallTest("123454321, 1", "True"),), reference=reference)
    env = made(REPAIR, {"tasks": [task]}, sandbox, render_mode="ansi")
    shown = [env.reset(seed=0), env.step(0), env.render()]
    assert "123454321" not in str(shown)
    assert "543212345" not in str(shown)


def test_overflow_of_the_action_space_is_counted(sandbox):
    env = made(REPAIR, {"max_edits": 7}, sandbox)
    _, info = env.reset(seed=0)
    assert info["edits_left_out"] == info["edits"] - 7 > 0


def test_a_budget_truncates(sandbox):
    env = made(REPAIR, {"budget": 3}, sandbox)
    _, info = env.reset(seed=0)
    wrong = [r for r in np.flatnonzero(info["action_mask"]) if "'>' -> '<'" in str(env.unwrapped.edit_of(r))]
    assert env.step(wrong[0])[3] is False
    rest = [r for r in np.flatnonzero(info["action_mask"]) if "'>' -> '!='" in str(env.unwrapped.edit_of(r))]
    observation, _, terminated, truncated, _ = env.step(rest[0])
    assert (terminated, truncated) == (False, True)
    assert observation["budget"] == 0


def test_a_perfect_claim_scores_every_frame_and_a_wrong_one_none(sandbox):
    env = made(TRACE, {"tasks": "repair/one_edit_short"}, sandbox)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            claim = env.unwrapped.core.truth(env.unwrapped.state)
            _, reward, terminated, truncated, info = env.step({"line": claim.line, "changes": claim.changes})
            total, over = total + reward, terminated or truncated
        assert total == info["frames"] - 1
    env.reset(seed=0)
    _, reward, *_, info = env.step({"line": 9999, "changes": "no = 1"})
    assert (reward, info["line_right"], info["changes_right"]) == (0.0, False, False)


def test_blanks_and_quotes_of_a_claim_do_not_count(sandbox):
    env = made(TRACE, {}, sandbox)
    env.reset(seed=0)
    env.step({"line": 2, "changes": ""})
    _, reward, *_ = env.step({"line": 3, "changes": "  z=3 \n"})
    assert reward == 1.0


def test_sparse_observation_hides_the_state_in_between():
    env = gymnasium.make(PERMUTATION, show_every=2, items=4)
    env.reset(seed=0)
    hidden, *_ = env.step(0)
    shown, *_ = env.step(1)
    assert hidden.tolist() == [4] * 4
    assert 4 not in shown.tolist()


def test_vector_environments_work():
    vector = gymnasium.make_vec(PERMUTATION, num_envs=3, vectorization_mode="sync", vector_kwargs={}, items=4)
    observations, info = vector.reset(seed=5)
    assert observations.shape == (3, 4)
    assert info["action_mask"].shape == (3, 6)
    vector.step(vector.action_space.sample())
    vector.close()


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        pytest.param(PERMUTATION, {"slip": 1.0}, "slip", id="slip always"),
        pytest.param(PERMUTATION, {"goal": "reversed"}, "'sorted' or 'drawn'", id="unknown goal"),
        pytest.param(PERMUTATION, {"render_mode": "rgb_array"}, "Choose one of: ansi, human", id="render mode"),
        pytest.param(REPAIR, {"tasks": "permutation"}, "no repair task", id="no repair task"),
        pytest.param(REPAIR, {"keep": "never"}, "keep", id="unknown keep"),
        pytest.param(TRACE, {"level": "lines"}, "level", id="unknown level"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*render_mode.*:UserWarning")
def test_bad_options_are_refused(name, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        gymnasium.make(name, **options)


def test_an_unknown_option_of_reset_is_refused():
    env = gymnasium.make(PERMUTATION)
    with pytest.raises(ValueError, match="Did you mean 'start'"):
        env.reset(options={"strat": (1, 0)})


def test_an_environment_that_ignores_its_seed_does_not_conform():
    env = gymnasium.make(PERMUTATION).unwrapped
    drawn = itertools.count()  # other seeds than the one that is given
    reset = {"reset": lambda self, **_: super(type(self), self).reset(seed=next(drawn))}
    unseeded = type("Unseeded", (type(env),), reset)()
    with pytest.raises(Nonconforming, match=r"Unseeded.reset\(\): expected equal episodes of seed 0"):
        check_env(unseeded)


@pytest.mark.parametrize(("name", "given", "nearest"), [(REPAIR, "at-last", "at-least"), (TRACE, "ad", "add")])
def test_an_unknown_task_is_refused_with_the_nearest_name(name, given, nearest, sandbox):
    env = made(name, {}, sandbox)
    with pytest.raises(ValueError, match=f"Did you mean '{nearest}'"):
        env.reset(options={"task": given})


def test_envs_imports_without_gymnasium_and_never_imports_torch():
    code = """
        import sys
        if "without" in sys.argv:
            sys.modules["gymnasium"] = None
        import envs, envs.execution.decompose.decomposition, envs.domains.permutation_core, envs.domains.repair_core, envs.domains.trace_core, envs.edits
        assert "torch" not in sys.modules
        print("gymnasium" in sys.modules and sys.modules["gymnasium"] is not None)
    """
    for argument, expected in (("with", "True"), ("without", "False")):
        command = [sys.executable, "-c", textwrap.dedent(code), argument]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        assert found.stdout.strip() == expected, found.stderr
