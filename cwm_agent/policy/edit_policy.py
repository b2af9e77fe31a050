"""`EditPolicy`: the probability of each edit of a program, and edits that the model proposes itself.

    policy = EditPolicy.shipped()
    policy.logprobs(source, edits)             one log-probability per edit, comparable with each other
    policy.proposals(source, 64)               edits from beam search, with their log-probabilities

It sees the source only; the caller combines its numbers with results of tests and runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from cwm_agent.engine import weights
from cwm_agent.engine.tree_scoring import SharedPrompt, TreeScorer
from cwm_agent.engine.weights import TrainedModel
from cwm_agent.policy.edit_notation import MAX_SOURCE, ScoredText, numbered_lines, parse_edit, scored_text
from envs.editing.edit import Edit
from envs.editing.fingerprint import fingerprint
from tasks.reading.program_text import bare_lines

MAX_GAP = 4.5
"""Edits of a location are not scored if the location is by so many nats less likely than the best one."""
UNSCORED_PENALTY = 8.0
"""Nats that such an edit gets below its location."""
MAX_SCORED = 1_500
"""Edits of one program that are scored completely, those with the likeliest beginnings; a long program has 10,000."""
LOOKAHEAD = 2
"""Characters of the change that belong to the beginning of an edit."""
PARTIAL_PENALTY = 6.0
"""Nats that an edit gets below its beginning if only its beginning was scored."""
SHIPPED_NAME = "policy"
"""Name of the weights in the package."""


@dataclass(slots=True)
class _ScoredProgram:
    """A program whose keys and values are computed, and the scores of its edits so far."""

    prompt: SharedPrompt
    lines: list[str]
    prefix_scores: dict[str, float] = field(default_factory=dict)
    """Log-probability that an edit's text begins with each of these texts: a location, or more."""
    edit_scores: dict[ScoredText, float] = field(default_factory=dict)


class EditPolicy:
    """A language model over edits."""

    def __init__(self, model: TrainedModel) -> None:
        self._scorer = TreeScorer(model)
        self.fingerprint = model.fingerprint
        self._program = lru_cache(maxsize=2)(self._encode)

    @classmethod
    def shipped(cls) -> "EditPolicy":
        """The policy whose weights are in the package."""
        return cls(weights.shipped(SHIPPED_NAME))

    @classmethod
    def load(cls, folder: Path | str) -> "EditPolicy":
        """The policy whose weights are in a folder."""
        return cls(weights.load(folder))

    def logprobs(self, source: str, edits: Sequence[Edit]) -> list[float] | None:
        """The log-probability of each edit; None if the program is longer than `MAX_SOURCE`."""
        if len(source) > MAX_SOURCE:
            return None
        program, texts = self._program(source), [scored_text(source, edit) for edit in edits]
        self._score_new(program, [each for each in dict.fromkeys(texts) if each not in program.edit_scores])
        return [program.edit_scores[each] for each in texts]

    def _score_new(self, program: _ScoredProgram, texts: Sequence[ScoredText]) -> None:
        """Score texts completely where their location is likely enough; the others get their location's score less
        a penalty."""
        scores = self._score_prefixes(program, [_location(text.text) for text in texts])
        best = max(program.prefix_scores.values(), default=0.0)
        likely = [text for text, score in zip(texts, scores, strict=True) if score > best - MAX_GAP]
        program.edit_scores.update((text, score - UNSCORED_PENALTY) for text, score in zip(texts, scores, strict=True))
        if len(likely) > MAX_SCORED:
            likely = self._likeliest_beginnings(program, likely)
        program.edit_scores.update(zip(likely, self._score(program, likely), strict=True))

    def _likeliest_beginnings(self, program: _ScoredProgram, texts: Sequence[ScoredText]) -> list[ScoredText]:
        """The texts with the likeliest beginnings; the others get the score of their beginning less a penalty."""
        scores = self._score_prefixes(program, [_beginning(text.text, program.lines) for text in texts])
        ranked = sorted(zip(texts, scores, strict=True), key=lambda pair: -pair[1])
        program.edit_scores.update((text, score - PARTIAL_PENALTY) for text, score in ranked[MAX_SCORED:])
        return [text for text, _ in ranked[:MAX_SCORED]]

    def _score_prefixes(self, program: _ScoredProgram, prefixes: Sequence[str]) -> list[float]:
        """The log-probability that an edit's text begins with each of these texts."""
        new = [each for each in dict.fromkeys(prefixes) if each not in program.prefix_scores]
        scores = self._score(program, [ScoredText(each, False) for each in new])
        program.prefix_scores.update(zip(new, scores, strict=True))
        return [program.prefix_scores[each] for each in prefixes]

    def _score(self, program: _ScoredProgram, texts: Sequence[ScoredText]) -> list[float]:
        whole = [each.whole for each in texts]
        return self._scorer.score(program.prompt, [each.text.encode() for each in texts], whole=whole)

    def proposals(self, source: str, count: int) -> list[tuple[Edit, float]]:
        """Up to `count` edits that give different programs, with their log-probabilities, best first."""
        if len(source) > MAX_SOURCE:
            return []
        seen = {None, fingerprint(source)}
        found: list[tuple[Edit, float]] = []
        for continuation in self._scorer.beam_search(self._program(source).prompt, count):
            edit = parse_edit(continuation.text.decode(errors="replace"), source)
            edited = None if edit is None else fingerprint(edit.apply(source))
            if edit is not None and edited not in seen:
                seen.add(edited)
                found.append((edit, continuation.logprob))
        return found

    def _encode(self, source: str) -> _ScoredProgram:
        return _ScoredProgram(self._scorer.encode(numbered_lines(source).encode()), bare_lines(source))


def _location(text: str) -> str:
    """The part of an edit's text that gives the lines, with its `=` or `+`."""
    return text[: next((index + 1 for index, each in enumerate(text) if each in "=+"), 0)]


def _beginning(text: str, lines: Sequence[str]) -> str:
    """An edit's text up to `LOOKAHEAD` characters behind its first difference from the old line.

    For an inserted line the difference is the first character that is not a blank.
    """
    location = _location(text)
    start = location[:-1].partition("-")[0]
    new = text[len(location) :]
    old = lines[int(start) - 1] if location.endswith("=") else " " * len(new)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    return text[: len(location) + same + LOOKAHEAD]
