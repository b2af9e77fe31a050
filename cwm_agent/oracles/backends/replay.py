"""History oracles without a model: they replay real runs, exactly or with errors at known rates, to test measurements.

A replay answers by position: it returns the frame of the real run with the same index. An error is therefore one wrong
frame and does not change the later ones, so the error rates are exact.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b
from random import Random
from typing import Literal

from cwm_agent.oracles.history_protocol import ENDED, Action, HistoryOracle, HistoryPrediction, HistoryQuery, Malformed
from cwm_agent.oracles.wrappers.noise import Rates, wrong_text
from cwm_agent.views.history.action_places import ActionPlaces
from cwm_agent.views.history.history_state import standing_after
from envs.execution.decompose.program import Program
from envs.execution.state.history_frames import History, HistoryFrame

Kind = Literal["iid", "systematic"]
RealHistoryOf = Callable[[Program, HistoryFrame], History | None]
"""Returns the real run of a program from its call; None if there is none."""


class ReplayOracle:
    """Answers with the real next frame; the upper bound of every experiment on histories."""

    def __init__(self, tell: RealHistoryOf) -> None:
        self._tell = tell

    @property
    def name(self) -> str:
        return "exact"

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        return [self._next(query) for query in queries]

    def _next(self, query: HistoryQuery) -> HistoryPrediction:
        real = self._tell(query.program, query.frames[0])
        if real is None:
            return HistoryPrediction(Malformed("", "a call whose real run is not known"))
        index = len(query.frames)
        if index < len(real.frames):
            return HistoryPrediction(real.frames[index], 0.0, 0.0)
        if index == len(real.frames) and real.outcome.ending != "truncated":
            return HistoryPrediction(ENDED, 0.0, 0.0)
        return HistoryPrediction(Malformed("", "more frames than the real run has"))


class NoisyReplay:
    """Passes on the answers of another oracle, some of them with another line or another value."""

    def __init__(self, inner: HistoryOracle, rates: Rates, kind: Kind, seed: int = 0) -> None:
        self._inner, self._rates, self._kind, self._seed = inner, rates, kind, seed
        self._rng = Random(seed)

    @property
    def name(self) -> str:
        rates = f"action={self._rates.action:g},state={self._rates.state:g},seed={self._seed}"
        return f"noisy:{self._kind}:{rates}({self._inner.name})"

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        return [self._disturbed(*pair) for pair in zip(queries, self._inner.continue_(queries), strict=True)]

    def _disturbed(self, query: HistoryQuery, prediction: HistoryPrediction) -> HistoryPrediction:
        frame = prediction.said
        if not isinstance(frame, HistoryFrame):
            return prediction
        rng = self._rng if self._kind == "iid" else Random(self._fingerprint(query))
        wrong_action, wrong_state = rng.random() < self._rates.action, rng.random() < self._rates.state
        if wrong_state:
            frame = _wrong_state(frame, rng)
        if wrong_action and query.given is None:
            frame = _wrong_action(query, frame, rng)
        return replace(prediction, said=frame)

    def _fingerprint(self, query: HistoryQuery) -> int:
        about = (self._seed, query.program.source, query.frames[0], len(query.frames), query.frames[-1])
        return int.from_bytes(blake2b(repr(about).encode("utf-8", "replace"), digest_size=8).digest())


def _wrong_state(frame: HistoryFrame, rng: Random) -> HistoryFrame:
    """Return the frame with one value changed; unchanged if it shows no value."""
    if frame.arg is not None:
        return replace(frame, arg=wrong_text(frame.arg, rng))
    for place in rng.sample(range(len(frame.locals)), len(frame.locals)):
        name, text = frame.locals[place]
        changed = wrong_text(text, rng)
        if changed != text:
            rows = (*frame.locals[:place], (name, changed), *frame.locals[place + 1 :])
            return replace(frame, locals=rows)
    return frame


def _wrong_action(query: HistoryQuery, frame: HistoryFrame, rng: Random) -> HistoryFrame:
    """Return the frame with another line of the program; an allowed one if the query limits the lines."""
    if frame.event != "line":
        return frame
    places = ActionPlaces.of(query.program)
    standing = standing_after(query.frames)
    choices = query.allowed or {Action("line", text) for text in places.written}
    others = sorted(each.text for each in choices if each.event == "line" and each.text != frame.action)
    if not others:
        return frame
    text = rng.choice(others)
    depth, lines = places.located(standing, "line", text)
    return replace(frame, action=text, lines=lines, depth=depth)
