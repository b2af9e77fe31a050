"""Examples that were answered wrong and are shown again."""

from itertools import islice

import numpy as np
import pytest

from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.training.example import Example
from cwm_agent.training.hard_examples import MOST_SHOWN, MOST_WRONG, HardExamples, mistaken
from cwm_agent.training.packing import Field, Role, pack
from cwm_agent.training.recipe import BadRecipe, DataMix, Recipe
from tests.training.test_optimiser import COPIES

LENGTH = 96
EXAMPLES = [Example(b"", b"1+1", b"2", ""), Example(b"shared", b"2*3", b"6", ""), Example(b"shared", b"", b"x", "")]


def wrong_tokens(row: np.ndarray, example: int, count: int) -> np.ndarray:
    """Marks the first tokens of one example's answer as wrong."""
    wrong = np.zeros(row.shape[1], bool)
    answers = np.flatnonzero(row[Field.ROLE] == Role.ANSWER)
    numbers = np.unique(row[Field.SEGMENT, answers])
    wrong[[place for place in answers if row[Field.SEGMENT, place] == numbers[example]][:count]] = True
    return wrong


@pytest.mark.parametrize("example", range(len(EXAMPLES)))
def test_a_wrong_example_comes_back_with_context_query_and_answer(example: int) -> None:
    """What is read from the tokens of a row is the example that was packed."""
    row = pack(EXAMPLES, LENGTH, BYTES)
    [found] = mistaken(row, wrong_tokens(row, example, 1))
    assert (found.context, found.query, found.answer) == (
        EXAMPLES[example].context,
        EXAMPLES[example].query,
        EXAMPLES[example].answer,
    )


def test_answers_with_many_wrong_tokens_are_left_out() -> None:
    """Digits that no text determines would fill the rows."""
    row = pack([Example(b"", b"q", b"0123456789", "")], LENGTH, BYTES)
    assert len(list(mistaken(row, wrong_tokens(row, 0, MOST_WRONG)))) == 1
    assert not list(mistaken(row, wrong_tokens(row, 0, MOST_WRONG + 1)))


def test_an_example_is_shown_again_a_few_times_at_most() -> None:
    """An example that stays wrong does not return for ever."""
    hard = HardExamples(LENGTH, 0, fewest=0)
    row = pack(EXAMPLES, LENGTH, BYTES)
    wrong = wrong_tokens(row, 0, 1)
    shown = 0
    for _ in range(3 * MOST_SHOWN):
        hard.note(row[:, None], wrong[None])
        shown += len(hard.rows(4))
    assert shown == MOST_SHOWN


def test_rows_hold_waiting_examples_once_and_leave_the_fewest() -> None:
    """Rows are full, an example is taken out when it is shown, and some always wait."""
    hard = HardExamples(LENGTH, 0, fewest=5)
    examples = [Example(b"", str(number).encode(), b"0" * 20, "") for number in range(40)]
    for example in examples:
        row = pack([example], LENGTH, BYTES)
        hard.note(row[:, None], wrong_tokens(row, 0, 1)[None])
    assert len(hard) == 40
    rows = hard.rows(100)
    shown = [found.query for row in rows for found in mistaken(row, row[Field.ROLE] == Role.ANSWER)]
    assert not shown  # every token marked: too many wrong ones
    queries = [
        found.query
        for row in rows
        for number in range(3)
        if len(np.unique(row[Field.SEGMENT, row[Field.ROLE] == Role.ANSWER])) > number
        for found in mistaken(row, wrong_tokens(row, number, 1))
    ]
    assert len(queries) == len(set(queries)) == 40 - len(hard)
    assert 5 - 3 <= len(hard) <= 5


def test_training_shows_wrong_examples_again() -> None:
    """With `hard_rows` a batch has fresh rows first and rows of wrong examples behind them."""
    from cwm_agent.jobs.placement import Placement
    from cwm_agent.training.data_feed import Feed
    from cwm_agent.training.training_loop import _batches

    recipe = Recipe(DataMix((COPIES,), 64), size="1", batch=4, hard_rows=2)
    feed = Feed(recipe.data_mix, batch=4, placement=Placement(0, apart=True))
    expected = Feed(recipe.data_mix, batch=10, placement=Placement(0, apart=True)).next()
    hard = HardExamples(64, 0, fewest=0)
    first, second, third = islice(_noting(_batches(recipe, feed, hard), hard), 3)
    assert np.array_equal(first, expected[:, :4])
    assert np.array_equal(second[:, :2], expected[:, 4:6])
    assert np.array_equal(third[:, :2], expected[:, 6:8])
    assert {found.query for found in _all(second[:, 2:])} <= {found.query for found in _all(first)}


def _noting(batches, hard):  # type: ignore[no-untyped-def]
    for rows in batches:
        yield rows
        for number in range(rows.shape[1]):
            for example in _all(rows[:, number : number + 1]):
                hard._keep(example)


def _all(rows: np.ndarray) -> list[Example]:
    found = []
    for number in range(rows.shape[1]):
        row = rows[:, number]
        count = len(np.unique(row[Field.SEGMENT, row[Field.ROLE] == Role.ANSWER]))
        found += [example for at in range(count) for example in mistaken(row, wrong_tokens(row, at, 1))]
    return found


@pytest.mark.parametrize("rows", [-1, 4])
def test_a_batch_needs_fresh_rows(rows: int) -> None:
    """All rows of a batch cannot be repeated ones."""
    with pytest.raises(BadRecipe, match="can be shown again"):
        Recipe(DataMix((COPIES,), 64), batch=4, hard_rows=rows)
