"""The small history model that comes with the package, as a history oracle; keeps a KV cache for each rollout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cwm_agent.oracles.backends.frame_decoding import FrameDecoder, text_of
from cwm_agent.oracles.history_protocol import ENDED, HistoryPrediction, HistoryQuery, Malformed
from cwm_agent.oracles.protocol import BackendFailed
from cwm_agent.views.history.byte_marks import answer, pieces_of, question
from cwm_agent.views.history.frame_reader import Ended, FrameReader
from cwm_agent.views.history.history_state import HistoryState, standing_after
from cwm_agent.views.local.effect_text import MalformedAnswer
from envs.execution.decompose.program import Program
from envs.execution.state.history_frames import HistoryFrame

if TYPE_CHECKING:
    from cwm_agent.engine.weights import TrainedModel

LONGEST_FRAME = 2_000
"""Most bytes of a frame unless asked otherwise; a longer one is cut off."""
LONGEST_HISTORY = 30_000
"""Longest history in bytes that the model is asked to continue; memory sets this limit, not training."""


@dataclass(slots=True)
class _Row:
    """The part of one rollout that the model has read."""

    program: Program
    frames: tuple[HistoryFrame, ...]
    standing: HistoryState
    length: int
    """Bytes read and written."""
    written: HistoryFrame | None = None
    """The frame that the model itself wrote after these frames, and so has read; None if it wrote no frame."""

    def continued_by(self, query: HistoryQuery) -> bool:
        """Whether a query extends this row: it has the same earlier frames and the frame that the model wrote."""
        read = len(self.frames)
        following = query.frames[read : read + 1]
        return query.program == self.program and following == (self.written,) and query.frames[:read] == self.frames


class EmbeddedHistory:
    """Continues histories; keeps the KV cache of a rollout until that rollout ends."""

    def __init__(
        self,
        model: TrainedModel,
        *,
        name: str = "embedded",
        precision: str = "auto",
        device: str = "auto",
        longest_frame: int = LONGEST_FRAME,
    ) -> None:
        """Where frames are short, a small `longest_frame` (bytes) cuts off early a model that never ends one."""
        from cwm_agent.engine.heavy_imports import without_collections
        from cwm_agent.engine.precision import chosen_device, chosen_types

        with without_collections():
            import torch

            from cwm_agent.engine.decoding.token_streams import TokenStreams
            from cwm_agent.engine.forward_pass import ForwardPass

        place = chosen_device(device)
        values, _ = chosen_types(precision, place, model.shape)  # type: ignore[arg-type]
        # No int8: one error is carried on to the end.
        reader = ForwardPass(model.network, dtype=getattr(torch, values), device=torch.device(place))
        self._encoding = model.tokenizer
        self._texts = TokenStreams(reader)
        self._rows: dict[int, _Row] = {}
        """Rows by rollout number, in the order of the texts."""
        self._name = name
        self._longest_frame = longest_frame

    @classmethod
    def load(cls, folder: str | None = None, *, longest_frame: int = LONGEST_FRAME) -> EmbeddedHistory:
        """Load the shipped weights of the history view, or those of a folder, on an accelerator where there is one."""
        from cwm_agent.engine import weights

        try:
            model = weights.shipped("history") if folder is None else weights.load(folder)
        except weights.WeightsError as error:
            raise BackendFailed(str(error)) from error
        return cls(model, name=f"embedded-history:{model.fingerprint[:12]}", longest_frame=longest_frame)

    @property
    def name(self) -> str:
        return self._name

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        numbers = [query.rollout if query.rollout >= 0 else -1 - place for place, query in enumerate(queries)]
        if len(set(numbers)) != len(numbers):
            raise ValueError("Two queries of one batch name the same rollout; give each its own number, or -1.")
        fresh = self._follow(dict(zip(numbers, queries, strict=True)))
        rows = list(self._rows.values())
        decoders = [FrameDecoder(query.allowed, self._encoding.end, self._longest_frame) for query in queries]
        for row, decoder in zip(rows, decoders, strict=True):
            decoder.done = row.length > LONGEST_HISTORY
        self._decode(decoders)
        found = [self._prediction(*each) for each in zip(queries, rows, decoders, fresh, strict=True)]
        if any(number < 0 for number in numbers):
            self._keep([number for number in self._rows if number >= 0])
        return found

    def _follow(self, queries: dict[int, HistoryQuery]) -> list[int]:
        """Make one row for each query, in their order, and return how many tokens were newly read for each."""
        known = [n for n, row in self._rows.items() if n in queries and row.continued_by(queries[n])]
        self._keep(known)
        read = dict.fromkeys(queries, 0)
        new = [number for number in queries if number not in known]
        prompts = [self._prompt(queries[number]) for number in new]
        self._texts.add_rows(prompts)
        for number, prompt in zip(new, prompts, strict=True):
            query = queries[number]
            self._rows[number] = _Row(query.program, query.frames, standing_after(query.frames), len(prompt))
            read[number] = len(prompt)
        self._keep(list(queries))
        self._catch_up(queries, read)
        return list(read.values())

    def _keep(self, numbers: list[int]) -> None:
        """Keep only these rollouts, in this order."""
        places = {number: place for place, number in enumerate(self._rows)}
        self._texts.keep_rows([places[number] for number in numbers])
        self._rows = {number: self._rows[number] for number in numbers}

    def _prompt(self, query: HistoryQuery) -> list[int]:
        text = answer(query.frames[1:], standing_after(query.frames[:1]))
        return self._encoding.prompt(question(query.program, query.frames[0]), text)

    def _catch_up(self, queries: dict[int, HistoryQuery], read: dict[int, int]) -> None:
        """Read the frames of a rollout that the model did not write itself."""
        waiting: dict[int, bytes] = {}
        for number, query in queries.items():
            row = self._rows[number]
            missed = query.frames[len(row.frames) :]
            if row.written is not None:
                row.standing, missed = row.standing.then(row.written), missed[1:]
            waiting[number] = answer(missed, row.standing)
            for frame in missed:
                row.standing = row.standing.then(frame)
            row.frames, row.written = query.frames, None
            row.length += len(waiting[number])
            read[number] += len(waiting[number])
        for place in range(max(map(len, waiting.values()), default=0)):
            self._texts.append([text[place] if place < len(text) else None for text in waiting.values()])

    def _decode(self, decoders: Sequence[FrameDecoder]) -> None:
        """Decode one frame in every row; the last token of a frame is read too, so that the next frame can begin."""
        while not all(decoder.done for decoder in decoders):
            chances = self._texts.log_probs().numpy()
            likeliest = chances.argmax(axis=-1).tolist()
            tokens: list[int | None] = []
            for place, decoder in enumerate(decoders):
                if decoder.done:
                    tokens.append(None)
                    continue
                tokens.append(decoder.choose(likeliest[place], chances[place].__getitem__))
            self._texts.append(tokens)

    def _prediction(self, query: HistoryQuery, row: _Row, decoder: FrameDecoder, read: int) -> HistoryPrediction:
        row.length += len(decoder.decoded)
        parsed = self._parsed(query, row, decoder)
        row.written = parsed if isinstance(parsed, HistoryFrame) else None
        return HistoryPrediction(parsed, decoder.logprob, decoder.action_logprob, read + len(decoder.decoded))

    def _parsed(self, query: HistoryQuery, row: _Row, decoder: FrameDecoder) -> HistoryFrame | Ended | Malformed:
        if not decoder.decoded:
            return Malformed("", f"a history of {row.length} bytes; the model is asked about {LONGEST_HISTORY} at most")
        if decoder.decoded == [self._encoding.end]:
            return ENDED
        text = text_of(decoder.decoded)
        reader = FrameReader(query.program, row.standing)
        try:
            for piece in pieces_of(text):
                if (frame := reader.feed(piece)) is not None:
                    return frame
        except MalformedAnswer as error:
            return Malformed(text.decode("utf-8", "replace"), str(error))
        return Malformed(text.decode("utf-8", "replace"), "a frame that does not end")
