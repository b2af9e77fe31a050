"""Models without special tokens, asked by examples: the prompt is true, guides hold, and noise never breaks anything."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from contract_server import Contract, served
from history_worlds import ODD_TEXTS, PROGRAMS, recorded
from recipe import byte_fallback_tokenizer
from swap_programs import swaps
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.history_rollouts import HistoryRollout, HistorySettings, HistoryStart, imagine_histories
from cwm_agent.oracles.backends.transformers.few_shot_history import PromptedHistory
from cwm_agent.oracles.backends.transformers.model_loading import LoadedModel, loaded
from cwm_agent.oracles.formats.plain_text_frames import INTRODUCTION, frame_lines, head_text, read_line
from cwm_agent.oracles.history_protocol import Action, HistoryOracle, HistoryQuery, Malformed
from cwm_agent.oracles.history_registry import history_oracle_named
from cwm_agent.verify import main
from cwm_agent.views.history.frame_format import MARKER
from envs.execution.decompose.program import Program, plain
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.tracer.history_recorder import record

GUIDES = ["free", "cfg", "forced", "free+anchored:2"]
Case = tuple[Program, History]


def tiny(tokenizer: Any) -> LlamaForCausalLM:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    shape = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    sizes = {"num_key_value_heads": 1, "max_position_embeddings": 16384, "initializer_range": 0.2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), **shape, **sizes))


@lru_cache(maxsize=1)
def noise() -> LoadedModel:
    """A random Llama over bytes, without any of the marks."""
    tokenizer = byte_fallback_tokenizer([], pieces=0, marks=[])
    return loaded(tiny(tokenizer), tokenizer, {})


class Parrot(torch.nn.Module):
    """A network that knows some texts by heart and says what comes next in the one that begins like its input."""

    def __init__(self, texts: list[list[int]], tokens: int) -> None:
        super().__init__()
        self.texts, self.tokens, self.device = texts, tokens, torch.device("cpu")
        self.config = SimpleNamespace(max_position_embeddings=1 << 20)

    def forward(self, input_ids: Any, attention_mask: Any, past_key_values: DynamicCache, **others: Any) -> Any:
        fed = input_ids[:, None, :, None].float()
        keys, _ = past_key_values.update(fed, fed, 0)
        logits = torch.zeros(len(keys), 1, self.tokens)
        for row, (ids, mask) in enumerate(zip(keys[:, 0, :, 0].long().tolist(), attention_mask.tolist(), strict=True)):
            logits[row, 0, self._next([token for token, there in zip(ids, mask, strict=True) if there])] = 9.0
        return SimpleNamespace(logits=logits, past_key_values=past_key_values)

    def _next(self, read: list[int]) -> int:
        return next((text[len(read)] for text in self.texts if text[: len(read)] == read and len(text) > len(read)), 0)


def parrot(cases: Sequence[Case]) -> LoadedModel:
    """A model that knows these runs."""
    tokenizer = byte_fallback_tokenizer([], pieces=0, marks=[])
    model = loaded(Parrot([], len(tokenizer)), tokenizer, {})
    for program, real in cases:
        query = HistoryQuery(program, real.frames)
        pieces = [head_text(query), *frame_lines(query), "end\n"]
        model.network.texts.append([*model.begin, *(token for piece in pieces for token in model.encode(piece))])
    return model


def rolled(oracle: HistoryOracle, cases: Sequence[Case], guide: str) -> list[HistoryRollout]:
    starts = [HistoryStart(program, real.frames[0], real) for program, real in cases]
    return imagine_histories(starts, oracle, HistorySettings(parse_guide(guide), steps=40))


def test_the_examples_in_the_prompt_are_real_runs() -> None:
    shown = INTRODUCTION.split("Program:\n")[1:]
    assert len(shown) == 2
    for example, arguments in zip(shown, ["3, ['a', 'b']", "0"], strict=True):
        source, told = example.split("\nRun:\n")
        entry = next(line for line in source.splitlines() if line.endswith(MARKER)).split()[1].partition("(")[0]
        program = plain(source.replace(MARKER, ""), entry)
        real = record(program, arguments)
        lines = "".join(frame_lines(HistoryQuery(program, real.frames)))
        assert told.strip().removesuffix("\nend") == lines.strip()
        assert told.strip().endswith("end") == (real.outcome.ending == "raised")


@pytest.mark.parametrize("name", [*PROGRAMS, "odd"])
def test_a_frame_written_as_a_line_is_read_back_as_it_was(name: str) -> None:
    program, real = recorded(ODD_TEXTS, "'s'") if name == "odd" else recorded(*PROGRAMS[name])
    lines = list(frame_lines(HistoryQuery(program, real.frames)))
    assert len(lines) == len(real.frames)
    for place in range(1, len(lines)):
        found = read_line(HistoryQuery(program, real.frames[:place]), lines[place])
        assert isinstance(found, HistoryFrame), found
        assert (found.event, found.action, found.locals, found.arg) == (
            real.frames[place].event,
            real.frames[place].action,
            real.frames[place].locals,
            real.frames[place].arg,
        )
        assert set(real.frames[place].lines) <= set(found.lines)


@pytest.mark.parametrize(
    "line",
    [
        "", "\n", "Sure!", "line", "line {", "line {} ->     x", "line [] =>     x = 1", "line " + "[" * 100_000,
        "return 3 =>     return a", 'call "x" => def f(a, b, c):', 'line {"a": 1} =>     a, b = b, a', "jump {} => x",
        "end end",
    ],
)  # fmt: skip
def test_a_line_that_is_no_frame_is_malformed_with_the_reason(line: str) -> None:
    program, real = swaps(1)[0]
    found = read_line(HistoryQuery(program, real.frames[:1]), line)
    assert isinstance(found, Malformed)
    assert found.reason


@pytest.mark.parametrize("guide", GUIDES)
def test_a_model_that_knows_the_runs_rolls_them_out_under_every_guide(guide: str) -> None:
    arrows = "def f(s):\n    t = s + ' => '\n    return t\n"
    cases = [*swaps(2), recorded("def f(x):\n    return 1 // x\n", "0"), recorded(arrows, "'a'")]
    for found, (_, real) in zip(rolled(PromptedHistory(parrot(cases)), cases, guide), cases, strict=True):
        assert found.frames == real.frames, found.reason
        assert found.outcome == real.outcome
        assert (found.action_logprob is None) == (guide.startswith("free"))


@pytest.mark.parametrize("guide", GUIDES)
def test_noise_ends_every_rollout_with_a_reason(guide: str) -> None:
    for found in rolled(PromptedHistory(noise(), frame=30), swaps(2), guide):
        assert found.end in ("malformed", "truncated", "outcome")
        assert found.reason or found.end == "outcome"


def test_a_batch_says_what_single_queries_say_and_kept_texts_what_fresh_ones_say() -> None:
    cases = [*swaps(2), recorded(ODD_TEXTS, "'s'")]
    lines = frozenset({Action("line", "    a, b = b, a"), Action("return", "    return [a, b, c]"), Action("end")})
    queries = [HistoryQuery(p, real.frames[: 1 + at], None, at) for at, (p, real) in enumerate(cases)]
    queries += [HistoryQuery(p, real.frames[: 1 + at], lines, 10 + at) for at, (p, real) in enumerate(cases)]
    single = [PromptedHistory(noise(), frame=30, kept=False).continue_([query])[0] for query in queries]
    for oracle in (PromptedHistory(noise(), frame=30), PromptedHistory(noise(), frame=30, batch=4)):
        for _ in range(2):  # the second time all of it is kept
            for alone, together in zip(single, oracle.continue_(queries), strict=True):
                assert alone.said == together.said
                assert alone.logprob == pytest.approx(together.logprob, abs=1e-4)


def test_the_action_is_among_those_allowed() -> None:
    program, real = swaps(1)[0]
    allowed = frozenset(Action("line", text) for text in ("    return [a, b, c]", "    b, c = c, b"))
    query = HistoryQuery(program, real.frames[:1], allowed)
    said = f'line {{"a": "1"}} => {real.frames[1].action}\n'
    assert isinstance(read_line(query, said), HistoryFrame)
    [found] = PromptedHistory(parrot([(program, real)])).continue_([query])
    assert isinstance(found.said, HistoryFrame)
    assert Action(found.said.event, found.said.action) in allowed


def test_a_full_context_is_said() -> None:
    program, real = swaps(1)[0]
    [found] = PromptedHistory(noise(), frame=16_384).continue_([HistoryQuery(program, real.frames[:1])])
    assert isinstance(found.said, Malformed)
    assert "the context of 16384 is full" in found.said.reason


def plain_text(program: Program, real: History) -> str:
    """A whole run as the prompt tells it, its end included."""
    query = HistoryQuery(program, real.frames)
    return head_text(query) + "".join(frame_lines(query)) + "end\n"


@pytest.mark.parametrize("guide", GUIDES)
def test_a_served_model_that_knows_the_runs_rolls_them_out_under_every_guide(guide: str) -> None:
    arrows = "def f(s):\n    t = s + ' => '\n    return t\n"
    cases = [*swaps(2), recorded("def f(x):\n    return 1 // x\n", "0"), recorded(arrows, "'a'")]
    with served(Contract([plain_text(*case) for case in cases], vllm=False)) as url:
        oracle = history_oracle_named(f"openai:m@{url}?prompt=examples&retries=0", lambda program, call: None)
        assert oracle.name == f"openai:m@{url} (by examples)"
        for found, (_, real) in zip(rolled(oracle, cases, guide), cases, strict=True):
            assert found.frames == real.frames, found.reason
            assert found.outcome == real.outcome
            assert found.tokens > 0


@pytest.mark.parametrize("guide", ["free", "cfg", "forced"])
@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[]", b'{"choices": [{"text": "Sure!"}]}', b'{"choices": [{"text": ""}]}']
)
def test_a_hostile_server_gives_malformed_lines(guide: str, body: bytes) -> None:
    cases = swaps(2)
    contract = Contract([plain_text(*case) for case in cases], vllm=False)
    with served(contract) as url:
        oracle = history_oracle_named(f"openai:m@{url}?prompt=examples&retries=0", lambda program, call: None)
        contract.odd = lambda asked: (200, body)
        for found in rolled(oracle, cases, guide):
            assert found.end == "malformed"
            assert found.reason


def test_a_folder_is_asked_by_examples_where_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokenizer = byte_fallback_tokenizer([], pieces=0, marks=[])
    tiny(tokenizer).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    oracle = f"hf:{tmp_path / 'model'}:prompt=examples,frame=20,device=cpu"
    assert history_oracle_named(oracle, lambda program, call: None).name.endswith("on cpu, by examples)")
    program = tmp_path / "program.py"
    program.write_text('def f(x):\n    """\n    >>> f(1)\n    2\n    """\n    return x + 1\n')
    assert main([str(program), "--view", "history", "--oracle", oracle, "--guide", "free,cfg"]) == 0
    assert main([str(program), "--view", "history", "--oracle", f"hf:{tmp_path / 'model'}"]) == 2
    assert "prompt=examples" in capsys.readouterr().err
