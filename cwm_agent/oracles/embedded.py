"""The model that comes with the package, as an oracle: views to text, text through the engine, answers back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cwm_agent.oracles.protocol import Answer, BackendFailed, Malformed, Prediction, Query
from cwm_agent.views import local
from cwm_agent.views import program as program_view
from cwm_agent.views.answers import Asked, MalformedAnswer
from envs.execution.values import Unsupported

if TYPE_CHECKING:
    from cwm_agent.embedded.engine import Answer as Said
    from cwm_agent.embedded.engine import Engine
    from cwm_agent.embedded.engine import Query as EngineQuery

LONGEST_QUESTION = 800
"""Bytes of a question beyond which the model was never trained; asked all the same it would only make things up."""
LONGEST_ANSWER = 400


class EmbeddedOracle:
    """Asks an engine; says Malformed where a question cannot be asked or an answer cannot be read."""

    def __init__(self, engine: Engine, name: str = "embedded") -> None:
        self._engine = engine
        self._name = name

    @classmethod
    def load(cls, folder: str | None = None) -> EmbeddedOracle:
        """The shipped weights, or those of a folder."""
        from cwm_agent.embedded import weights
        from cwm_agent.embedded.engine import Engine

        try:
            model = weights.shipped() if folder is None else weights.load(folder)
        except weights.WeightsError as error:
            raise BackendFailed(str(error)) from error
        engine = Engine(model)
        return cls(engine, f"embedded:{engine.fingerprint[:12]}")

    @property
    def name(self) -> str:
        return self._name

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        asked = [_asked(query) for query in queries]
        found: dict[int, Prediction] = {
            index: Prediction(each) for index, each in enumerate(asked) if isinstance(each, Malformed)
        }
        ready = [(index, each) for index, each in enumerate(asked) if isinstance(each, Asked)]
        begun = self._begun([(queries[index], each) for index, each in ready])
        said = self._engine.answer(
            [_question(each, start) for (_, each), start in zip(ready, begun, strict=True)], limit=LONGEST_ANSWER
        )
        for (index, each), start, words in zip(ready, begun, said, strict=True):
            found[index] = _prediction(queries[index], each, start, words)
        return [found[index] for index in range(len(queries))]

    def _begun(self, asked: Sequence[tuple[Query, Asked]]) -> list[bytes]:
        """The part of each answer that a guide decides: among several allowed lines the one the model likes best."""
        return [self._line(query, each) if query.lines and query.view == "program" else b"" for query, each in asked]

    def _line(self, query: Query, asked: Asked) -> bytes:
        assert query.lines
        choices = [str(line).encode() for line in sorted(query.lines)]
        if len(choices) == 1:
            return choices[0]
        scores = self._engine.score([_question(asked, b"")] * len(choices), choices)
        return max(zip(scores, choices, strict=True), key=lambda pair: pair[0].logprob)[1]


def _asked(query: Query) -> Asked | Malformed:
    try:
        asked = _shown(query)
    except Unsupported as error:
        return Malformed("", str(error))
    if len(asked.text) > LONGEST_QUESTION:
        return Malformed("", f"a question of {len(asked.text)} characters")
    return asked


def _shown(query: Query) -> Asked:
    if query.view == "program":
        return program_view.ask(query.program, query.frame)
    if query.view == "history":
        raise Unsupported("the history view, which these weights were not trained for")
    if query.question is None:
        raise Unsupported("a next line, which the local view does not say")
    return local.ask(query.question)


def _question(asked: Asked, begun: bytes) -> EngineQuery:
    from cwm_agent.embedded.engine import Query as EngineQuery

    return EngineQuery(asked.text.encode(), asked.context.encode(), begun)


def _prediction(query: Query, asked: Asked, begun: bytes, said: Said) -> Prediction:
    tokens = len(asked.text) + said.tokens
    text = (begun + said.text).decode("utf-8", errors="replace")
    if not said.finished:
        return Prediction(Malformed(text, "an answer that does not end"), said.logprob, tokens)
    try:
        if query.view == "local":
            return Prediction(Answer(local.effect(asked, text)), said.logprob, tokens)
        told = program_view.said(asked, text)
        return Prediction(Answer(told.effect, told.line), said.logprob, tokens)
    except MalformedAnswer as error:
        return Prediction(Malformed(text, str(error)), said.logprob, tokens)
