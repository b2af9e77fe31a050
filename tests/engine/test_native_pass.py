"""The forward pass in C: close to the exact one, the same for a token alone and among others, and left out cleanly.

Collected where the library was built and the processor has its instructions (`conftest.py`).
"""

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from cwm_agent.engine.attention import AttentionLayout
from cwm_agent.engine.kv_cache import KVCache
from cwm_agent.engine.layer_parameters import Floats
from cwm_agent.engine.native import native_pass
from cwm_agent.engine.native.native_forward import NativeForwardPass
from cwm_agent.engine.native.native_pass import fits, native_library, use_tiles
from cwm_agent.engine.native.rotation_angles import rotation_angles
from cwm_agent.engine.network import linear, rotation
from cwm_agent.engine.precision import chosen_types
from cwm_agent.training.rounded_products import rounded_product
from tests.random_networks import random_model


def made(threads: int = 1) -> NativeForwardPass:
    return NativeForwardPass(native_library(), random_model(3).parameters, threads=threads)


def drawn(*lengths: int) -> list[list[int]]:
    draw = random.Random(5)
    return [[draw.randrange(256) for _ in range(length)] for length in lengths]


def committed(used: NativeForwardPass, rows: Sequence[Sequence[int]]) -> KVCache:
    """A cache that holds these tokens."""
    kv_cache = used.new_kv_cache(len(rows), 64)
    output = used.forward(rows, kv_cache, slice(0, len(rows)))
    kv_cache.commit(slice(0, len(rows)), list(map(len, rows)), output)
    return kv_cache


def computed(used: NativeForwardPass, rows: Sequence[Sequence[int]], new: Sequence[Sequence[int]]) -> Floats:
    return used.forward(new, committed(used, rows), slice(0, len(rows))).hidden


def test_a_pass_is_as_near_to_the_exact_one_as_the_network_with_rounded_products() -> None:
    """Nearer on x86, where a value is two bytes. Not the numbers of training with `--rounded` on ARM either: 16 bits of
    keys and values move values that lie between two steps of a product."""
    network, row = random_model(3).network, drawn(40)[0]
    found = torch.from_numpy(made().forward([row], made().new_kv_cache(1, 64), slice(0, 1)).hidden)
    places, ones = torch.arange(len(row))[None], torch.ones(1, len(row), dtype=torch.long)
    streams: list[torch.Tensor] = []
    network.blocks[-1].register_forward_hook(lambda _, __, stream: streams.append(stream[0]))
    for network.product in (rounded_product, linear):
        network(torch.tensor([row]), AttentionLayout(ones, ones, places, places), kernel="sdpa", dtype=torch.float32)
    rounded, exact = (stream.detach() for stream in streams)
    assert (found - exact).norm() < 1.1 * (rounded - exact).norm() < 0.02 * exact.norm()
    assert (found - rounded).norm() < (rounded - exact).norm()


def test_values_that_an_ieee_half_could_not_hold_are_kept() -> None:
    """Values 2 ** 27 times as large, and as much smaller behind attention; keys are normed."""
    model, row = random_model(3), drawn(40)[0]
    expected = made().forward([row], made().new_kv_cache(1, 64), slice(0, 1)).hidden
    with torch.no_grad():
        for name, parameter in model.network.named_parameters():
            parameter *= 2.0 ** {"query_key_value": 27, "attention_out": -27}.get(name.split(".")[-1], 0)
    used = NativeForwardPass(native_library(), model.parameters, threads=1)
    found = used.forward([row], used.new_kv_cache(1, 64), slice(0, 1)).hidden
    assert np.linalg.norm(found - expected) < 0.02 * np.linalg.norm(expected)


def test_small_networks_and_long_rows_are_computed_as_they_are_token_by_token() -> None:
    used, row = made(), drawn(70)[0]
    together = used.forward([row], used.new_kv_cache(1, 80), slice(0, 1)).hidden
    kv_cache, single = used.new_kv_cache(1, 16), []
    for token in row:
        output = used.forward([[token]], kv_cache, slice(0, 1))
        kv_cache.commit(slice(0, 1), [1], output)
        single.append(output.hidden)
    assert np.array_equal(np.concatenate(single), together)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_token_does_not_depend_on_the_others(threads: int) -> None:
    used, rows, new = made(threads), drawn(*range(1, 24)), drawn(*(1 + number % 5 for number in range(23)))
    together = computed(used, rows, new)
    chances = used.next_tokens(together).best()[1]
    first = 0
    for row, tokens in zip(rows, new, strict=True):
        own = slice(first, first := first + len(tokens))
        alone = computed(made(), [row], [tokens])
        assert np.array_equal(alone, together[own])
        assert used.next_tokens(alone).best()[1] == chances[own]


@pytest.mark.parametrize("rows", [(1,), (15,), (16,), (17, 1), (3, 30, 100)])
def test_matrix_tiles_change_no_bit(rows: tuple[int, ...]) -> None:
    """Where the processor has none, both passes are the plain one."""
    used, tokens, found = made(), drawn(*rows), []
    try:
        for wanted in (True, False):
            use_tiles(wanted)
            found.append(used.forward(tokens, used.new_kv_cache(len(rows), 112), slice(0, len(rows))).hidden)
    finally:
        use_tiles(True)
    assert np.array_equal(*found)


def test_only_wanted_tokens_are_returned() -> None:
    used, rows, new = made(), drawn(4, 5, 6), drawn(3, 20, 21)
    whole = computed(used, rows, new)
    wanted = [2, 3, 22, 23, 43]
    assert np.array_equal(used.forward(new, committed(used, rows), slice(0, 3), wanted).hidden, whole[wanted])


def test_rows_in_the_middle_of_a_cache_are_computed_alone() -> None:
    used, rows, new = made(), drawn(4, 5, 6), drawn(2, 3)
    kv_cache = committed(used, rows)
    kept = kv_cache.keys_values[:, 0].copy()
    found = used.forward(new, kv_cache, slice(1, 3)).hidden
    assert np.array_equal(found, computed(used, rows[1:], new))
    assert np.array_equal(kv_cache.keys_values[:, 0], kept)


def test_without_memory_it_is_an_error() -> None:
    class NoMemory:
        @staticmethod
        def forward(*_: object) -> int:
            return 0

    used = made()
    used._native._forward = NoMemory.forward
    with pytest.raises(MemoryError, match="a forward pass over 3 tokens"):
        used.forward([[1, 2, 3]], used.new_kv_cache(1, 16), slice(0, 1))


def test_a_file_that_is_no_library_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    (tmp_path / "_int8_pass.other.so").write_bytes(b"no library")
    monkeypatch.setattr(native_pass, "__file__", str(tmp_path / "native_pass.py"))
    native_library.cache_clear()
    try:
        assert native_library() is None
    finally:
        monkeypatch.undo()
        native_library.cache_clear()
    assert native_library() is not None
    assert fits(random_model().network.shape)


def test_a_shape_that_the_library_does_not_know_is_refused_by_name_and_computed_by_torch_otherwise() -> None:
    shape = replace(random_model().network.shape, hidden=100)
    assert not chosen_types("auto", "cpu", shape).int8
    with pytest.raises(ValueError, match="multiples of 64"):
        chosen_types("int8", "cpu", shape)


def test_angles_are_those_of_the_network() -> None:
    """To the last bit of angles and numbers in fp32, which differ by processor and version."""
    for base in (10_000.0, 500.0):
        found = rotation_angles(5_000, base)
        for turn, own in zip(rotation(torch.arange(5_000), base), (found[:, ::2], found[:, 1::2]), strict=True):
            assert np.abs(own - turn.numpy()).max() < 1e-3
            assert np.abs(own[:500] - turn.numpy()[:500]).max() < 1e-4
    assert np.array_equal(rotation_angles(100, 10_000.0), rotation_angles(900, 10_000.0)[:100])
