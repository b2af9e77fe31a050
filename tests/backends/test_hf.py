"""Models of transformers as history oracles: guides hold, batches and caches change nothing, sense is rolled out."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from history_worlds import ODD_TEXTS, recorded
from recipe import byte_fallback_tokenizer
from swap_programs import swaps
from tiny_models import NOISE_SHAPE, TRAINED, noise, trained
from tokenizers.processors import TemplateProcessing

from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.history_rollouts import HistoryRollout, HistorySettings, HistoryStart, imagine_histories
from cwm_agent.imagination.history_rules import ruled
from cwm_agent.oracles.backends.transformers.cached_texts import CausalTexts, Text
from cwm_agent.oracles.backends.transformers.cwm_history import HfHistory
from cwm_agent.oracles.backends.transformers.model_loading import HfSettings, LoadedModel, load, loaded
from cwm_agent.oracles.formats.meta_tokens import SPECIALS, prompt_ids, read_ids
from cwm_agent.oracles.history_protocol import Action, HistoryPrediction, HistoryQuery, Malformed
from cwm_agent.oracles.history_registry import history_oracle_named
from cwm_agent.oracles.protocol import BackendFailed, UnknownOracle
from cwm_agent.views.history.history_state import standing_after
from envs.execution.decompose.program import Program
from envs.execution.state.history_frames import History, HistoryFrame

GUIDES = ["free", "cfg", "forced", "free+anchored:2", "forced+anchored:3"]


def rolled(oracle: HfHistory, cases: Sequence[tuple[Program, History]], guide: str) -> list[HistoryRollout]:
    starts = [HistoryStart(program, real.frames[0], real) for program, real in cases]
    return imagine_histories(starts, oracle, HistorySettings(parse_guide(guide), steps=30))


def same(first: HistoryPrediction, second: HistoryPrediction) -> None:
    assert first.said == second.said
    assert first.logprob == pytest.approx(second.logprob, abs=1e-4)
    assert first.action_logprob == pytest.approx(second.action_logprob, abs=1e-4)


@pytest.mark.parametrize("guide", GUIDES)
def test_the_trained_model_rolls_swap_programs_out_under_every_guide(guide: str) -> None:
    cases = swaps(8)
    for found, (_, real) in zip(rolled(HfHistory(trained(), frame=80), cases, guide), cases, strict=True):
        assert found.frames == real.frames, found.reason
        assert found.outcome == real.outcome
        assert found.action_logprob is not None
        assert found.action_logprob <= 0.0


@pytest.mark.parametrize("guide", GUIDES)
def test_noise_ends_every_rollout_with_a_reason(guide: str) -> None:
    for found in rolled(HfHistory(noise(), frame=40), swaps(3), guide):
        assert found.end in ("malformed", "truncated", "outcome")
        assert found.reason or found.end == "outcome"


@pytest.mark.parametrize("make", [trained, noise])
def test_on_decomposed_programs_grounded_gives_the_actions_that_rules_decide(make: object) -> None:
    """The values are the model's; where it names one way on, there is no other action to be said."""
    model: LoadedModel = make()  # type: ignore[operator]
    program, real = recorded("def f(n):\n    x = n + 1\n    if x:\n        x = -x\n    return x\n", "2", "operations")
    oracle = HfHistory(model, frame=60)
    for length in range(1, len(real.frames) - 1):
        ruling = ruled(program, standing_after(real.frames[:length]))
        [found] = oracle.continue_([HistoryQuery(program, real.frames[:length], ruling.allowed)])
        if isinstance(found.said, HistoryFrame):
            assert Action(found.said.event, found.said.action) in ruling.allowed
    [rollout] = rolled(oracle, [(program, real)], "grounded")
    assert rollout.end in ("malformed", "truncated", "outcome")


@pytest.mark.parametrize("make", [trained, noise])
def test_a_batch_says_what_single_queries_say_and_kept_texts_what_fresh_ones_say(make: object) -> None:
    model: LoadedModel = make()  # type: ignore[operator]
    cases = [*swaps(3), recorded(ODD_TEXTS, "'s'")]
    queries = [
        HistoryQuery(program, real.frames[: 1 + place % 3], rollout=place)
        for place, (program, real) in enumerate(cases)
    ]
    single = [HfHistory(model, frame=40, kept=False).continue_([query])[0] for query in queries]
    for oracle in (
        HfHistory(model, frame=40),
        HfHistory(model, frame=40, kept=False),
        HfHistory(model, frame=40, batch=3),
    ):
        for alone, together in zip(single, oracle.continue_(queries), strict=True):
            same(alone, together)


@pytest.mark.parametrize("make", [trained, noise])
def test_a_rollout_that_goes_on_says_what_it_would_say_read_afresh(make: object) -> None:
    """With every kind of going on: what the model said, other frames than it said, and a rollout that begins anew."""
    model: LoadedModel = make()  # type: ignore[operator]
    kept, fresh = HfHistory(model, frame=30), HfHistory(model, frame=30, kept=False)
    cases = swaps(4)
    for length in (1, 2, 3, 2, 4):
        queries = [
            HistoryQuery(program, real.frames[: length + place % 2], rollout=place)
            for place, (program, real) in enumerate(cases)
        ]
        for one, other in zip(kept.continue_(queries), fresh.continue_(queries), strict=True):
            same(one, other)


def test_what_is_kept_is_not_read_again() -> None:
    program, real = swaps(1)[0]
    kept, fresh = HfHistory(trained(), frame=80), HfHistory(trained(), frame=80, kept=False)
    starts = [HistoryStart(program, real.frames[0])] * 4
    spent, all_read = (sum(each.tokens for each in imagine_histories(starts, each)) for each in (kept, fresh))
    assert spent * 4 < all_read


def test_rows_that_wait_change_nothing_for_the_others() -> None:
    """Texts of three lengths: logits after growing by turns are those of the whole texts read at once."""
    texts = [Text((5, 6, 7, 8, 9, 10), 2, 0), Text((5, 6, 11), 2, 1), Text((40,) * 50, 0, 2)]
    growing = CausalTexts(noise().network, 0)
    batch, _ = growing.read(texts)
    growing.extend(batch, [21, 22, 23])
    growing.extend(batch, [31, None, 33])
    growing.keep([batch])
    longer = [
        Text((*texts[0].tokens, 21, 31), 2, 0),
        Text((5, 6, 11, 22), 2, 1),
        Text((*texts[2].tokens, 23, 34), 0, 2),
    ]
    again, new = growing.read([longer[2], longer[0], longer[1]])
    whole, _ = CausalTexts(noise().network, 0, kept=False).read([longer[2], longer[0], longer[1]])
    assert new == [1, 1, 1]
    torch.testing.assert_close(again.logits, whole.logits, atol=1e-4, rtol=1e-4)


def test_the_action_is_among_those_allowed_and_a_single_one_is_given_with_its_chance() -> None:
    program, real = swaps(1)[0]
    oracle = HfHistory(trained(), frame=80)
    lines = frozenset(Action("line", text) for text in ("    return [a, b, c]", "    b, c = c, b"))
    [chosen] = oracle.continue_([HistoryQuery(program, real.frames[:1], lines)])
    assert isinstance(chosen.said, HistoryFrame)
    assert Action(chosen.said.event, chosen.said.action) in lines
    wrong = Action("line", "    return [a, b, c]")
    [given] = oracle.continue_([HistoryQuery(program, real.frames[:1], frozenset({wrong}))])
    assert isinstance(given.said, HistoryFrame)
    assert given.said.action == wrong.text
    assert given.action_logprob is not None
    assert given.action_logprob < -1.0, "a line that does not come next is unlikely, though it is given"


@pytest.mark.parametrize("make", [trained, noise])
def test_text_never_makes_a_special_token_and_comes_back_as_it_was(make: object) -> None:
    model: LoadedModel = make()  # type: ignore[operator]
    program, real = recorded(ODD_TEXTS, "'s'")
    marks = dict(model.marks)
    for length in range(1, len(real.frames)):
        before = HistoryQuery(program, real.frames[:length])
        after = HistoryQuery(program, real.frames[: length + 1])
        said = prompt_ids(after, model.encode, marks)[len(prompt_ids(before, model.encode, marks)) :]
        assert read_ids(before, said, model.decode, marks) == real.frames[length]
    assert not model.specials & set(model.encode("<|frame_sep|><|end_of_text|>"))


def test_the_first_token_stands_once_though_the_tokenizer_adds_it_by_itself() -> None:
    """As the tokenizer of Meta's models does."""
    tokenizer = byte_fallback_tokenizer([], pieces=0)
    first = tokenizer.bos_token_id
    template = TemplateProcessing(single="<|begin_of_text|> $A", special_tokens=[("<|begin_of_text|>", first)])
    tokenizer.backend_tokenizer.post_processor = template
    assert tokenizer.encode("x")[0] == first
    oracle = HfHistory(loaded(noise().network, tokenizer))
    program, real = swaps(1)[0]
    assert oracle._text(HistoryQuery(program, real.frames)).tokens.count(first) == 1


def test_a_full_context_is_said_and_costs_nothing() -> None:
    program, real = swaps(1)[0]
    [found] = HfHistory(noise(), frame=16_384).continue_([HistoryQuery(program, real.frames[:1])])
    assert isinstance(found.said, Malformed)
    assert "the context of 16384 is full" in found.said.reason
    assert found.tokens == 0


def test_two_queries_of_one_rollout_in_a_batch_are_refused() -> None:
    program, real = swaps(1)[0]
    query = HistoryQuery(program, real.frames[:1], rollout=3)
    with pytest.raises(ValueError, match="same rollout"):
        HfHistory(noise()).continue_([query, query])


def test_the_command_line_names_the_model() -> None:
    found = history_oracle_named(f"hf:{TRAINED}:dtype=float32,device=cpu,batch=4", lambda program, call: None)
    assert found.name == f"hf:{TRAINED} (whole float32 on cpu)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no model"),
        ("some/model:colour=red", "'colour' in 'hf:some/model:colour=red' is no setting"),
        ("some/model:batch=many", "batch='many' in .* is no whole number"),
        ("some/model:dtype=int3", "dtype is one of auto"),
        ("some/model:batch=0", "must be 1 or more"),
        ("some/model:device=gpu", "device='gpu' is none. Use auto, cpu"),
        ("some/model:download=perhaps", "neither yes nor no"),
        ("some/model:prompt=nicely", "prompt is one of marks, examples"),
    ],
)
def test_a_bad_setting_is_told_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(UnknownOracle, match=message):
        HfSettings.parse(text)


def test_a_model_that_is_not_here_is_not_fetched() -> None:
    with pytest.raises(BackendFailed, match="hf download nobody/no-such-model"):
        load(HfSettings("nobody/no-such-model"))


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(BackendFailed, match=r"holds no model that can be loaded: it has no config\.json"):
        load(HfSettings(str(tmp_path)))


def test_a_device_that_is_not_there_is_told() -> None:
    with pytest.raises(BackendFailed, match=r"could not be put on cuda:99: .* Try device=cpu"):
        load(HfSettings(TRAINED, device="cuda:99"))


def test_a_model_without_the_special_tokens_is_refused(tmp_path: Path) -> None:
    tokenizer = byte_fallback_tokenizer([], pieces=0, marks=[])
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text((Path(TRAINED) / "config.json").read_text())
    with pytest.raises(BackendFailed, match=rf"has no token <\|frame_sep\|> \({len(SPECIALS)} of {len(SPECIALS)}"):
        load(HfSettings(str(tmp_path)))


def test_quantised_loading_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cwm_agent.oracles.backends.transformers.model_loading.find_spec", lambda name: None)
    with pytest.raises(BackendFailed, match="pip install bitsandbytes"):
        load(HfSettings(TRAINED, load="4bit"))


def test_the_window_of_the_noise_is_shorter_than_its_histories() -> None:
    """Else the tests above would not look at windows at all."""
    program, real = swaps(1)[0]
    assert len(prompt_ids(HistoryQuery(program, real.frames[:1]), noise().encode)) > 2 * NOISE_SHAPE["sliding_window"]  # type: ignore[operator]
