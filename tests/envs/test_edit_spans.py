"""Claims about edit spans: where an edit moves after others, which edits clash, and that the order does not matter."""

from __future__ import annotations

from random import Random

import pytest

from envs.editing.edit import Edit
from envs.editing.edit_spans import EditSpan, moved, spans_of
from envs.edits import edits
from tasks import load

PROGRAMS = [task.source for task in load("repair").tasks][::12]


def applied_in(order: list[int], source: str, listed: tuple[Edit, ...]) -> str:
    """The program after some of its edits in this order, each moved to its current place."""
    spans = spans_of(source, listed)
    applied: list[EditSpan] = []
    for rank in order:
        source = moved(listed[rank], spans[rank], applied, source).apply(source)
        applied.append(spans[rank])
    return source


@pytest.mark.parametrize("source", PROGRAMS)
def test_edits_that_do_not_clash_make_one_program_in_any_order(source):
    listed, rng = edits(source), Random(0)
    spans = spans_of(source, listed)
    for _ in range(20):
        chosen: list[int] = []
        for rank in rng.sample(range(len(listed)), len(listed)):
            if len(chosen) < 5 and not any(spans[rank].clashes(spans[other]) for other in chosen):
                chosen.append(rank)
        assert applied_in(chosen, source, listed) == applied_in(sorted(chosen), source, listed)


@pytest.mark.parametrize("source", PROGRAMS)
def test_an_edit_keeps_its_place_if_no_other_was_applied(source):
    listed = edits(source)
    spans = spans_of(source, listed)
    assert [moved(edit, span, [], source) for edit, span in zip(listed, spans, strict=True)] == list(listed)


@pytest.mark.parametrize(
    ("one", "other", "clash"),
    [
        pytest.param(EditSpan(0, 3, 1), EditSpan(2, 5, 1), True, id="overlap"),
        pytest.param(EditSpan(0, 9, 1), EditSpan(2, 5, 1), True, id="one inside the other"),
        pytest.param(EditSpan(0, 3, 1), EditSpan(3, 5, 1), False, id="neighbours"),
        pytest.param(EditSpan(3, 3, 4), EditSpan(3, 3, 2), True, id="two insertions at one place"),
        pytest.param(EditSpan(0, 3, 1), EditSpan(3, 3, 2), True, id="an insertion at the edge"),
        pytest.param(EditSpan(0, 3, 1), EditSpan(4, 4, 2), False, id="an insertion beyond"),
    ],
)
def test_a_clash_is_about_the_same_characters(one, other, clash):
    assert one.clashes(other) is other.clashes(one) is clash
