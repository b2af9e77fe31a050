"""The model that comes with the package, as an oracle: renders a query as text, runs the engine, parses the answer."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cwm_agent.oracles.answer_stream import BatchedStream
from cwm_agent.oracles.backends.answer_guesses import FIRST_GUESSES
from cwm_agent.oracles.protocol import USUAL_WIDTH, Answer, BackendFailed, Malformed, Prediction, Query, Unanswerable
from cwm_agent.views.local import local_view
from cwm_agent.views.local.effect_text import MalformedAnswer, ShownQuestion
from cwm_agent.views.program import program_view
from envs.execution.state.effects import Effect
from envs.execution.state.value_grammar import Unsupported

if TYPE_CHECKING:
    from cwm_agent.engine.decoding.continuous_batching import Completion, ContinuousBatch, Prompt
    from cwm_agent.engine.engine import Engine
    from cwm_agent.engine.network import Network
    from cwm_agent.engine.weights import TrainedModel

LONGEST_QUESTION = 800
"""Longest question in the training data, in bytes; the oracle does not ask the model about longer ones."""
LONGEST_ANSWER = 560
"""Longest answer in the training data, in bytes: a table of 52 letters fits. Longer ones are cut."""
LIBRARY_WIDTH = 6
"""Rollouts of a search at once where a library computes passes."""


class EmbeddedOracle:
    """Asks an engine; gives Malformed if the answer cannot be parsed, Unanswerable if the query cannot be rendered."""

    def __init__(self, engine: Engine, name: str = "embedded", folder: str | None = None) -> None:
        """`folder` holds the weights of the engine; None is the shipped ones."""
        self._engine = engine
        self._name = name
        self._folder = folder
        engine.add_drafts(FIRST_GUESSES)

    def forget(self) -> None:
        """Drop the engine's caches, so that the order of a stream's answers depends only on its queries."""
        self._engine.reset_caches()
        self._engine.add_drafts(FIRST_GUESSES)

    @classmethod
    def load(cls, folder: str | None = None) -> EmbeddedOracle:
        """Load the shipped weights, or those of a folder; on an accelerator if there is one."""
        from cwm_agent.engine import weights
        from cwm_agent.engine.engine import Engine

        try:
            model = weights.shipped() if folder is None else weights.load(folder)
        except weights.WeightsError as error:
            raise BackendFailed(str(error)) from error
        engine = Engine(model, device="auto")
        return cls(engine, _name(engine), folder)

    def trained_model(self) -> TrainedModel:
        """The model as it was trained, in a copy of its own."""
        from cwm_agent.engine import weights

        return weights.shipped() if self._folder is None else weights.load(self._folder)

    def use_weights(self, network: Network, fingerprint: str) -> None:
        """Answer with other weights of the same shape; the name changes with them, and the engine's caches go."""
        self._engine.replace_weights(network, fingerprint)
        self._engine.add_drafts(FIRST_GUESSES)
        self._name = _name(self._engine)

    @property
    def name(self) -> str:
        return self._name

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        asked = [_asked(query) for query in queries]
        found: dict[int, Prediction] = {
            index: Prediction(each) for index, each in enumerate(asked) if isinstance(each, Unanswerable)
        }
        ready = [(index, each) for index, each in enumerate(asked) if isinstance(each, ShownQuestion)]
        asking = [(queries[index], each) for index, each in ready]
        for (index, each), completed in zip(ready, self._completions(asking), strict=True):
            found[index] = _prediction(queries[index], each, *completed)
        return [found[index] for index in range(len(queries))]

    def scores(self, query: Query, effects: Sequence[Effect]) -> list[float] | Unanswerable:
        """The log-probability that the model gives each effect, written without a scratchpad, in the local view."""
        asked = _asked(replace(query, view="local"))
        if isinstance(asked, Unanswerable):
            return asked
        texts = [local_view.effect_answer(asked, effect).encode() for effect in effects]
        return [each.logprob for each in self._engine.score([_question(asked, b"")] * len(texts), texts)]

    @property
    def search_width(self) -> int:
        """Few where a library computes passes: it is as fast with few rows, and the likeliest candidates end sooner."""
        return LIBRARY_WIDTH if self._engine.forward_pass.is_native else USUAL_WIDTH

    def stream(self) -> EmbeddedStream:
        """A stream over the engine's continuous batching."""
        return EmbeddedStream(self, self._engine)

    def _completions(self, asked: Sequence[tuple[Query, ShownQuestion]]) -> list[tuple[bytes, Completion]]:
        """Return the model's answers; if an answer's line is not allowed, ask again with the best allowed line."""
        free = self._engine.complete([_question(each, b"") for _, each in asked], max_tokens=LONGEST_ANSWER)
        found = [(b"", completion) for completion in free]
        wrong = [at for at, (query, _) in enumerate(asked) if query.lines and not _allowed(query, free[at])]
        begun = [self._best_line(*asked[at]) for at in wrong]
        again = self._engine.complete(
            [_question(asked[at][1], start) for at, start in zip(wrong, begun, strict=True)], max_tokens=LONGEST_ANSWER
        )
        for at, start, completion in zip(wrong, begun, again, strict=True):
            found[at] = (start, completion)
        return found

    def _best_line(self, query: Query, asked: ShownQuestion) -> bytes:
        """Return the allowed line with the highest probability; only the first row of the answer is scored."""
        assert query.lines
        choices = [str(line).encode() + b"\n" for line in sorted(query.lines)]
        if len(choices) > 1:
            scores = self._engine.score([_question(asked, b"")] * len(choices), choices)
            choices.sort(key=dict(zip(choices, (score.logprob for score in scores), strict=True)).__getitem__)
        return choices[-1].rstrip()


def _name(engine: Engine) -> str:
    return f"embedded:{engine.fingerprint[:12]}"


class EmbeddedStream:
    """Queries under way in one engine; those with allowed lines are asked as a list, since some need two passes."""

    def __init__(self, oracle: EmbeddedOracle, engine: Engine) -> None:
        self._bounded: BatchedStream[Hashable] = BatchedStream(oracle)
        self._answering: ContinuousBatch[tuple[Hashable, Query, ShownQuestion]]
        self._answering = engine.continuous_batch(max_tokens=LONGEST_ANSWER)
        self._known: list[tuple[Hashable, Prediction]] = []

    def __len__(self) -> int:
        return len(self._bounded) + len(self._answering) + len(self._known)

    def ask(self, key: Hashable, query: Query) -> None:
        if query.lines:
            self._bounded.ask(key, query)
            return
        asked = _asked(query)
        if isinstance(asked, Unanswerable):
            self._known.append((key, Prediction(asked)))
        else:
            self._answering.add_request((key, query, asked), _question(asked, b""))

    def advance(self) -> list[tuple[Hashable, Prediction]]:
        if ready := [*self._known, *self._bounded.advance()]:
            self._known = []
            return ready
        completed = self._answering.next_completions()
        return [(key, _prediction(query, asked, b"", each)) for (key, query, asked), each in completed]


def _allowed(query: Query, completion: Completion) -> bool:
    """Whether the answer names an allowed line; an answer without a line raises, which is always allowed."""
    assert query.lines
    first = completion.text.partition(b"\n")[0]
    return not first.isdigit() or int(first) in query.lines


def _asked(query: Query) -> ShownQuestion | Unanswerable:
    try:
        asked = _shown(query)
    except Unsupported as error:
        return Unanswerable(str(error))
    if len(asked.text) > LONGEST_QUESTION:
        return Unanswerable(f"a question of {len(asked.text)} characters")
    return asked


def _shown(query: Query) -> ShownQuestion:
    if query.view == "program":
        return program_view.ask(query.program, query.frame)
    if query.question is None:
        raise Unsupported("a next line, which the local view does not name")
    return local_view.ask(query.question)


def _question(asked: ShownQuestion, begun: bytes) -> Prompt:
    from cwm_agent.engine.decoding.continuous_batching import Prompt

    return Prompt(asked.text.encode(), asked.context.encode(), begun)


def _prediction(query: Query, asked: ShownQuestion, begun: bytes, completion: Completion) -> Prediction:
    tokens = len(asked.text) + completion.tokens
    text = (begun + completion.text).decode("utf-8", errors="replace")
    if not completion.finished:
        return Prediction(Malformed(text, "an answer that does not end"), completion.logprob, tokens)
    try:
        if query.view == "local":
            return Prediction(Answer(local_view.effect(asked, text)), completion.logprob, tokens)
        parsed = program_view.read_answer(asked, text)
        return Prediction(Answer(parsed.effect, parsed.line), completion.logprob, tokens)
    except MalformedAnswer as error:
        return Prediction(Malformed(text, str(error)), completion.logprob, tokens)
