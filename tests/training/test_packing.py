"""Packed rows of tokens."""

from itertools import islice

import numpy as np
import pytest

from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.training.example import Example
from cwm_agent.training.packing import Field, Role, fill_rows, pack, step_length
from cwm_agent.training.steps.copy_task import additions, copies

S, A, E, P = BYTES.start, BYTES.ask, BYTES.end, BYTES.pad


def test_a_context_is_packed_once_and_its_examples_follow_it() -> None:
    """Every field of a small row, number by number."""
    row = pack([Example(b"xy", b"q", b"ab", "k"), Example(b"xy", b"", b"c", "k")], 14, BYTES)
    n, q, a = int(Role.NOTHING), int(Role.QUERY), int(Role.ANSWER)
    assert row.tolist() == [
        [120, 121, S, 113, A, 97, 98, E, S, A, 99, E, P, P],
        [1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4],
        [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4, 4],
        [0, 1, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 0, 1],
        [0, 1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 0, 1],
        [q, n, q, q, a, a, a, n, q, a, a, n, n, n],
    ]


def test_examples_without_context_attend_to_themselves_only() -> None:
    """Context and segment numbers are equal everywhere."""
    row = pack(list(islice(copies(0), 3)), 128, BYTES)
    assert (row[Field.SEGMENT] == row[Field.CONTEXT]).all()


@pytest.mark.parametrize("source", [copies, additions])
def test_rows_keep_every_example_in_order(source: object) -> None:
    """Filling rows loses and moves nothing, and no row overflows."""
    examples = list(islice(source(3), 300))  # type: ignore[operator]
    rows = list(fill_rows(examples, 256))
    assert [example for row in rows for example in row] == examples
    packed = [pack(row, 256, BYTES) for row in rows]
    padding = [float(np.mean(row[Field.TOKEN] == P)) for row in packed[:-1]]
    assert max(padding) < 0.5


def test_each_row_contains_the_context_of_its_examples() -> None:
    """A context that is also needed in the next row is packed there too."""
    examples = [Example(b"context", b"q%d" % number, b"a", "k") for number in range(9)]
    rows = list(fill_rows(examples, 32))
    assert len(rows) > 1
    assert all(bytes(pack(row, 32, BYTES)[Field.TOKEN, :7].astype(np.uint8)) == b"context" for row in rows)


def test_an_example_without_context_does_not_hide_that_a_context_is_missing() -> None:
    """The length of a row includes a context that it does not contain yet."""
    long = Example(b"c" * 20, b"q", b"a", "k")
    rows = list(fill_rows([long, Example(b"", b"q" * 10, b"a", "k"), long, long], 32))
    assert [pack(row, 32, BYTES).shape for row in rows] == [(6, 32)] * len(rows)


def test_examples_that_do_not_fit_are_refused_with_their_size() -> None:
    """Packing never cuts an example."""
    example = Example(b"", b"q" * 10, b"a", "k")
    assert step_length(example) == 14
    with pytest.raises(ValueError, match="14 tokens do not fit into a row of 8"):
        pack([example], 8, BYTES)
