"""Any causal language model of transformers as a history oracle, by examples in its prompt (`plain_text_frames.py`).

A frame is one line of text. Without a guide the model writes the whole line. Under a guide it chooses among the allowed
events, writes the values up to the arrow, and chooses among the allowed lines, token by token; a single one is given,
and its log-probability is still measured. Before the next part, the model reads each part in its canonical spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cwm_agent.oracles.backends.transformers.model_loading import LoadedModel
from cwm_agent.oracles.formats.plain_text_frames import ARROW, END, frame_lines, head_text, read_line, values_end
from cwm_agent.oracles.history_protocol import Ended, HistoryPrediction, HistoryQuery, Malformed
from cwm_agent.oracles.protocol import BackendFailed
from envs.execution.state.history_frames import HistoryFrame

if TYPE_CHECKING:
    from cwm_agent.oracles.backends.transformers.cached_texts import Batch, Text

Chance = Callable[[int], float]


class PromptedHistory:
    """Continues histories with a model that has never seen the trace format."""

    def __init__(self, model: LoadedModel, *, name: str = "hf", batch: int = 32, frame: int = 2_000, kept: bool = True):
        from cwm_agent.oracles.backends.transformers.cached_texts import CausalTexts

        self._model, self._name, self._batch, self._frame = model, name, batch, frame
        self._texts = CausalTexts(model.network, 0, kept=kept)

    @property
    def name(self) -> str:
        return self._name

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        lines = [_Line(query, self._model, self._frame) for query in queries]
        known: list[Batch] = []
        while open_ := [line for line in lines if not line.done and not line.full]:
            new = [self._part(open_[first : first + self._batch]) for first in range(0, len(open_), self._batch)]
            known = [*new, *known]  # lookups find the newest batch of a rollout first
            self._texts.keep(known)
        return [line.prediction() for line in lines]

    def _part(self, lines: Sequence[_Line]) -> Batch:
        """Decode one part of each line, all together."""
        try:
            batch, new = self._texts.read([line.text() for line in lines])
            for line, tokens in zip(lines, new, strict=True):
                line.tokens += tokens
            self._decode(batch, lines)
        except RuntimeError as error:  # torch raises it when memory runs out
            raise BackendFailed(f"{self._name} broke: {str(error)[:300]} Try a smaller batch=.") from error
        return batch

    def _decode(self, batch: Batch, lines: Sequence[_Line]) -> None:
        """Decode the present part of every line; a line that is done with it waits."""
        for line in lines:
            line.begin()
        while True:
            chances = batch.logits.log_softmax(dim=-1).cpu().numpy()
            likeliest = chances.argmax(axis=-1).tolist()
            tokens = [
                line.choose(likeliest[place], chances[place].__getitem__) if line.decoding else None
                for place, line in enumerate(lines)
            ]
            if not any(line.decoding for line in lines):
                return  # the last token is read with the next part, if there is one
            self._texts.extend(batch, tokens)


@dataclass(slots=True)
class _Line:
    """Decodes one frame, part after part."""

    query: HistoryQuery
    model: LoadedModel
    limit: int
    """Most tokens of a frame; decoding stops there."""
    parts: list[str] = field(default_factory=list)
    """The line so far, in its canonical spelling."""
    tokens: int = 0
    logprob: float = 0.0
    action_logprob: float = 0.0
    decoding: bool = False
    done: bool = False
    _head: tuple[int, ...] = ()
    _before: tuple[int, ...] = ()
    _decoded: list[int] = field(default_factory=list)
    """Tokens of the present part."""
    _spent: int = 0
    _choices: list[tuple[tuple[int, ...], str]] | None = None
    """Texts that the present part can still become, as tokens and as text; None if any text is allowed."""

    def __post_init__(self) -> None:
        encode = self.model.encode
        self._head = (*self.model.begin, *encode(head_text(self.query)))
        self._before = tuple(token for line in frame_lines(self.query) for token in encode(line))

    @property
    def full(self) -> bool:
        """Whether the context has no room for a frame."""
        return len(self._head) + len(self._before) + self.limit > self.model.context

    def text(self) -> Text:
        """Return the text that the model must read before the next part."""
        from cwm_agent.oracles.backends.transformers.cached_texts import Text

        written = [token for part in self.parts for token in self.model.encode(part)]
        return Text((*self._head, *self._before, *written), len(self._head), self.query.rollout)

    def begin(self) -> None:
        """Begin the next part: an event, values, or a source line; without a guide the whole line is one part."""
        self._decoded, self.decoding, self._choices = [], True, None
        allowed = self.query.allowed
        if allowed is None or len(self.parts) == 1:
            return
        if not self.parts:
            texts = {f"{END}\n" if action.event == END else f"{action.event} " for action in allowed}
        else:
            event = self.parts[0].strip()
            texts = {f"{action.text}\n" for action in allowed if action.event == event}
        self._choices = [(tuple(self.model.encode(text)), text) for text in sorted(texts)]

    def choose(self, likeliest: int, chance: Chance) -> int:
        """Return the next token of the present part; `likeliest` is the likeliest of all tokens."""
        token = likeliest
        if self._choices is not None:
            place = len(self._decoded)
            left = sorted({tokens[place] for tokens, _ in self._choices})
            token = max(left, key=chance)
            self._choices = [each for each in self._choices if each[0][place] == token]
            self.action_logprob += float(chance(token))
        if self._choices is None or len(left) > 1:
            self.logprob += float(chance(token))
        self._decoded.append(token)
        self._spent += 1
        self._end_part()
        return token

    def _end_part(self) -> None:
        """Append the part to the line if the part is complete."""
        if self._choices is not None:
            [(tokens, text), *others] = self._choices
            if others or len(tokens) > len(self._decoded):
                return
            self.parts.append(text)
        else:
            text = self.model.decode(self._decoded)
            over = self._spent >= self.limit or self._decoded[-1] in self.model.specials or "\n" in text
            end = values_end(text) if self.query.allowed is not None and ARROW in text else None
            if end is None and not over:
                return
            self.parts.append(text[:end] if end is not None else text.partition("\n")[0] + "\n" * ("\n" in text))
        self.decoding = False
        self.done = "\n" in self.parts[-1] or stopped(self.parts, self.query)

    def prediction(self) -> HistoryPrediction:
        """Return the frame that the model wrote, with its cost."""
        if self.full:
            return HistoryPrediction(Malformed("", self._why_full()))
        action_logprob = None if self.query.allowed is None else self.action_logprob
        return HistoryPrediction(self._read(), self.logprob, action_logprob, self.tokens + self._spent)

    def _read(self) -> HistoryFrame | Ended | Malformed:
        line = "".join(self.parts)
        if "\n" not in line:
            return Malformed(line[:2_000], "a line that does not end")
        return read_line(self.query, line)

    def _why_full(self) -> str:
        length = len(self._head) + len(self._before)
        return (
            f"a prompt of {length} tokens: with a frame of up to {self.limit} the context of {self.model.context} is "
            "full; imagine fewer steps, or set frame= lower"
        )


def stopped(parts: Sequence[str], query: HistoryQuery) -> bool:
    """Whether a line is incomplete: without a guide its line break is missing, under a guide its arrow."""
    return query.allowed is None or (len(parts) == 2 and not parts[1].endswith(ARROW))
