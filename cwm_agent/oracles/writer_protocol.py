"""The seam to language models that write text to a prompt: for proposals, not for frames; knows no program.

    hf:FOLDER_OR_NAME[:device=cuda,...]   a model of transformers (`text_writer.py`)
    openai:MODEL@URL[?timeout=60&...]     a model behind an OpenAI-compatible server (`server_writer.py`)
    package.module:callable               one's own: called without arguments, gives a Writer

Failures are those of `protocol.py`: what a model writes is never an error, a backend that fails is an OracleError.
"""

from dataclasses import dataclass
from typing import Protocol, cast

from cwm_agent.oracles.protocol import UnknownOracle
from cwm_agent.oracles.registry import own


@dataclass(frozen=True, slots=True)
class WrittenText:
    """What a model wrote, and what that cost."""

    text: str
    tokens: int = 0
    """Read and written."""


class TextWriter(Protocol):
    """All that proposals may know of a language model."""

    @property
    def name(self) -> str:
        """What stands in reports."""
        ...

    def write(self, prompt: str, count: int, seed: int) -> list[WrittenText]:
        """So many answers to a prompt, or fewer; the first is the model's likeliest, the others are drawn by seed."""
        ...


def writer_named(text: str) -> TextWriter:
    """The language model a name stands for."""
    head, _, rest = text.partition(":")
    if head == "hf":
        from cwm_agent.oracles.backends.transformers.text_writer import HfWriter  # brings torch and transformers along

        return HfWriter.load(rest)
    if head == "openai":
        from cwm_agent.oracles.backends.openai.server_writer import OpenAiWriter

        return OpenAiWriter.load(rest)
    if rest:
        return cast(TextWriter, own(text))
    raise UnknownOracle(f"No language model named {text!r}. Write hf:FOLDER, openai:MODEL, or module:callable.")
