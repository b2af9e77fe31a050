"""What we write for learners is loaded by the libraries themselves: Minari, TRL, verifiers, OpenEnv."""

import asyncio
import sys
from pathlib import Path

import minari
import pytest
from datasets import Dataset
from fastapi.testclient import TestClient
from trl import apply_chat_template, is_conversational, maybe_apply_chat_template
from verifiers.v1.utils.loaders import load_taskset

from cwm_agent.rollouts.collection import collect
from cwm_agent.rollouts.errors import BadRollouts
from cwm_agent.rollouts.exchange.minari_export import to_minari
from cwm_agent.rollouts.exchange.openenv_server import make_app
from cwm_agent.rollouts.exchange.trl_rows import dpo_rows, grpo_rows, sft_rows
from cwm_agent.rollouts.exchange.verifiers_taskset import RepairTaskset, RepairTasksetConfig
from cwm_agent.rollouts.rollout_policies import baseline, random_policy
from cwm_agent.rollouts.rollout_rows import read_rows
from cwm_agent.rollouts.rollout_run import RolloutRun
from tasks import load

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
PERMUTATION = RolloutRun("cwm_agent/Permutation-v0", options=(("items", 3), ("horizon", 4)))


@pytest.fixture
def datasets_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return tmp_path


@pytest.mark.parametrize("env", ["Permutation-v0", "RepairArrays-v0"])
def test_rollouts_are_a_minari_dataset(env, datasets_folder):
    """The library gives back every episode with its arrays and its end."""
    options = (("items", 3),) if env.startswith("Perm") else (("tasks", "repair/recursion"), ("budget", 4))
    path = datasets_folder / "rows.jsonl"
    collect(RolloutRun(f"cwm_agent/{env}", options=options), 3, path, random_policy)
    to_minari(path, "cwm_agent/rows-v0")
    found = minari.load_dataset("cwm_agent/rows-v0")
    rows = read_rows(path)
    assert found.total_episodes == 3
    for episode, row in zip(found.iterate_episodes(), rows, strict=True):
        assert episode.actions.tolist() == list(row.actions)
        assert episode.rewards.tolist() == pytest.approx(row.rewards)
        assert (bool(episode.terminations[-1]), bool(episode.truncations[-1])) == (row.terminated, row.truncated)
        assert len(episode.observations) == len(row.actions) + 1


def test_texts_are_no_minari_dataset(datasets_folder):
    path = datasets_folder / "rows.jsonl"
    collect(RolloutRun("cwm_agent/Trace-v0", options=(("tasks", "repair/recursion"),)), 1, path, random_policy)
    with pytest.raises(BadRollouts, match="no numeric observations"):
        to_minari(path, "cwm_agent/rows-v0")


class Template:
    """A chat template of one line, so that no tokenizer is downloaded."""

    chat_template = "x"

    def apply_chat_template(self, messages, tools=None, tokenize=False, continue_final_message=False,
                            add_generation_prompt=False, **more):  # fmt: skip
        said = "".join(f"<{each['role']}>{each['content']}" for each in messages)
        return said + ("<assistant>" if add_generation_prompt else "")


def test_rows_are_what_trl_expects(tmp_path):
    """TRL takes them for conversations of the right kind, and applies a chat template to each."""
    collect(PERMUTATION, 8, tmp_path / "a.jsonl", random_policy)
    greedy = RolloutRun("cwm_agent/Permutation-v0", "baseline", options=PERMUTATION.options)
    collect(greedy, 8, tmp_path / "b.jsonl", baseline)
    rows = [*read_rows(tmp_path / "a.jsonl"), *read_rows(tmp_path / "b.jsonl")]
    for made, keys in (
        (sft_rows(rows), {"text"}),
        (dpo_rows(rows), {"prompt", "chosen", "rejected"}),
        (grpo_rows(rows), {"prompt"}),
    ):
        data = Dataset.from_list(made)
        example = {
            key: data[0][key] for key in data.column_names if key in ("messages", "prompt", "chosen", "rejected")
        }
        assert is_conversational(example)
        assert set(apply_chat_template(example, Template())) == keys
        assert maybe_apply_chat_template(example, Template())
    assert apply_chat_template({"prompt": grpo_rows(rows)[0]["prompt"]}, Template())["prompt"].endswith("<assistant>")


def test_verifiers_rewards_the_reference_and_not_the_bug():
    """The library's own loader finds the example by its id, and its own scoring asks our tests."""
    sys.path.insert(0, str(EXAMPLES))
    taskset = load_taskset(RepairTasksetConfig(id="cwm-repair", tasks="repair/strings"))
    assert isinstance(taskset, RepairTaskset)
    task = next(iter(taskset))
    known = load("repair/strings").named(task.data.id)
    assert known.source in task.data.prompt

    class Said:
        """What scoring reads of a trace."""

        def __init__(self, reply):
            self.last_reply, self.rewards, self.metrics = reply, {}, {}

        def record_reward(self, name, value, weight=1.0):
            self.rewards[name] = value * weight

        def record_metric(self, name, value):
            self.metrics[name] = value

    for source, expected in ((known.reference, 1.0), (known.source, 0.0)):
        said = Said(f"Here it is.\n```python\n{source}```")
        asyncio.run(task.score(said))
        assert said.rewards == {"passes": expected}
        assert said.metrics["visible"] == 1.0 if expected else said.metrics["visible"] < 1.0
    silent = Said("I do not know.")
    asyncio.run(task.score(silent))
    assert silent.rewards == {"passes": 0.0}


def test_an_openenv_client_plays_an_episode():
    """Over the server's own protocol: reset, a mistake, and commands until the goal."""
    with (
        TestClient(make_app("cwm_agent/Permutation-v0", items=2)) as client,
        client.websocket_connect("/ws") as socket,
    ):

        def asked(kind, data):
            socket.send_json({"type": kind, "data": data})
            return socket.receive_json()["data"]

        begun = asked("reset", {"seed": 0})
        assert "Make them hold 0 1" in begun["observation"]["text"]
        mistake = asked("step", {"text": "hello"})
        assert (mistake["done"], "no action" in mistake["observation"]["text"]) == (False, True)
        done = asked("step", {"text": "swap 0 1"})
        assert (done["done"], done["reward"]) == (True, pytest.approx(0.99))


def test_the_container_file_names_what_exists():
    text = (EXAMPLES / "openenv" / "Dockerfile").read_text()
    assert "cwm_agent.rollouts.exchange.openenv_server:app" in text
    import cwm_agent.rollouts.exchange.openenv_server as server

    assert server.app.routes
