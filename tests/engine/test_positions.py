"""Spans of attention: every row once, in order, and never dearer than one span for all or one for each."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cwm_agent.engine.positions import ROW_COST, round_up_columns, spans_of

ROWS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 300)), min_size=1, max_size=40)


def cost(rows: list[tuple[int, int]], spans: list[slice], span_cost: int) -> int:
    """What the spans cost, counted as `positions.py` says."""
    found = 0
    for span in spans:
        longest = max(1, *(count for count, _ in rows[span]))
        columns = max(round_up_columns(count + length) for count, length in rows[span])
        found += (span.stop - span.start) * (ROW_COST + longest) * columns + span_cost
    return found


@given(rows=ROWS, span_cost=st.sampled_from([0, 100, 1_300, 1_000_000]))
def test_spans_hold_every_row_once_and_are_cheapest(rows: list[tuple[int, int]], span_cost: int) -> None:
    spans = spans_of([count for count, _ in rows], [length for _, length in rows], span_cost)
    assert (spans[0].start, spans[-1].stop) == (0, len(rows))
    assert all(one.stop == other.start for one, other in pairwise(spans))
    apart = [slice(at, at + 1) for at in range(len(rows))]
    halves = [slice(0, len(rows) // 2 or 1), *([slice(len(rows) // 2, len(rows))] if len(rows) > 1 else [])]
    least = min(cost(rows, each, span_cost) for each in (apart, halves, [slice(0, len(rows))]))
    assert cost(rows, spans, span_cost) <= least


def test_rows_of_very_different_length_are_apart() -> None:
    assert spans_of([40] * 8 + [1] * 8, [0] * 8 + [100] * 8, 1_300) == [slice(0, 8), slice(8, 16)]
    assert spans_of([3, 4, 3, 4], [50, 50, 50, 50], 1_300) == [slice(0, 4)]
