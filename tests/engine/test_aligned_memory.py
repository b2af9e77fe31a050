"""Memory for the library: whole cache lines, one array behind the other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cwm_agent.engine.native.aligned_memory import LINE, address, aligned, side_by_side


@given(st.lists(st.integers(1, 40), max_size=5), st.booleans())
def test_copies_lie_one_behind_the_other_and_begin_where_a_cache_line_does(lines: list[int], turned: bool) -> None:
    arrays = [np.arange(LINE * count, dtype=np.int32).reshape(-1, LINE) for count in lines]
    arrays = [each.T if turned else each for each in arrays]
    copies = side_by_side(arrays)
    assert all(np.array_equal(copy, values) for copy, values in zip(copies, arrays, strict=True))
    assert all(address(each) % LINE == 0 for each in copies)
    assert all(each.flags.c_contiguous for each in copies)
    ends = [address(each) + each.nbytes for each in copies]
    assert [address(each) for each in copies[1:]] == ends[:-1]


@given(st.integers(1, 200))
def test_a_copy_begins_where_a_cache_line_does(count: int) -> None:
    values = np.arange(count, dtype=np.float32)
    copy = aligned(values)
    assert address(copy) % LINE == 0
    assert np.array_equal(copy, values)
