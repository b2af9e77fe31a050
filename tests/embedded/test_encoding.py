"""Claims about bytes and marks as ids."""

import pytest

from cwm_agent.engine.tokenizer import BYTES, Tokenizer


def test_every_byte_comes_back() -> None:
    """All 256 byte values survive encoding and decoding."""
    text = bytes(range(256))
    assert BYTES.decode(BYTES.prompt(text)) == text


def test_a_prompt_marks_start_and_question_and_goes_on_with_what_was_begun() -> None:
    """The prompt ends where the answer goes on."""
    assert BYTES.prompt(b"ab", b"c") == [BYTES.start, 97, 98, BYTES.ask, 99]


@pytest.mark.parametrize("marks", [{"pad": 255}, {"end": 258}, {"ask": 264}])
def test_marks_that_a_byte_could_be_or_that_clash_are_refused(marks: dict[str, int]) -> None:
    """No text can forge a mark."""
    with pytest.raises(ValueError, match="four different ids"):
        Tokenizer(**marks)
