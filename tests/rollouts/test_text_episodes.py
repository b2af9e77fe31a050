"""Episodes in texts, and rollouts as rows for trainers of language models: right roles, right order, right rewards."""

from dataclasses import replace
from pathlib import Path

import pytest

from cwm_agent.rollouts.collection import collect
from cwm_agent.rollouts.errors import BadRolloutRun, BadRollouts
from cwm_agent.rollouts.exchange.text_episode import MOST_MISTAKES, TextEpisode
from cwm_agent.rollouts.exchange.trl_rows import dpo_rows, grpo_rows, replay_reward, sft_rows
from cwm_agent.rollouts.rollout_policies import baseline, random_policy
from cwm_agent.rollouts.rollout_rows import read_rows
from cwm_agent.rollouts.rollout_run import RolloutRun

RUN = RolloutRun("cwm_agent/Permutation-v0", options=(("items", 3), ("horizon", 4)))


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Random episodes of six seeds and greedy ones of the same seeds, so that problems occur twice."""
    folder: Path = tmp_path_factory.mktemp("rows")
    collect(RUN, 6, folder / "random.jsonl", random_policy)
    collect(replace(RUN, policy="baseline"), 6, folder / "greedy.jsonl", baseline)
    return [*read_rows(folder / "random.jsonl"), *read_rows(folder / "greedy.jsonl")]


@pytest.mark.parametrize("name", ["Permutation-v0", "Repair-v0", "RepairArrays-v0", "Trace-v0"])
def test_what_a_rollout_says_is_read_back_as_the_same_actions(name, tmp_path):
    """Replaying the assistant's messages gives the rewards of the row."""
    options = () if name.startswith("Perm") else (("tasks", "repair/recursion"),)
    options += (("budget", 5), ("max_edits", 64)) if name.startswith("Repair") else ()
    collect(RolloutRun(f"cwm_agent/{name}", options=options), 1, tmp_path / "r.jsonl", baseline)
    (row,) = read_rows(tmp_path / "r.jsonl")
    episode = TextEpisode(f"cwm_agent/{name}", **dict(options))
    assert episode.reset(row.seed) == row.messages[0]["content"]
    said = [message["content"] for message in row.messages if message["role"] == "assistant"][:20]
    steps = [episode.step(text) for text in said]
    assert [step.reward for step in steps] == list(row.rewards[:20])
    assert [step.text for step in steps] == [row.messages[2 + 2 * at]["content"] for at in range(len(said))]
    episode.close()


def test_a_text_that_is_no_action_is_answered_and_too_many_end_the_episode():
    episode = TextEpisode("Permutation-v0", items=3)
    episode.reset(0)
    steps = [episode.step("swap the first two") for _ in range(MOST_MISTAKES)]
    assert "Write one command, such as 'swap 0 1'" in steps[0].text
    assert [step.done for step in steps] == [False] * (MOST_MISTAKES - 1) + [True]


def test_an_environment_without_texts_is_refused():
    with pytest.raises(BadRolloutRun, match="has no texts"):
        TextEpisode("CartPole-v1")


def test_rows_for_sft_end_with_the_assistant(rows):
    found = sft_rows(rows, least_return=0.5)
    assert found
    for row in found:
        roles = [message["role"] for message in row["messages"]]
        assert roles == ["user", "assistant"] * (len(roles) // 2)


def test_rows_for_dpo_hold_one_turn_each_and_the_better_one_is_chosen(rows):
    found = dpo_rows(rows)
    assert found
    for row in found:
        assert row["prompt"][-1]["role"] == "user"
        assert [message["role"] for message in row["chosen"] + row["rejected"]] == ["assistant"] * 2
        assert row["chosen"] != row["rejected"]


def test_rows_for_grpo_end_with_the_user_and_completions_are_rewarded_for_real(rows):
    """The actions of an episode earn its return; nonsense earns nothing."""
    found = grpo_rows(rows)
    assert len(found) == len({row.messages[0]["content"] for row in rows})
    row = next(row for row in rows if row.terminated)
    prompt = next(each for each in found if each["prompt"][0] == row.messages[0])
    said = "\n".join(message["content"] for message in row.messages if message["role"] == "assistant")
    columns = {key: [prompt[key]] * 3 for key in ("env", "options", "seed", "task")}
    completions = [f"I think.\n{said}", [{"role": "assistant", "content": said}], "no idea"]
    rewards = replay_reward(completions, **columns)
    assert rewards == [pytest.approx(row.total), pytest.approx(row.total), 0.0]


def test_a_completion_earns_nothing_after_the_end_of_its_episode():
    """Four commands are allowed; the fifth, which would reach the goal, comes too late."""
    columns = {"env": ["Permutation-v0"], "options": ["{'items': 2, 'horizon': 4}"], "seed": [0]}
    (reward,) = replay_reward(["swap 0 1\n" * 5], **columns)
    assert reward == pytest.approx(0.99)
    (late,) = replay_reward(["swap 0 1\n" * 5], **columns | {"options": ["{'items': 3, 'horizon': 4}"]})
    assert late == pytest.approx(-0.04)


def test_an_episode_without_turns_is_one_sentence(rows):
    broken = replace(rows[0], messages=({"role": "user", "content": "?"},))
    for make in (sft_rows, dpo_rows, grpo_rows):
        with pytest.raises(BadRollouts, match="no turns of user and assistant"):
            make([broken])
