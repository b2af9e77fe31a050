"""Spans of attention: every row once, in order, as cheap as the best of all ways to cut, and no way changes a result."""

from itertools import combinations, pairwise
from random import Random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from random_networks import random_network

from cwm_agent.engine import positions
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.positions import MOST_PARTS, ROW_COST, attention_spans, round_up_columns

ROWS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 300)), min_size=1, max_size=7)


def cost(rows: list[tuple[int, int]], spans: list[slice], span_cost: int) -> int:
    """What the spans cost, counted as `positions.py` says."""
    found = 0
    for span in spans:
        longest = max(1, *(count for count, _ in rows[span]))
        columns = max(round_up_columns(count + length) for count, length in rows[span])
        found += (span.stop - span.start) * (ROW_COST + longest) * columns + span_cost
    return found


def every_cut(rows: int) -> list[list[slice]]:
    """All ways to cut so many rows."""
    inner = [cut for count in range(rows) for cut in combinations(range(1, rows), count)]
    return [[slice(*pair) for pair in pairwise([0, *cut, rows])] for cut in inner]


@given(rows=ROWS, span_cost=st.sampled_from([0, 100, 1_300, 1_000_000]))
def test_no_other_cut_is_cheaper(rows: list[tuple[int, int]], span_cost: int) -> None:
    spans = attention_spans([count for count, _ in rows], [length for _, length in rows], span_cost)
    assert spans in every_cut(len(rows))
    assert cost(rows, spans, span_cost) == min(cost(rows, each, span_cost) for each in every_cut(len(rows)))


@given(rows=st.integers(MOST_PARTS, 5 * MOST_PARTS), seed=st.randoms(use_true_random=False))
def test_many_rows_are_all_there_and_cut_in_few_places(rows: int, seed: Random) -> None:
    spans = attention_spans([seed.randrange(40) for _ in range(rows)], [seed.randrange(300) for _ in range(rows)], 100)
    assert (spans[0].start, spans[-1].stop) == (0, rows)
    assert all(one.stop == other.start for one, other in pairwise(spans))
    assert len(spans) <= MOST_PARTS


def test_rows_of_very_different_length_are_apart() -> None:
    assert attention_spans([40] * 8 + [1] * 8, [0] * 8 + [100] * 8, 1_300) == [slice(0, 8), slice(8, 16)]
    assert attention_spans([3, 4, 3, 4], [50, 50, 50, 50], 1_300) == [slice(0, 4)]


@pytest.mark.parametrize("size", ["tiny", "2x256x2"])
def test_logits_do_not_depend_on_how_spans_are_cut(monkeypatch: pytest.MonkeyPatch, size: str) -> None:
    """Rows of equal and of different length, rows behind other tokens, and one that computes nothing."""
    first, then = [7, 7, 1, 12, 30], [2, 2, 0, 9, 1]
    network = ForwardPass(random_network(size=size), dtype=torch.float32, device=torch.device("cpu"))
    usual = _logits(network, first, then)
    for cut in every_cut(len(first)):
        monkeypatch.setattr(positions, "attention_spans", lambda *_, cut=cut: cut)
        torch.testing.assert_close(_logits(network, first, then), usual, atol=1e-4, rtol=1e-5)


@torch.inference_mode()
def _logits(network: ForwardPass, first: list[int], then: list[int]) -> torch.Tensor:
    """Of all tokens of two passes, with so many new tokens in each row."""
    random, rows = Random(0), slice(0, len(first))
    kv_cache, found = network.new_kv_cache(len(first), 4), []
    for counts in (first, then):
        output = network.forward([[random.randrange(256) for _ in range(count)] for count in counts], kv_cache, rows)
        kv_cache.commit(rows, counts, output)
        found.append(network.logits(output.hidden))
    return torch.cat(found)
