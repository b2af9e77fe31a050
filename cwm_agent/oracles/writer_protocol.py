"""The protocol of language models that answer a prompt with text: for proposals, not for frames; knows no program.

    hf:FOLDER_OR_NAME[:device=cuda,...]   a model of transformers (`text_writer.py`)
    openai:MODEL@URL[?timeout=60&...]     a model behind an OpenAI-compatible server (`server_writer.py`)
    package.module:callable               your own: called without arguments, returns a TextWriter

Failures are those of `protocol.py`: a model's text is never an error, a backend's failure is an OracleError.
"""

from dataclasses import dataclass
from typing import Protocol, cast

from cwm_agent.oracles.protocol import UnknownOracle
from cwm_agent.oracles.registry import own


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A model's text, and its cost."""

    text: str
    tokens: int = 0
    """Tokens read and written."""


class TextWriter(Protocol):
    """All that proposals use of a language model."""

    @property
    def name(self) -> str:
        """The name in reports."""
        ...

    def write(self, prompt: str, count: int, seed: int) -> list[WrittenText]:
        """Return `count` answers to a prompt, or fewer; the first is the likeliest, the others are sampled by seed."""
        ...


def writer_named(text: str) -> TextWriter:
    """Return the language model of that name."""
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
