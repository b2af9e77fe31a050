"""Rollouts: what a row holds, that files survive interruption, and that learners can read them."""

import doctest
import json
import math
import threading
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from local_worlds import exact

from cwm_agent import rollout
from cwm_agent.reports.rollout_page import rollout_report
from cwm_agent.rollouts.collection import collect
from cwm_agent.rollouts.errors import BadRollouts, UnknownPolicy
from cwm_agent.rollouts.exchange.learner_data import load_rollouts
from cwm_agent.rollouts.exchange.trl_rows import sft_rows
from cwm_agent.rollouts.rollout_policies import policy_named, random_policy
from cwm_agent.rollouts.rollout_rows import EpisodeRow, read_rows
from cwm_agent.rollouts.rollout_run import RolloutRun

PERMUTATION = "cwm_agent/Permutation-v0"
FOUR = (("items", 4), ("horizon", 6))
REPAIR = {
    "kind": "repair",
    "id": "at-least",
    "source": "def at_least(x, y):\n    return x > y\n",
    "entry": "at_least",
    "tests": [
        {"arguments": "1, 2", "expected": "False"},
        {"arguments": "2, 2", "expected": "True"},
        {"arguments": "3, 2", "expected": "True"},
    ],
}


def first_action(observation, info, rng):
    """A user's policy without log-probabilities."""
    return 0


def sure_action(observation, info, rng):
    """A user's policy that returns its log-probability."""
    return 1, math.log(0.5)


def rolled(path, policy="random", episodes=5, oracle=None, width=3, **run):
    found = policy_named(policy, exact)
    return collect(
        RolloutRun(PERMUTATION, policy, options=FOUR, **run), episodes, path, found, oracle=oracle, width=width
    )


def test_a_row_holds_the_whole_episode(tmp_path):
    path = tmp_path / "r.jsonl"
    assert rolled(path) == 5
    for number, row in enumerate(read_rows(path)):
        assert (row.episode, row.seed, row.done) == (number, number, True)
        assert len(row.actions) == len(row.rewards) == len(row.logprobs) == len(row.observations) - 1
        assert row.logprobs[0] == pytest.approx(-math.log(6))
        assert row.terminated != row.truncated
        assert row.total == pytest.approx(row.terminated - 0.01 * len(row.actions))
        assert row.task.startswith("swaps-n4-")
        assert [each["role"] for each in row.messages] == ["user", *["assistant", "user"] * len(row.actions)]


@pytest.mark.parametrize("world", ["real", "imagined"])
def test_rows_do_not_depend_on_the_width(tmp_path, world):
    oracle = exact() if world == "imagined" else None
    rolled(tmp_path / "one.jsonl", width=1, world=world, oracle=oracle)
    rolled(tmp_path / "four.jsonl", width=4, world=world, oracle=oracle)
    assert read_rows(tmp_path / "one.jsonl") == read_rows(tmp_path / "four.jsonl")


def test_the_exact_oracle_gives_the_rewards_of_the_real_environment(tmp_path):
    rolled(tmp_path / "real.jsonl")
    rolled(tmp_path / "imagined.jsonl", world="imagined", oracle=exact())
    real, imagined = load_rollouts(tmp_path / "real.jsonl"), load_rollouts(tmp_path / "imagined.jsonl")
    assert (real.actions == imagined.actions).all()
    assert (real.rewards == imagined.rewards).all()


def test_an_interrupted_run_continues(tmp_path):
    """An incomplete row is removed; the file then equals that of a run without interruption."""
    whole, path = tmp_path / "whole.jsonl", tmp_path / "r.jsonl"
    rolled(whole, episodes=6)
    rolled(path, episodes=4)
    path.write_bytes(path.read_bytes()[:-20])
    assert len(read_rows(path)) == 3
    assert rolled(path, episodes=6) == 6
    assert read_rows(path) == read_rows(whole)


def test_an_interrupt_keeps_what_is_finished(tmp_path, monkeypatch, capsys):
    path = tmp_path / "r.jsonl"
    seen = []

    def interrupting(row, done, total):
        seen.append(done)
        if done == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(rollout, "line_of", interrupting)
    options = [PERMUTATION, "--episodes", "6", "--out", str(path), "--set", "items=4", "--set", "horizon=6"]
    assert rollout.main(options) == 130
    assert "the same command continues" in capsys.readouterr().err
    assert len(read_rows(path)) == 2
    monkeypatch.setattr(rollout, "line_of", lambda row, done, total: "")
    assert rollout.main(options) == 0
    assert "6 episodes" in capsys.readouterr().out


def test_other_settings_are_not_mixed_into_a_file(tmp_path):
    path = tmp_path / "r.jsonl"
    rolled(path)
    with pytest.raises(BadRollouts, match=r"other settings \(seed\)"):
        rolled(path, seed=7)


def test_a_line_that_is_no_rollout_is_named(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text('{"version": 1}\n')
    with pytest.raises(BadRollouts, match=r"r\.jsonl:1 is no rollout"):
        read_rows(path)
    path.write_text('{"version": 99}\n')
    with pytest.raises(BadRollouts, match="newer version"):
        read_rows(path)


def test_arrays_line_up_step_by_step(tmp_path):
    path = tmp_path / "r.jsonl"
    rolled(path)
    rows, arrays = read_rows(path), load_rollouts(path)
    assert arrays.starts[-1] == len(arrays.actions) == len(arrays.rewards) == len(arrays.observations)
    assert arrays.returns == pytest.approx([row.total for row in rows])
    assert (arrays.observations[1 : arrays.starts[1]] == arrays.next_observations[: arrays.starts[1] - 1]).all()
    assert arrays.terminated.tolist() == [row.terminated for row in rows]
    assert not np.isnan(arrays.logprobs).any()


def test_log_probabilities_are_kept_where_a_policy_gives_them(tmp_path):
    rolled(tmp_path / "first.jsonl", policy=f"{__name__}:first_action")
    rolled(tmp_path / "sure.jsonl", policy=f"{__name__}:sure_action")
    assert np.isnan(load_rollouts(tmp_path / "first.jsonl").logprobs).all()
    assert load_rollouts(tmp_path / "sure.jsonl").logprobs == pytest.approx(math.log(0.5))


def test_rows_make_a_dataset_as_trl_takes_it(tmp_path):
    """Messages with roles, JSON all through, the problem first and commands in the assistant's turns."""
    path = tmp_path / "r.jsonl"
    rolled(path, policy="planner:best-first")
    dataset = sft_rows(read_rows(path))
    assert json.loads(json.dumps(dataset)) == dataset
    for example in dataset:
        problem, first = example["messages"][:2]
        assert (problem["role"], first["role"]) == ("user", "assistant")
        assert first["content"].startswith("swap ")
        assert "Make them hold 0 1 2 3." in problem["content"]


@pytest.mark.parametrize("policy", ["baseline", "planner:best-first", "planner:beam"])
def test_better_policies_reach_the_goal(tmp_path, policy):
    rolled(tmp_path / "r.jsonl", policy=policy)
    assert load_rollouts(tmp_path / "r.jsonl").terminated.all()


@pytest.mark.parametrize("world", ["real", "imagined"])
def test_rows_of_repairs_hold_their_text(tmp_path, world):
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(json.dumps(REPAIR) + "\n")
    run = RolloutRun("cwm_agent/Repair-v0", "baseline", world, options=(("tasks", str(tasks)), ("budget", 30)))
    collect(run, 2, tmp_path / "r.jsonl", policy_named("baseline", exact), oracle=exact(), width=2)
    for row in read_rows(tmp_path / "r.jsonl"):
        assert row.terminated
        assert row.observations is None
        assert "return x >= y" in row.messages[-1]["content"]
        assert row.task == "at-least"


def test_rows_of_traces_hold_their_text(tmp_path):
    run = RolloutRun("cwm_agent/Trace-v0", "baseline", options=(("tasks", "repair/one_edit_short"), ("steps", 10)))
    collect(run, 1, tmp_path / "r.jsonl", policy_named("baseline", exact))
    row = read_rows(tmp_path / "r.jsonl")[0]
    assert row.messages[1]["content"].startswith("line ")
    with pytest.raises(BadRollouts, match="actions that are no numbers"):
        load_rollouts(tmp_path / "r.jsonl")


def test_every_example_of_the_page_runs_as_written():
    """docs/rollouts.md is a doctest."""
    page = Path(__file__).parents[2] / "docs" / "rollouts.md"
    result = doctest.testfile(str(page), module_relative=False, globs={"np": np})
    assert result.attempted >= 8
    assert result.failed == 0


def test_unknown_policy_names_get_a_hint():
    for name, hint in [("randm", "random"), ("planner:bem", "beam"), ("planner", "planner:"), ("nowhere:x", "loaded")]:
        with pytest.raises(ValueError, match=hint):
            policy_named(name, exact)


def test_a_policy_that_does_not_fit_the_environment_is_refused(tmp_path):
    with pytest.raises(UnknownPolicy, match="baseline"):
        collect(RolloutRun("CartPole-v1"), 1, tmp_path / "a.jsonl", policy_named("baseline", exact))
    with pytest.raises(BadRollouts, match="cannot be made"):
        collect(RolloutRun("NoSuch-v0"), 1, tmp_path / "b.jsonl", policy_named("random", exact))


def test_any_environment_of_gymnasium_can_be_rolled_out_for_real(tmp_path):
    collect(RolloutRun("CartPole-v1"), 2, tmp_path / "r.jsonl", policy_named("random", exact))
    arrays = load_rollouts(tmp_path / "r.jsonl")
    assert arrays.observations.shape[1:] == (4,)
    assert arrays.returns.sum() == len(arrays.actions)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([PERMUTATION, "--set", "items"], "write KEY=VALUE"),
        ([PERMUTATION, "--policy", "wise"], "No policy named 'wise'"),
        ([PERMUTATION, "--episodes", "0"], "at least 1"),
        ([PERMUTATION, "--set", "itms=4"], "cannot be made"),
        (["a:b:c"], "Write ENV_ID, or MODULE:ENV_ID"),
        (["no_such_module:Env-v0"], "cannot be made"),
        (["cwm_agent/Trace-v0", "--world", "imagined", "--oracle", "none"], "no world that an oracle imagines"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments, message, tmp_path, capsys):
    assert rollout.main([*arguments, "--out", str(tmp_path / "r.jsonl")]) == 2
    assert message in capsys.readouterr().err


def test_progress_is_told_while_a_step_takes_long(capsys):
    """The line comes from a thread of its own, so an oracle that is busy does not hold it up."""
    from cwm_agent.commands.progress import heartbeat
    from cwm_agent.rollout import Tally

    tally, told = Tally(3), threading.Event()
    beats = iter([False, True])

    def wait(seconds):
        assert seconds <= 5
        if not (ended := next(beats)):
            return False
        told.set()
        return ended

    tally.count(7)
    with heartbeat(tally.line, wait):
        assert told.wait(60)
    assert capsys.readouterr().out == "0 of 3 episodes, 7 steps\n"
    with tally.told(terminal=True):
        pass


@pytest.mark.filterwarnings("ignore:.*reward is a NaN.*:UserWarning")
def test_a_reward_that_is_no_number_is_one_sentence(tmp_path):
    class Unpaid(gymnasium.RewardWrapper):
        def reward(self, reward):
            return float("nan")

    gymnasium.register("test/Unpaid-v0", lambda **_: Unpaid(gymnasium.make("CartPole-v1")))
    with pytest.raises(BadRollouts, match="Step 1 of episode 0 has the reward nan"):
        collect(RolloutRun("test/Unpaid-v0"), 1, tmp_path / "r.jsonl", random_policy)


def test_rows_of_another_version_are_one_sentence(tmp_path):
    (tmp_path / "r.jsonl").write_text('{"version": 99}\n')
    with pytest.raises(BadRollouts, match="written by a newer version, 99"):
        load_rollouts(tmp_path / "r.jsonl")


def test_the_command_says_what_it_loads_before_anything_is_made(tmp_path, monkeypatch, capsys):
    """Imports and the oracle's weights may take seconds; a reader sees at once that the command works."""
    said = []
    monkeypatch.setattr(rollout, "run", lambda options: said.append(capsys.readouterr().out) or 0)
    assert rollout.main(["cwm_agent/Permutation-v0", "--episodes", "7", "--out", str(tmp_path / "r.jsonl")]) == 0
    assert said == ["7 episodes of cwm_agent/Permutation-v0: loading\n"]


def test_the_command_tells_its_progress_while_it_imports(tmp_path, monkeypatch):
    """On a busy machine the imports alone may take longer than a reader waits."""
    events = []

    @contextmanager
    def beats(say):
        events.append(say())
        yield
        events.append("ended")

    monkeypatch.setattr(rollout, "heartbeat", beats)
    monkeypatch.setattr(rollout, "_collect", lambda *_: events.append("imports"))
    with pytest.raises(BadRollouts):  # nothing was collected, so there is no file
        rollout.run(rollout.parser().parse_args(["cwm_agent/Permutation-v0", "--out", str(tmp_path / "r.jsonl")]))
    assert events == ["0 of 10 episodes, 0 steps", "imports", "ended"]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"version": "1"}, "version is '1'"),
        ({"version": True}, "version is True"),
        ({"version": -1}, "no known version, -1"),
        ({"version": float("nan")}, "version is nan"),
        ({"run": None}, "run is None"),
        ({"episode": "x"}, "episode is 'x'"),
        ({"seed": None}, "seed is None"),
        ({"seed": -1}, "holds a seed"),
        ({"task": 3}, "task is 3"),
        ({"messages": "x"}, "messages is 'x'"),
        ({"rewards": "x"}, "rewards is 'x'"),
        ({"rewards": [float("nan")]}, "reward of step 0 is nan"),
        ({"rewards": [True]}, "reward of step 0 is True"),
        ({"rewards": []}, "1 actions, 0 rewards"),
        ({"logprobs": ["x"]}, "a logprob is 'x'"),
        ({"observations": "x"}, "observations is 'x'"),
        ({"observations": [[0]]}, "1 actions and 1 observations"),
        ({"terminated": None}, "terminated is None"),
        ({"stop_reason": None}, "stop_reason is None"),
        ({"actions": [10**30]}, "64 bits"),
        ({"other": 1}, "other"),
    ],
    ids=str,
)
def test_a_row_with_a_wrong_part_is_one_sentence(tmp_path, change, complaint):
    path = tmp_path / "r.jsonl"
    row = EpisodeRow(
        run={}, episode=0, seed=1, task="t", messages=(), actions=(2,), rewards=(0.5,), logprobs=(None,),
        observations=((0,), (1,)), terminated=True, truncated=False,
    )  # fmt: skip
    path.write_text(json.dumps(asdict(row)) + "\n")
    assert len(load_rollouts(path).actions) == 1
    path.write_text(json.dumps(asdict(row) | change) + "\n")
    with pytest.raises(BadRollouts, match=complaint) as found:
        load_rollouts(path)
    assert "\n" not in str(found.value)


def test_a_row_of_the_first_version_keeps_why_it_stopped(tmp_path):
    row = EpisodeRow(
        run={}, episode=0, seed=1, task="t", messages=(), actions=(2,), rewards=(0.5,), logprobs=(None,),
        observations=None, terminated=False, truncated=True, stop_reason="no oracle", version=1,
    )  # fmt: skip
    old = asdict(row) | {"woke": "no oracle"}
    del old["stop_reason"]
    (tmp_path / "r.jsonl").write_text(json.dumps(old) + "\n")
    assert read_rows(tmp_path / "r.jsonl") == [row]
    (shown,) = rollout_report(tmp_path / "r.jsonl").index["rollouts"]["rows"]
    assert (shown["end"], shown["reason"]) == ("stopped", "no oracle")
