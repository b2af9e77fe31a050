"""Draft tokens for speculative decoding, taken from earlier text; knows no network.

A step over ten tokens costs a CPU little more than a step over one. The engine therefore checks several draft tokens in
one step and keeps those that greedy decoding gives anyway, so drafts never change a completion. Drafts come from the
last completion of a prompt with the same first line, and from what followed the same bytes in the current completion,
in the prompt, or in any earlier completion. How much of a draft is checked depends on how often drafts from the same
source were right (`acceptance_rates.py`).
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from cwm_agent.engine.decoding.acceptance_rates import AcceptanceRates

V = TypeVar("V")
MAX_LINES = 4_096
"""First lines whose last completion is kept."""
MAX_NGRAMS = 65_536
"""Byte sequences for which the tokens that followed are kept."""
LONG, SHORT = 6, 3
"""Bytes of a sequence; long ones are looked up before short ones."""
_BYTES = 256


class Draft(NamedTuple):
    """Tokens that may come next, and where they were found."""

    tokens: list[int]
    source: str


NO_DRAFT = Draft([], "none")


class DraftProposer:
    """Proposes draft tokens from completions it has seen."""

    def __init__(self) -> None:
        self.rates = AcceptanceRates()
        self._by_line: OrderedDict[bytes, list[int]] = OrderedDict()
        self._by_ngram: OrderedDict[bytes, tuple[list[int], int]] = OrderedDict()

    def learn(self, prompt: bytes, completion: Sequence[int]) -> None:
        """Keep a completion (as tokens) for later drafts."""
        tokens = list(completion)
        _put(self._by_line, _first_line(prompt), tokens, MAX_LINES)
        text = bytes(token for token in tokens if token < _BYTES)
        for size in (SHORT, LONG):
            for end in range(size, min(len(tokens), len(text) + 1)):
                _put(self._by_ngram, text[end - size : end], (tokens, end), MAX_NGRAMS)

    def propose(self, prompt: bytes, output: Sequence[int], most: int, least: float = 0.0) -> Draft:
        """At most so many tokens that may follow the output so far; empty where nothing similar was seen.

        The draft ends before the first token that is accepted with a probability below `least`.
        """
        draft = self._found(prompt, output, most)
        return Draft(self.rates.worthwhile(draft.source, draft.tokens, least), draft.source)

    def _found(self, prompt: bytes, output: Sequence[int], most: int) -> Draft:
        if not output:
            return self._first_tokens(prompt, most)
        text = bytes(token for token in output if token < _BYTES)
        for size in (LONG, SHORT):
            if len(text) >= size and (found := self._following(prompt, text, size, most)).tokens:
                return found
        return NO_DRAFT

    def _first_tokens(self, prompt: bytes, most: int) -> Draft:
        """The last completion for the same first line; otherwise the name that the line assigns to."""
        line = _first_line(prompt)
        if line in self._by_line:
            return Draft(self._by_line[line][:most], "line")
        name, assigns, _ = line.partition(b" = ")
        return Draft(list(name + b"=")[:most], "name") if assigns else NO_DRAFT

    def _following(self, prompt: bytes, text: bytes, size: int, most: int) -> Draft:
        """The tokens that followed an earlier occurrence of the last `size` bytes of the text."""
        ngram = text[-size:]
        start = text.rfind(ngram, 0, -1) if size == LONG else -1
        if start >= 0:
            return Draft(_repeated(text[start + size :], most), "output")
        start = prompt.rfind(ngram)
        if start >= 0 and (rest := prompt[start + size :].partition(b"\n")[0]):
            return Draft(list(rest[:most]), f"prompt {size}")
        tokens, end = self._by_ngram.get(ngram, ([], 0))
        return Draft(tokens[end : end + most], f"completions {size}")


def _first_line(prompt: bytes) -> bytes:
    return prompt.partition(b"\n")[0]


def _repeated(text: bytes, most: int) -> list[int]:
    """The text repeated up to that many tokens: a completion that repeats itself is likely to continue so."""
    return list((text * (most // len(text) + 1))[:most])


def _put(store: OrderedDict[bytes, V], key: bytes, value: V, most: int) -> None:
    """Store a value; the oldest entry is removed where there are more than `most`."""
    store[key] = value
    store.move_to_end(key)
    if len(store) > most:
        store.popitem(last=False)
