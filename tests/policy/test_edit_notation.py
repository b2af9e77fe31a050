"""Edits as text: every edit has exactly one text, from which it can be parsed."""

from random import Random

import pytest

from cwm_agent.policy.edit_notation import edit_text, numbered_lines, parse_edit, scored_text
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
    assert numbered_lines("a\nb\n") == "1 a\n2 b\n"


def test_every_edit_of_a_program_is_parsed_back_from_its_text() -> None:
    for edit in edits(SOURCE):
        after = edit.apply(SOURCE)
        text = edit_text(SOURCE, after)
        assert text is not None
        parsed = parse_edit(text, SOURCE)
        assert parsed is not None
        assert parsed.apply(SOURCE).splitlines() == after.splitlines(), text


def test_random_changes_of_lines_are_parsed_back() -> None:
    rng = Random(0)
    for _ in range(500):
        lines = [rng.choice("abc") for _ in range(rng.randint(1, 6))]
        other = [rng.choice("abc") for _ in range(rng.randint(1, 6))]
        before, after = "\n".join(lines) + "\n", "\n".join(other) + "\n"
        text = edit_text(before, after)
        assert (text is None) == (before == after)
        if text is not None:
            parsed = parse_edit(text, before)
            assert parsed is not None
            assert parsed.apply(before) == after, (before, after, text)


def test_the_scored_text_ends_two_characters_behind_the_change() -> None:
    found = {scored_text(SOURCE, edit).text for edit in edits(SOURCE) if edit.after == "<=" and edit.line == 5}
    assert found == {"5=        if x <= m"}


def test_different_edits_have_different_scored_texts() -> None:
    texts = [scored_text(SOURCE, edit) for edit in edits(SOURCE)]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("text", ["", "x", "0=a", "9=a", "3-2=a", "12+a", "3-4+a", "=a", "3:a", "99999999999=a"])
def test_a_text_that_is_no_edit_of_the_program_gives_none(text: str) -> None:
    assert parse_edit(text, SOURCE) is None
