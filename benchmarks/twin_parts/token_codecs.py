"""Text as tokens, in two ways: bytes, and byte pairs that are learnt from the text of the training chains."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from benchmarks.twin_parts.operation_chains import chains

PAIRS = 1024
"""Tokens of the vocabulary of byte pairs."""


class TokenCodec(Protocol):
    """Text to ids and back; id 0 fills rows, id 1 ends an answer."""

    @property
    def size(self) -> int:
        """Number of ids."""
        ...

    def ids(self, text: str) -> list[int]: ...

    def text(self, ids: Sequence[int]) -> str: ...


@dataclass(frozen=True, slots=True)
class ByteCodec:
    """A byte is a token."""

    size: int = 258

    def ids(self, text: str) -> list[int]:
        return [2 + byte for byte in text.encode()]

    def text(self, ids: Sequence[int]) -> str:
        return bytes(each - 2 for each in ids if each > 1).decode(errors="replace")


@dataclass(frozen=True, slots=True)
class PairCodec:
    """Byte pairs by the `tokenizers` library, which comes with transformers."""

    tokenizer: Any

    @classmethod
    def learnt(cls, texts: Iterable[str], size: int = PAIRS) -> "PairCodec":
        """A vocabulary of that size, learnt from texts."""
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=size, special_tokens=["<pad>", "<end>"], initial_alphabet=alphabet, show_progress=False
        )
        tokenizer.train_from_iterator(texts, trainer)
        return cls(tokenizer)

    @property
    def size(self) -> int:
        return int(self.tokenizer.get_vocab_size())

    def ids(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text).ids)

    def text(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode([each for each in ids if each > 1]))


def codec_named(name: str, *, seed: int, texts: int = 20_000) -> TokenCodec:
    """`bytes`, or `pairs` learnt from as many texts of the chains that training draws."""
    if name == "bytes":
        return ByteCodec()
    drawn = islice(chains(seed), texts)
    return PairCodec.learnt(each.question + each.answer(1) for each in drawn)
