"""`facebook/cwm`, or any causal language model with its special tokens, as a history oracle by transformers.

Constrained decoding keeps to the guide (`frame_decoding.py`): the model chooses among several allowed lines; a single
one is given, and its log-probability is still measured. Decoding is greedy. Each rollout keeps its KV cache until it
ends, and a program's source is read once for all its rollouts (`cached_texts.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cwm_agent.oracles.backends.frame_decoding import FrameDecoder, FrameTokens
from cwm_agent.oracles.backends.transformers.few_shot_history import PromptedHistory
from cwm_agent.oracles.backends.transformers.model_loading import HfSettings, LoadedModel, load
from cwm_agent.oracles.formats.meta_tokens import prompt_ids, read_ids
from cwm_agent.oracles.history_protocol import ENDED, Ended, HistoryOracle, HistoryPrediction, HistoryQuery, Malformed
from cwm_agent.oracles.protocol import BackendFailed
from cwm_agent.views.history.frame_format import Mark
from envs.execution.state.history_frames import HistoryFrame

if TYPE_CHECKING:
    from cwm_agent.oracles.backends.transformers.cached_texts import Batch, Text


def hf_history(text: str) -> HistoryOracle:
    """Return the oracle that `hf:...` names: with special tokens, or plain-text examples if `prompt=examples`."""
    settings = HfSettings.parse(text)
    model = load(settings)
    name = f"hf:{settings.model} ({model.about})"
    if settings.prompt == "examples":
        return PromptedHistory(model, name=name, batch=settings.batch, frame=settings.frame)
    return HfHistory(model, name=name, batch=settings.batch, frame=settings.frame)


class HfHistory:
    """Continues histories with a model of transformers; with `kept=False` it reads every history from its beginning."""

    def __init__(self, model: LoadedModel, *, name: str = "hf", batch: int = 32, frame: int = 2_000, kept: bool = True):
        from cwm_agent.oracles.backends.transformers.cached_texts import CausalTexts

        self._model, self._name, self._batch, self._frame = model, name, batch, frame
        self._end = model.marks[Mark.END]
        self._texts = CausalTexts(model.network, self._end, kept=kept)
        marks = frozenset(model.marks.values())
        self._vocabulary = FrameTokens(
            model.marks,
            lambda line: model.encode(line + "\n"),  # as Meta's models write source lines
            lambda token: token in model.specials and token not in marks,
        )

    @property
    def name(self) -> str:
        return self._name

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        owners = [query.rollout for query in queries if query.rollout >= 0]
        if len(set(owners)) != len(owners):
            raise ValueError("Two queries of one batch name the same rollout; give each its own number, or -1.")
        texts = [self._text(query) for query in queries]
        fits = [place for place, text in enumerate(texts) if len(text.tokens) + self._frame <= self._model.context]
        found: dict[int, HistoryPrediction] = {}
        kept: list[Batch] = []
        for first in range(0, len(fits), self._batch):
            chosen = fits[first : first + self._batch]
            batch, predictions = self._answer([queries[each] for each in chosen], [texts[each] for each in chosen])
            kept.append(batch)
            found |= dict(zip(chosen, predictions, strict=True))
        self._texts.keep(kept)
        return [found.get(place) or self._full(text) for place, text in enumerate(texts)]

    def _text(self, query: HistoryQuery) -> Text:
        from cwm_agent.oracles.backends.transformers.cached_texts import Text

        ids = prompt_ids(query, self._model.encode, dict(self._model.marks))
        begin = self._model.begin
        head = len(begin) + ids.index(self._model.marks[Mark.FRAME]) + 1
        return Text((*begin, *ids), head, query.rollout)

    def _full(self, text: Text) -> HistoryPrediction:
        return HistoryPrediction(
            Malformed(
                "",
                f"a history of {len(text.tokens)} tokens: with a frame of up to {self._frame} the context of "
                f"{self._model.context} is full; imagine fewer steps, or set frame= lower",
            )
        )

    def _answer(self, queries: Sequence[HistoryQuery], texts: Sequence[Text]) -> tuple[Batch, list[HistoryPrediction]]:
        """Return the batch and a frame for every query, all decoded together."""
        decoders = [FrameDecoder(query.allowed, self._end, self._frame, self._vocabulary) for query in queries]
        try:
            batch, new = self._texts.read(texts)
            self._decode(batch, decoders)
        except RuntimeError as error:  # torch raises it when memory runs out
            raise BackendFailed(f"{self._name} broke: {str(error)[:300]} Try a smaller batch=.") from error
        read = zip(queries, decoders, new, strict=True)
        return batch, [self._prediction(query, decoder, tokens) for query, decoder, tokens in read]

    def _decode(self, batch: Batch, decoders: Sequence[FrameDecoder]) -> None:
        """Decode one frame in every row; a row that is done waits."""
        while True:
            chances = batch.logits.log_softmax(dim=-1).cpu().numpy()
            likeliest = chances.argmax(axis=-1).tolist()
            tokens: list[int | None] = []
            for place, decoder in enumerate(decoders):
                done = decoder.done
                tokens.append(None if done else decoder.choose(likeliest[place], chances[place].__getitem__))
            if all(decoder.done for decoder in decoders):
                return  # the last token is read with the next frame, if there is one
            self._texts.extend(batch, tokens)

    def _prediction(self, query: HistoryQuery, decoder: FrameDecoder, read: int) -> HistoryPrediction:
        parsed = self._parsed(query, decoder.decoded)
        return HistoryPrediction(parsed, decoder.logprob, decoder.action_logprob, read + len(decoder.decoded))

    def _parsed(self, query: HistoryQuery, tokens: Sequence[int]) -> HistoryFrame | Ended | Malformed:
        if tokens[:1] == [self._end]:
            return ENDED
        found = read_ids(query, tokens, self._model.decode, dict(self._model.marks))
        if isinstance(found, Malformed):
            return Malformed(self._model.decode(tokens)[:2_000], found.reason)
        return found
