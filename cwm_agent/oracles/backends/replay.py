"""History oracles without a model: real runs told again, exactly or wrong at known rates, to test the instruments.

A replay answers by position: the frame at which the real run stands after as many events. An error it makes is
therefore one wrong frame and not a run that goes on differently; rates are exact because of that.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b
from random import Random
from typing import Literal

from cwm_agent.oracles.history_protocol import ENDED, Action, HistoryPrediction, HistoryQuery, Malformed
from cwm_agent.oracles.wrappers.noise import Rates, wrong_text
from cwm_agent.views.history.action_places import ActionPlaces
from cwm_agent.views.history.history_state import standing_after
from envs.execution.decompose.program import Program
from envs.execution.state.history_frames import History, HistoryFrame

Kind = Literal["iid", "systematic"]
Tell = Callable[[Program, HistoryFrame], History | None]
"""The real run of a program from its call; None where there is none."""


class ReplayOracle:
    """Says what really came next; the ceiling of every experiment on histories."""

    def __init__(self, tell: Tell) -> None:
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
    """Passes on what a replay says, some of it with another line or another value."""

    def __init__(self, inner: ReplayOracle, rates: Rates, kind: Kind, seed: int = 0) -> None:
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
    """The frame with one value changed; unchanged where it shows none."""
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
    """The frame with another line of the program; among those allowed where some are."""
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
