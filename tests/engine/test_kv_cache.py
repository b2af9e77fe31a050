"""KV cache, matrix products, and how threads wait."""

from itertools import accumulate

import pytest
import torch
from random_networks import random_network

from cwm_agent.engine.arrays.torch_arrays import TorchArrays
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.products import matrix_products
from cwm_agent.engine.products.matrix_products import gated_product, matrix_product
from cwm_agent.engine.threads import use_passive_wait

TEXTS = ([5, 6, 7, 8, 9, 10], [9, 8, 7, 6, 5, 4], [1, 2, 3, 1, 2, 3])


@pytest.fixture
def forward_pass() -> ForwardPass:
    return ForwardPass(random_network(), dtype=torch.float32, device=torch.device("cpu"))


def last_hidden(forward_pass: ForwardPass, text: list[int]) -> torch.Tensor:
    """The hidden state at the last token of a text that is computed alone, in one pass."""
    return forward_pass.forward([text], forward_pass.new_kv_cache(1, len(text)), slice(0, 1)).hidden[-1]


def test_rejected_tokens_leave_no_trace(forward_pass: ForwardPass) -> None:
    """Rows that compute wrong tokens and reject them continue as if they had not, each at its own length."""
    kv_cache, rows = forward_pass.new_kv_cache(3, 2), slice(0, 3)
    counts = [1, 3, 2]
    with torch.inference_mode():
        with_wrong = [[*text[:count], *[77] * (4 - count)] for text, count in zip(TEXTS, counts, strict=True)]
        kv_cache.commit(rows, counts, forward_pass.forward(with_wrong, kv_cache, rows))
        assert kv_cache.lengths == counts
        rest = [text[count:] for text, count in zip(TEXTS, counts, strict=True)]
        hidden = forward_pass.forward(rest, kv_cache, rows).hidden
        for end, text in zip(accumulate(map(len, rest)), TEXTS, strict=True):
            torch.testing.assert_close(hidden[end - 1], last_hidden(forward_pass, text), atol=1e-4, rtol=1e-4)


def test_rows_keep_their_contents_when_rows_move_leave_or_join(forward_pass: ForwardPass) -> None:
    kv_cache, rows = forward_pass.new_kv_cache(2, 5), slice(0, 2)
    with torch.inference_mode():
        kv_cache.commit(rows, [5, 5], forward_pass.forward([text[:5] for text in TEXTS[:2]], kv_cache, rows))
        other = forward_pass.new_kv_cache(1, 9)
        other.commit(slice(0, 1), [5], forward_pass.forward([TEXTS[2][:5]], other, slice(0, 1)))
        kv_cache.extend(other)
        kv_cache.move_rows([(2, 0)])
        kv_cache.truncate_rows(2)
        kv_cache.select_rows([1, 0])
        assert len(kv_cache) == 2
        hidden = forward_pass.forward([TEXTS[1][5:], TEXTS[2][5:]], kv_cache, rows).hidden
        for row, text in enumerate(TEXTS[1:]):
            torch.testing.assert_close(hidden[row], last_hidden(forward_pass, text), atol=1e-4, rtol=1e-4)


def test_growing_rows_keeps_columns_and_growing_columns_keeps_rows_unless_most_are_not_in_use(
    forward_pass: ForwardPass,
) -> None:
    kv_cache = forward_pass.new_kv_cache(1, 64)
    kv_cache.truncate_rows(0)
    kv_cache.add_rows([40] * 8)
    assert kv_cache.keys_values.shape[1:3] == (8, 64)
    kv_cache.truncate_rows(5)
    kv_cache.reserve_columns(80)
    assert kv_cache.keys_values.shape[1:3] == (8, 96)
    kv_cache.truncate_rows(2)
    kv_cache.reserve_columns(100)
    assert kv_cache.keys_values.shape[1:3] == (2, 144)
    kv_cache.add_rows([50])
    assert kv_cache.keys_values.shape[1:3] == (3, 64)


def test_growing_copies_what_rows_hold_and_nothing_else(forward_pass: ForwardPass) -> None:
    kv_cache = forward_pass.new_kv_cache(3, 16)
    kv_cache.lengths = [5, 9]
    kv_cache.keys_values.fill_(1)
    kv_cache.reserve_columns(20)
    assert kv_cache.keys_values[:, :2, :9].min() == 1
    assert not kv_cache.keys_values[:, 2:].any()
    assert not kv_cache.keys_values[:, :, 9:].any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_zeros_are_zero_aligned_and_can_be_written(dtype: torch.dtype) -> None:
    for count in (0, 1, 7, 1_000_003):
        found = TorchArrays(dtype, torch.device("cpu")).zeros(count)
        assert (found.dtype, found.shape, found.count_nonzero().item()) == (dtype, (count,), 0)
        assert found.data_ptr() % 64 == 0 or not count
        assert found.fill_(2).sum(dtype=torch.float64).item() == 2 * count


@pytest.mark.parametrize("packed", [True, False])
def test_fast_products_equal_plain_ones(monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    """With packed matrices or not, for any number of rows; where torch cannot pack, the plain product is used."""
    if not packed:
        monkeypatch.setattr(
            matrix_products, "_multiplied", lambda *_: (_ for _ in ()).throw(RuntimeError("no such operator"))
        )
    torch.manual_seed(0)
    gate, up = torch.randn(2, 48, 32, dtype=torch.bfloat16)
    for count in (1, 7):
        values = torch.randn(count, 2, 32, dtype=torch.bfloat16)
        exact = values.float() @ up.float().T
        torch.testing.assert_close(matrix_product(up)(values).float(), exact, atol=0.1, rtol=0.02)
        wanted = torch.nn.functional.silu(values.float() @ gate.float().T) * exact
        torch.testing.assert_close(gated_product(gate, up)(values).float(), wanted, atol=0.5, rtol=0.05)


def test_threads_sleep_unless_the_user_has_set_it_or_torch_is_loaded() -> None:
    mine: dict[str, str] = {}
    assert use_passive_wait(mine, loaded=False)
    assert mine == {"OMP_WAIT_POLICY": "PASSIVE"}
    yours = {"OMP_WAIT_POLICY": "ACTIVE"}
    use_passive_wait(yours, loaded=False)
    assert yours == {"OMP_WAIT_POLICY": "ACTIVE"}
    late: dict[str, str] = {}
    assert not use_passive_wait(late, loaded=True)
    assert late == {}
