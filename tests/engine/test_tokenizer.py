"""Bytes and special tokens as ids."""

import pytest

from cwm_agent.engine.tokenizer import BYTES, Tokenizer


def test_every_byte_comes_back() -> None:
    """All 256 byte values survive encoding and decoding."""
    text = bytes(range(256))
    assert BYTES.decode(BYTES.prompt(text)) == text


def test_a_prompt_is_start_query_ask_and_the_completion_prefix() -> None:
    """The prompt ends where the model continues."""
    assert BYTES.prompt(b"ab", b"c") == [BYTES.start, 97, 98, BYTES.ask, 99]


@pytest.mark.parametrize("special", [{"pad": 255}, {"end": 258}, {"ask": 264}])
def test_special_tokens_that_are_bytes_or_equal_are_refused(special: dict[str, int]) -> None:
    """No text can contain a special token."""
    with pytest.raises(ValueError, match="four different ids"):
        Tokenizer(**special)
