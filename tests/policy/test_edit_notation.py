"""Edits as text: every edit has one text, which says it whole."""

from random import Random

import pytest

from cwm_agent.policy.edit_notation import edit_of, numbered, told, written
from envs.editing.edit_generation import edits

SOURCE = '''def total(xs, most):
    """Sum of what is below a limit."""
    found = 0
    for x in xs:
        if x < most:
            found += x
    return found
'''


def test_lines_are_numbered_from_one() -> None:
    assert numbered("a\nb\n") == "1 a\n2 b\n"


def test_every_edit_of_a_program_is_read_back_from_its_text() -> None:
    for edit in edits(SOURCE):
        after = edit.apply(SOURCE)
        text = written(SOURCE, after)
        assert text is not None
        read = edit_of(text, SOURCE)
        assert read is not None
        assert read.apply(SOURCE).splitlines() == after.splitlines(), text


def test_random_changes_of_lines_are_read_back() -> None:
    rng = Random(0)
    for _ in range(500):
        lines = [rng.choice("abc") for _ in range(rng.randint(1, 6))]
        other = [rng.choice("abc") for _ in range(rng.randint(1, 6))]
        before, after = "\n".join(lines) + "\n", "\n".join(other) + "\n"
        text = written(before, after)
        assert (text is None) == (before == after)
        if text is not None:
            read = edit_of(text, before)
            assert read is not None
            assert read.apply(before) == after, (before, after, text)


def test_a_text_is_told_up_to_a_little_behind_the_change() -> None:
    found = {told(SOURCE, edit).text for edit in edits(SOURCE) if edit.after == "<=" and edit.line == 5}
    assert found == {"5=        if x <= m"}


def test_different_edits_are_told_apart() -> None:
    texts = [told(SOURCE, edit) for edit in edits(SOURCE)]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("text", ["", "x", "0=a", "9=a", "3-2=a", "12+a", "3-4+a", "=a", "3:a", "99999999999=a"])
def test_what_says_no_edit_of_the_program_is_none(text: str) -> None:
    assert edit_of(text, SOURCE) is None
