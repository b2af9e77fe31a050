"""The policy asked: how likely is each edit of a program the one it wants, and which edits come to its mind.

    policy = EditPolicy.shipped()
    policy.logprobs(source, edits)             one number for each edit, all on one scale
    policy.proposals(source, 64)               edits of its own, with the same numbers

Reads the program alone; what tests and runs say is weighed by who asks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from cwm_agent.engine import weights
from cwm_agent.engine.tree_scoring import TreeScoring, Trunk
from cwm_agent.engine.weights import TrainedModel
from cwm_agent.policy.edit_notation import LONGEST, Told, edit_of, numbered, told
from envs.editing.edit import Edit
from envs.editing.fingerprint import fingerprint

UNLIKELY = 4.5
"""A place is not looked at if it is so much less likely than the likeliest, in nats."""
UNREAD = 8.0
"""What an edit of such a place costs beside its place."""
MOST_READ = 1_500
"""Edits of one program that are read whole, those that begin most likely: a long program has ten thousand."""
GLANCE = 2
"""Characters of a change by which it is told whether it begins so."""
BARELY_READ = 6.0
"""What an edit costs, beside its beginning, that is not among those."""
NAME = "policy"
"""Of the weights that come with the package."""


@dataclass(slots=True)
class _Program:
    """A program that was read, and what was said of its edits."""

    trunk: Trunk
    lines: list[str]
    begun: dict[str, float] = field(default_factory=dict)
    """How likely an edit's text is to begin with each text that was asked about: a place, or more."""
    known: dict[Told, float] = field(default_factory=dict)


class EditPolicy:
    """A language model of edits."""

    def __init__(self, model: TrainedModel) -> None:
        self._branching = TreeScoring(model)
        self.fingerprint = model.fingerprint
        self._program = lru_cache(maxsize=2)(self._read)

    @classmethod
    def shipped(cls) -> "EditPolicy":
        """The policy that comes with the package."""
        return cls(weights.shipped(NAME))

    @classmethod
    def load(cls, folder: Path | str) -> "EditPolicy":
        """The policy in a folder of weights."""
        return cls(weights.load(folder))

    def logprobs(self, source: str, edits: Sequence[Edit]) -> list[float] | None:
        """The log-probability of each edit; None where the program is too long to be read."""
        if len(source) > LONGEST:
            return None
        read, texts = self._program(source), [told(source, edit) for edit in edits]
        self._ask(read, [each for each in dict.fromkeys(texts) if each not in read.known])
        return [read.known[each] for each in texts]

    def _ask(self, read: "_Program", texts: Sequence[Told]) -> None:
        """Score texts, whole ones only where the place is likely enough; the rest are as unlikely as their place."""
        places = [_place(text.text) for text in texts]
        chances = self._begun(read, places)
        best = max(read.begun.values(), default=0.0)
        likely = [text for text, chance in zip(texts, chances, strict=True) if chance > best - UNLIKELY]
        read.known.update((text, chance - UNREAD) for text, chance in zip(texts, chances, strict=True))
        if len(likely) > MOST_READ:
            likely = self._chosen(read, likely)
        read.known.update(zip(likely, self._scored(read, likely), strict=True))

    def _chosen(self, read: "_Program", texts: Sequence[Told]) -> list[Told]:
        """The texts that begin most likely; the others are only a little less likely than their beginnings."""
        chances = self._begun(read, [_beginning(text.text, read.lines) for text in texts])
        ranked = sorted(zip(texts, chances, strict=True), key=lambda pair: -pair[1])
        read.known.update((text, chance - BARELY_READ) for text, chance in ranked[MOST_READ:])
        return [text for text, _ in ranked[:MOST_READ]]

    def _begun(self, read: "_Program", beginnings: Sequence[str]) -> list[float]:
        """How likely it is that an edit's text begins with each of these."""
        new = [each for each in dict.fromkeys(beginnings) if each not in read.begun]
        read.begun.update(zip(new, self._scored(read, [Told(each, False) for each in new]), strict=True))
        return [read.begun[each] for each in beginnings]

    def _scored(self, read: "_Program", texts: Sequence[Told]) -> list[float]:
        whole = [each.whole for each in texts]
        return self._branching.score(read.trunk, [each.text.encode() for each in texts], whole=whole)

    def proposals(self, source: str, count: int) -> list[tuple[Edit, float]]:
        """Up to so many different edits, with their log-probabilities, the likeliest first."""
        if len(source) > LONGEST:
            return []
        seen = {None, fingerprint(source)}
        found: list[tuple[Edit, float]] = []
        for branch in self._branching.search(self._program(source).trunk, count):
            edit = edit_of(branch.text.decode(errors="replace"), source)
            made = None if edit is None else fingerprint(edit.apply(source))
            if edit is not None and made not in seen:
                seen.add(made)
                found.append((edit, branch.logprob))
        return found

    def _read(self, source: str) -> "_Program":
        return _Program(self._branching.read(numbered(source).encode()), source.splitlines())


def _place(text: str) -> str:
    """The part of an edit's text that says where."""
    return text[: next((at + 1 for at, each in enumerate(text) if each in "=+"), 0)]


def _beginning(text: str, lines: Sequence[str]) -> str:
    """An edit's text up to a little behind where it leaves the old line, or the blanks before an inserted one."""
    place = _place(text)
    start = place[:-1].partition("-")[0]
    new = text[len(place) :]
    old = lines[int(start) - 1] if place.endswith("=") else " " * len(new)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    return text[: len(place) + same + GLANCE]
