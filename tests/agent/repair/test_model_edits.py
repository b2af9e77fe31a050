"""Edits from a language model: answers are parsed into edits or ignored; an edit is treated like any other."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from contract_server import Contract, served
from recipe import byte_fallback_tokenizer
from transformers import LlamaConfig, LlamaForCausalLM

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.repair.proposals.model_edits import Failure, Proposer, edits_in, rewriting
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.oracles.backends.openai.http_completions import Server
from cwm_agent.oracles.backends.openai.server_history import OpenAiSettings
from cwm_agent.oracles.backends.openai.server_writer import OpenAiWriter
from cwm_agent.oracles.backends.transformers.text_writer import HfWriter
from cwm_agent.oracles.protocol import BackendFailed, OutOfBudget
from cwm_agent.oracles.writer_protocol import WrittenText
from tasks import CallTest, RepairTask

SOURCE = "K = 2\n\n\ndef twice(x):\n    return x + 2\n\n\ndef f(xs):\n    return [twice(x) for x in xs]\n"
RIGHT = SOURCE.replace("x + 2", "x * K")
TASK = RepairTask("twice", SOURCE, "f", (CallTest("[1, 5]", "[2, 10]"),), hidden=(CallTest("[0]", "[0]"),))
FAILURES = (Failure("f([1, 5]) == [2, 10]", "[3, 7]"),)


class Scripted:
    """A writer with fixed answers that keeps the prompts it gets."""

    name = "scripted"

    def __init__(self, answers: Sequence[str]) -> None:
        self.answers, self.prompts = answers, list[str]()

    def write(self, prompt: str, count: int, seed: int) -> list[WrittenText]:
        self.prompts.append(prompt)
        return [WrittenText(answer, 10) for answer in self.answers[:count]]


def right_writer() -> Scripted:
    """The writer that `module:callable` names below."""
    return Scripted(["I cannot help with that.", f"Here:\n```python\n{RIGHT}```\n"])


def proposed(*answers: str) -> list[str]:
    """The programs that the edits in some answers make."""
    return [edit.apply(SOURCE) for edit in Proposer(Scripted(answers)).edits(SOURCE, "f", FAILURES)]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(RIGHT, id="bare"),
        pytest.param(f"```python\n{RIGHT}```", id="fenced"),
        pytest.param(f"Sure!\n\n```py\n{RIGHT}\n```\nI changed one line.", id="with words around it"),
        pytest.param(f"```\n{RIGHT}", id="cut before the fence closes"),
        pytest.param(f"```\n{RIGHT[RIGHT.index('def twice') :]}```", id="functions alone"),
    ],
)
def test_a_program_in_an_answer_is_an_edit_of_the_lines_that_differ(answer: str) -> None:
    [edit] = edits_in(answer, SOURCE, "f")
    assert edit.apply(SOURCE) == RIGHT
    assert (edit.line, edit.before, edit.operator) == (5, "    return x + 2\n", "proposed")
    assert type(edit).read(str(edit)) == edit, "an episode's patch can be read back"


@pytest.mark.parametrize(
    "answer",
    [
        "", "no", "```python\n```", "```python\ndef g(): pass\n```", "def f(xs", "\x00", "x" * 300_000, "(" * 5_000,
        "```python\nimport os\nos.system('rm -rf /')\n```", "class f: pass", SOURCE, f"```\n{SOURCE}\n# a remark\n```",
        "функция f", "def f(xs): return 1 if" + " (" * 100, "<|frame_sep|>",
    ],
)  # fmt: skip
def test_garbage_gives_no_edit_and_no_exception(answer: str) -> None:
    assert proposed(answer) == []


def test_answers_with_the_same_program_are_one_edit() -> None:
    assert proposed(RIGHT, f"```\n{RIGHT}```", RIGHT.replace("x * K", "(x * K)"), RIGHT + "\n# done\n") == [RIGHT]


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [("a\nb\n", "a\nx\nb\n", 2), ("a\nb\n", "a\n", 2), ("a\na\n", "a\na\na\n", 3), ("a", "b", 1), ("a\n", "", 1)],
)
def test_a_rewriting_turns_one_text_into_the_other(before: str, after: str, line: int) -> None:
    edit = rewriting(before, after)
    assert edit is not None
    assert (edit.apply(before), edit.line) == (after, line)
    assert rewriting(before, before) is None


def test_the_prompt_holds_program_failing_test_and_imagined_run_and_nothing_hidden() -> None:
    writer = right_writer()
    settings = Settings(oracle="exact", ceiling=True)
    episode = Workplace(settings, proposer=Proposer(writer)).solve(RepairKind(), TASK)
    assert (episode.solved, episode.right, episode.executions) == (True, True, 2)
    [prompt] = writer.prompts
    for part in (SOURCE.strip(), "f([1, 5]) == [2, 10]", "It gave [3, 7]", "line 5: return x + 2    with x = 1"):
        assert part in prompt
    assert "[0]" not in prompt
    assert (episode.spent["proposals"], episode.spent["proposal_tokens"]) == (1, 20)
    assert episode.patch[0].startswith("proposed 5:0: ")


@pytest.mark.parametrize("planner", ["mcts", "beam", "baseline:prior"])
def test_a_proposal_is_tried_first_where_nothing_is_imagined(planner: str) -> None:
    settings = Settings(planner, "none", budget=Budget(executions=3), proposer=f"{__name__}:right_writer")
    episode = Workplace(settings).solve(RepairKind(), TASK)
    assert (episode.solved, episode.problem) == (True, "")


def test_a_tiny_random_model_proposes_nothing_and_breaks_nothing() -> None:
    torch.manual_seed(0)
    tokenizer = byte_fallback_tokenizer([], pieces=0, marks=[])
    shape = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 1}
    network = LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=2_048, **shape))
    writer = HfWriter(network, tokenizer, longest=20, batch=2)
    answers = writer.write("def f():", 5, 0)
    assert len(answers) == 5
    assert [each.text for each in writer.write("def f():", 5, 0)] == [each.text for each in answers]
    assert Proposer(writer).edits(SOURCE, "f", FAILURES) == ()
    assert writer.write("x" * 3_000, 5, 0) == [], "a prompt that fills the context"


def chat(text: object) -> bytes:
    return json.dumps({"choices": [{"message": {"content": text}}], "usage": {"completion_tokens": 7}}).encode()


def writer(url: str, **settings: Any) -> OpenAiWriter:
    return OpenAiWriter(OpenAiSettings("m", url, **settings), Server(url, 20.0, 0, sleep=lambda seconds: None))


def test_a_server_is_asked_by_chat_and_a_server_without_chat_by_completion() -> None:
    with served(Contract(odd=lambda body: (200, chat(RIGHT)) if "messages" in body else None)) as url:
        assert Proposer(writer(url)).edits(SOURCE, "f", FAILURES)[0].apply(SOURCE) == RIGHT
    contract = Contract(odd=lambda body: None if "messages" in body else (200, b'{"choices": [{"text": "def"}]}'))
    with served(contract) as url:
        answers = writer(url).write("p", 3, 7)
    assert [each.text for each in answers] == ["def"] * 3
    assert sum("messages" in body for body in contract.asked) == 1
    assert sorted(body.get("seed", -1) for body in contract.asked if "prompt" in body) == [-1, 8, 9]


@pytest.mark.parametrize(
    "body", [b"{}", b"[]", b"<html>", b'{"choices": [3]}', chat(None), chat(3), b"", chat("x" * 10**6)]
)
def test_a_hostile_answer_gives_no_edit(body: bytes) -> None:
    with served(Contract(odd=lambda asked: (200, body))) as url:
        assert Proposer(writer(url)).edits(SOURCE, "f", FAILURES) == ()


def test_a_server_that_refuses_gives_one_message_and_the_token_budget_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with served(Contract(odd=lambda body: (401, b"{}"))) as url, pytest.raises(BackendFailed, match="wants a key"):
        writer(url).write("p", 1, 0)
    with served(Contract(odd=lambda body: (200, chat("x")))) as url, pytest.raises(OutOfBudget, match="All 8 tokens"):
        writer(url, tokens=8, concurrency=1).write("p", 9, 0)
