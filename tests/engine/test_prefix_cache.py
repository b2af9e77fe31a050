"""The prefix cache: finds common beginnings, is bounded, and never changes a completion."""

from itertools import islice

import pytest
import torch
from random_networks import random_model, random_network

from cwm_agent.engine.decoding import scheduler
from cwm_agent.engine.decoding.continuous_batching import Completion, Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.engine_sizes import EngineSizes
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.kv_cache import ForwardOutput, KVCache
from cwm_agent.engine.prefix_cache import ComputedTokens, PrefixCache
from cwm_agent.training.steps.copy_task import additions

TEXT = [5, 6, 7, 8, 9, 10, 11, 12]
SMALL = EngineSizes(rows=256, step_tokens=512, kv_columns=65_536, pass_tokens=256, prefix_bytes=40_000)


@pytest.fixture
def forward_pass() -> ForwardPass:
    return ForwardPass(random_network(), dtype=torch.float32, device=torch.device("cpu"))


def new_cache(forward_pass: ForwardPass, tokens: int) -> PrefixCache:
    cache = PrefixCache(forward_pass.shape, tokens, forward_pass.arrays)
    cache.begin_step()
    return cache


def compute(forward_pass: ForwardPass, text: list[int]) -> tuple[KVCache, ForwardOutput]:
    kv_cache = forward_pass.new_kv_cache(1, len(text))
    return kv_cache, forward_pass.forward([text], kv_cache, slice(0, 1))


def store(cache: PrefixCache, forward_pass: ForwardPass, text: list[int]) -> None:
    cache.store(*compute(forward_pass, text), [ComputedTokens(0, 0, [], text)])


@pytest.mark.parametrize("length", range(len(TEXT)))
def test_a_text_continues_from_any_token_of_an_older_one(forward_pass: ForwardPass, length: int) -> None:
    """Tokens computed behind a cached prefix are equal to those of a pass over the whole text."""
    cache, text = new_cache(forward_pass, 20), [*TEXT[:length], 33, 34]
    store(cache, forward_pass, TEXT)
    slots = cache.find(text)
    assert len(slots) == length
    kv_cache = forward_pass.new_kv_cache(1, 1)
    kv_cache.reserve_columns(len(text))
    kv_cache.truncate_rows(0)
    kv_cache.add_rows([length])
    cache.load(kv_cache, 0, [slots], [0])
    hidden = forward_pass.forward([text[length:]], kv_cache, slice(0, 1)).hidden
    torch.testing.assert_close(hidden, compute(forward_pass, text)[1].hidden[length:], atol=1e-4, rtol=1e-4)


def test_equal_beginnings_are_stored_once(forward_pass: ForwardPass) -> None:
    cache = new_cache(forward_pass, 20)
    store(cache, forward_pass, TEXT)
    store(cache, forward_pass, [*TEXT[:5], 70])
    assert len(cache) == len(TEXT) + 1


def test_the_least_recently_used_slots_are_evicted_and_slots_can_be_added(forward_pass: ForwardPass) -> None:
    """Slots used in this step stay; where all are in use, nothing more is stored."""
    cache = new_cache(forward_pass, 9)
    store(cache, forward_pass, TEXT[:4])
    cache.begin_step()
    store(cache, forward_pass, [20, 21, 22, 23])
    cache.begin_step()
    cache.find(TEXT[:4])
    store(cache, forward_pass, [30, 31, 32, 33, 34, 35])
    assert cache.find(TEXT[:4])
    assert not cache.find([20])
    assert len(cache.find([30, 31, 32, 33, 34, 35])) == 5
    cache.reserve(11)
    store(cache, forward_pass, [30, 31, 32, 33, 34, 35])
    assert len(cache.find([30, 31, 32, 33, 34, 35])) == 6


def test_an_interrupt_while_storing_leaves_no_unwritten_slot(forward_pass: ForwardPass) -> None:
    cache = new_cache(forward_pass, 20)
    kv_cache, output = compute(forward_pass, TEXT)
    with pytest.raises(IndexError):
        cache.store(kv_cache, output._replace(conv_order=output.conv_order[:2]), [ComputedTokens(0, 0, [], TEXT)])
    assert not cache.find(TEXT)
    store(cache, forward_pass, TEXT)
    assert len(cache.find(TEXT)) == len(TEXT)


CONTEXTS = (b"", b"a program\nof two lines", b"a program\nof three")
PROMPTS = [
    Prompt(each.query + end, context)
    for context in CONTEXTS
    for each in islice(additions(1), 3)
    for end in (b"", b"1", b"12")
]


@pytest.fixture(scope="module")
def alone() -> dict[Prompt, Completion]:
    """The completion of each prompt by a new engine."""
    return {
        prompt: Engine(random_model(), precision="fp32", sizes=SMALL).complete([prompt], max_tokens=6)[0]
        for prompt in PROMPTS
    }


@pytest.mark.parametrize(
    ("worth", "sizes"),
    [
        pytest.param(1, None, id="always wait"),
        pytest.param(8, None, id="default"),
        pytest.param(8, SMALL, id="few slots"),
        pytest.param(1_000, SMALL, id="never wait"),
    ],
)
def test_cached_prefixes_change_no_completion(
    monkeypatch: pytest.MonkeyPatch, alone: dict[Prompt, Completion], sizes: EngineSizes | None, worth: int
) -> None:
    """Prompts with common beginnings and contexts get the completions that each gets alone from a new engine."""
    monkeypatch.setattr(scheduler, "WORTH_WAITING", worth)
    engine = Engine(random_model(), precision="fp32", sizes=sizes)
    for prompts in (PROMPTS[::2], PROMPTS[::-1]):
        found = engine.complete(prompts, max_tokens=6)
        assert [each.text for each in found] == [alone[prompt].text for prompt in prompts]
        assert [each.logprob for each in found] == pytest.approx(
            [alone[prompt].logprob for prompt in prompts], abs=1e-3
        )
