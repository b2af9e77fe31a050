"""Little memory: smaller batches, and the same completions."""

import os
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from cwm_agent.engine import engine_sizes
from cwm_agent.engine.arrays.protocol import zero_bytes
from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.engine_sizes import ON_CPU, free_memory, within_memory
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.kv_cache import KVCache
from cwm_agent.engine.prefix_cache import PrefixCache
from tests.random_networks import random_model

PROMPTS = [Prompt(b"v0 = v1 + %d" % number, context=b"shared context") for number in range(40)]
TEXTS = [b"v0=%d" % number for number in range(40)]
GIB = 2**30


def limit_tokens(monkeypatch: pytest.MonkeyPatch, most: int, error: type[Exception]) -> list[int]:
    """Let a forward pass over more tokens than these run out of memory; returns the sizes of all passes."""
    plain, sizes = ForwardPass.forward, list[int]()

    def forward(self: ForwardPass, tokens: Sequence[Sequence[int]], *rest: Any, **more: Any) -> Any:
        sizes.append(sum(map(len, tokens)))
        if sizes[-1] > most:
            raise error("no room")
        return plain(self, tokens, *rest, **more)

    monkeypatch.setattr(ForwardPass, "forward", forward)
    return sizes


@pytest.mark.parametrize("error", [torch.OutOfMemoryError, MemoryError])
def test_a_batch_that_runs_out_of_memory_is_computed_in_smaller_ones(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = Engine(random_model(), precision="fp32").complete(PROMPTS, max_tokens=12)
    sizes = limit_tokens(monkeypatch, 40, error)
    with pytest.warns(UserWarning, match="Memory ran out, so batches have 20 rows from now on"):
        found = Engine(random_model(), precision="fp32").complete(PROMPTS, max_tokens=12)
    assert [each.text for each in found] == [each.text for each in expected]
    assert max(sizes) > 40 >= sizes[-1]


def test_a_cache_that_cannot_grow_is_no_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = Engine(random_model(), precision="fp32").complete(PROMPTS, max_tokens=100)
    plain: Callable[[KVCache, int], None] = KVCache.reserve_columns

    def reserve(self: KVCache, columns: int) -> None:
        if len(self) * columns > 1_500:
            raise torch.OutOfMemoryError("no room")
        plain(self, columns)

    monkeypatch.setattr(KVCache, "reserve_columns", reserve)
    with pytest.warns(UserWarning, match="Memory ran out"):
        found = Engine(random_model(), precision="fp32").complete(PROMPTS, max_tokens=100)
    assert [each.text for each in found] == [each.text for each in expected]


def test_contexts_that_do_not_fit_together_are_read_in_smaller_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = [Prompt(b"v0 = v1", context=b"context %d" % number * 3) for number in range(12)]
    expected = Engine(random_model(), precision="fp32").complete(prompts, max_tokens=6)
    plain: Callable[[PrefixCache, int], None] = PrefixCache.reserve

    def reserve(self: PrefixCache, tokens: int) -> None:
        if tokens > 150:
            raise torch.OutOfMemoryError("no room")
        plain(self, tokens)

    monkeypatch.setattr(PrefixCache, "reserve", reserve)
    with pytest.warns(UserWarning, match="Memory ran out"):
        found = Engine(random_model(), precision="fp32").complete(prompts, max_tokens=6)
    assert [each.text for each in found] == [each.text for each in expected]


def test_one_request_that_does_not_fit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    limit_tokens(monkeypatch, 3, MemoryError)
    with pytest.raises(MemoryError, match="no room"):
        Engine(random_model(), precision="fp32").complete(PROMPTS[:1])
    with pytest.raises(MemoryError, match="no room"):
        Engine(random_model(), precision="fp32").score(PROMPTS[:1], TEXTS[:1])


def test_scores_are_computed_in_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = Engine(random_model(), precision="fp32").score(PROMPTS, TEXTS)
    limit_tokens(monkeypatch, 100, torch.OutOfMemoryError)
    found = Engine(random_model(), precision="fp32").score(PROMPTS, TEXTS)
    assert [each.logprob for each in found] == pytest.approx([each.logprob for each in expected], abs=1e-3)


def test_sizes_follow_the_free_memory() -> None:
    assert within_memory(ON_CPU, 30_720, None) == ON_CPU
    assert within_memory(ON_CPU, 30_720, 64 * GIB) == ON_CPU
    found = within_memory(ON_CPU, 30_720, 6 * GIB)
    assert (found.kv_columns, found.most_prefix_bytes) == (26_214, 6 * GIB // 8)
    with pytest.warns(UserWarning, match="1,024 MiB of memory are free, so batches are smaller and slower"):
        assert within_memory(ON_CPU, 30_720, GIB).kv_columns == GIB // 8 // 30_720
    with pytest.warns(UserWarning, match="0 MiB"):
        assert within_memory(ON_CPU, 30_720, 0).kv_columns == 1


def test_an_engine_asks_how_much_memory_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = Engine(random_model(), precision="fp32").complete(PROMPTS, max_tokens=12)
    monkeypatch.setattr("cwm_agent.engine.engine.free_memory", lambda device: 1_000_000)
    with pytest.warns(UserWarning, match="0 MiB of memory are free"):
        engine = Engine(random_model(), precision="fp32")
    assert engine.sizes.kv_columns < 1_000
    assert [each.text for each in engine.complete(PROMPTS, max_tokens=12)] == [each.text for each in expected]


def test_free_memory_is_the_least_of_machine_and_container(monkeypatch: pytest.MonkeyPatch) -> None:
    for system, group, expected in [(5, 3, 3), (5, None, 5), (None, 4, 4), (None, None, None)]:
        monkeypatch.setattr(engine_sizes, "_available_to_system", lambda system=system: system)
        monkeypatch.setattr(engine_sizes, "_left_in_group", lambda group=group: group)
        assert free_memory("cpu") == expected


def test_memory_of_caches_is_not_shared_with_a_forked_process() -> None:
    memory = zero_bytes(100)
    child = os.fork()
    if child == 0:
        memory[:] = 7
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert not memory.any()


def test_no_memory_is_an_error_that_halves_batches() -> None:
    with pytest.raises(MemoryError, match="1,152,921,504,606,846,976 bytes"):
        zero_bytes(2**60)
