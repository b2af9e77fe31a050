"""Adds errors to an oracle at known rates: to test measurements, and to find how good a model must be.

`iid` draws an error anew for each query. `systematic` derives it from the query alone: the same query gets the same
error, as with a greedy model.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from random import Random
from typing import Literal

from cwm_agent.oracles.protocol import Answer, Oracle, Prediction, Query, is_deterministic
from envs.execution.state.effects import Effect
from envs.execution.syntax.program_structure import is_silent

Kind = Literal["iid", "systematic"]
_PART = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![#\w.])-?\d+(?:\.\d+)?(?![\w.])|\b(?:True|False|None)\b""",
    re.DOTALL,
)


class BadRates(ValueError):
    """An error rate that is no share."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Error rates of an answer: of its next line, and of its effect."""

    action: float = 0.0
    state: float = 0.0

    def __post_init__(self) -> None:
        for name, rate in (("action", self.action), ("state", self.state)):
            if not 0.0 <= rate <= 1.0:
                raise BadRates(f"The {name} rate is {rate}; give a share from 0 to 1.")


class NoisyOracle:
    """Passes on another oracle's answers, some of them changed."""

    def __init__(self, inner: Oracle, rates: Rates, kind: Kind, seed: int = 0) -> None:
        self._inner = inner
        self._rates = rates
        self._kind = kind
        self._seed = seed
        self._rng = Random(seed)

    @property
    def deterministic(self) -> bool:
        return self._kind == "systematic" and is_deterministic(self._inner)

    @property
    def name(self) -> str:
        rates = f"action={self._rates.action:g},state={self._rates.state:g},seed={self._seed}"
        return f"noisy:{self._kind}:{rates}({self._inner.name})"

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [self._disturbed(*pair) for pair in zip(queries, self._inner.imagine(queries), strict=True)]

    def _disturbed(self, query: Query, prediction: Prediction) -> Prediction:
        if not isinstance(prediction.said, Answer):
            return prediction
        rng = self._rng if self._kind == "iid" else Random(self._fingerprint(query))
        wrong_action, wrong_state = rng.random() < self._rates.action, rng.random() < self._rates.state
        answer = prediction.said
        if wrong_state and query.question is not None:  # a branch computes nothing that could be wrong
            loop = query.question.statement.startswith("for ")
            answer = replace(answer, effect=_wrong_effect(answer.effect, rng, loop))
        if wrong_action and answer.line is not None:
            answer = replace(answer, line=_wrong_line(query, answer.line, rng))
        return replace(prediction, said=answer)

    def _fingerprint(self, query: Query) -> int:
        """Return the query as a number, for a line from what it reads alone: the same line gets the same error."""
        about = query.question if query.view == "local" else (query.program.source, query.frame)
        return int.from_bytes(blake2b(f"{self._seed}|{about!r}".encode(), digest_size=8).digest())


def _wrong_line(query: Query, line: int, rng: Random) -> int:
    """Return another line of the same function; an allowed one if the query limits the lines."""
    places = query.program.layout.places
    here = places[query.frame.line].function
    steps = [number for number, place in places.items() if place.function == here and not is_silent(place.node)]
    others = sorted(set(query.lines or steps) - {line})
    return rng.choice(others) if others else line


def _wrong_effect(effect: Effect, rng: Random, loop: bool) -> Effect:
    """Return the effect with one value changed; if it holds none, with an exception that was not raised.

    A rule sets a loop's position, so a change to that would be no error.
    """
    choices = [("bound", index) for index in range(len(effect.bound))]
    choices += [] if loop else [("contents", index) for index in range(len(effect.contents))]
    rng.shuffle(choices)
    for field, index in choices:
        rows = list(getattr(effect, field))
        key, text = rows[index]
        changed = wrong_text(text, rng)
        if changed != text:
            rows[index] = (key, changed)
            return replace(effect, bound=tuple(rows)) if field == "bound" else replace(effect, contents=tuple(rows))
    return replace(effect, raised="ValueError('imagined')" if effect.raised is None else None)


def wrong_text(text: str, rng: Random) -> str:
    """Return a value's text with one literal replaced by a near one."""
    parts = list(_PART.finditer(text))
    if not parts:
        return "None" if text != "None" and not text.startswith(("#", "[", "{", "(")) else text
    part = rng.choice(parts)
    return text[: part.start()] + _near(part[0], rng) + text[part.end() :]


def _near(literal: str, rng: Random) -> str:
    if literal in ("True", "False"):
        return "False" if literal == "True" else "True"
    if literal == "None":
        return "0"
    if literal[0] in "'\"":
        inner = literal[1:-1]
        return f"{literal[0]}{inner[:-1]}{literal[0]}" if inner and "\\" not in inner else "'x'"
    if "." in literal:
        return repr(float(literal) + rng.choice((-1.0, 1.0)))
    return str(int(literal) + rng.choice((-1, 1)))
