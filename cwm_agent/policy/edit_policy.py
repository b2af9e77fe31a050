"""`EditPolicy`: the probability of each edit of a program, and edits that the model proposes itself.

    policy = EditPolicy.shipped()
    policy.logprobs(source, edits)             one log-probability per edit, comparable with each other
    policy.proposals(source, 64)               edits from beam search, with their log-probabilities

It sees the source only; the caller combines its numbers with results of tests and runs.
"""

from collections.abc import Iterable, Mapping, Sequence
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
MOST_COMPLETE = 1_500
"""Edits of one program that are scored to their end, those with the likeliest beginnings; a long program has 10,000."""
LOOKAHEAD = 2
"""Characters of the change that belong to the beginning of an edit."""
PARTIAL_PENALTY = 6.0
"""Nats that an edit gets below its beginning if only its beginning was scored."""
PROMPTS_KEPT, PROGRAMS_KEPT = 2, 4
"""Programs whose keys and values are kept (24.6 KB a byte), and whose scores are: the buggy one, and those between the
edits of a patch."""
SHIPPED_NAME = "policy"
"""Name of the weights in the package."""


@dataclass(slots=True)
class _ScoredProgram:
    """A program, and the scores of its edits so far."""

    source: str
    lines: list[str]
    texts: dict[Edit, ScoredText] = field(default_factory=dict)
    """The scored text of each edit so far: the same edits are scored in several stages."""
    scores: dict[ScoredText, float] = field(default_factory=dict)
    """Log-probability of texts, whole ones and beginnings."""

    def text_of(self, edit: Edit) -> ScoredText:
        """The part of an edit's text that is scored."""
        found = self.texts.get(edit)
        if found is None:
            found = self.texts[edit] = scored_text(self.source, edit)
        return found


class EditPolicy:
    """A language model over edits."""

    def __init__(self, model: TrainedModel) -> None:
        self._scorer = TreeScorer(model)
        self.fingerprint = model.fingerprint
        self._prompt = lru_cache(maxsize=PROMPTS_KEPT)(self._encode)
        self._program = lru_cache(maxsize=PROGRAMS_KEPT)(lambda source: _ScoredProgram(source, bare_lines(source)))

    @classmethod
    def shipped(cls) -> "EditPolicy":
        """The policy whose weights are in the package."""
        return cls(weights.shipped(SHIPPED_NAME))

    @classmethod
    def load(cls, folder: Path | str) -> "EditPolicy":
        """The policy whose weights are in a folder."""
        return cls(weights.load(folder))

    def logprobs(self, source: str, edits: Sequence[Edit], *, complete: int | None = None) -> list[float] | None:
        """The log-probability of each edit; None if the program is longer than `MAX_SOURCE`.

        At most `complete` edits are scored to their end, those with the likeliest beginnings, and the others are
        estimated: called again with a larger number, it scores the next ones. Earlier calls change results by
        rounding alone.
        """
        if len(source) > MAX_SOURCE:
            return None
        program = self._program(source)
        texts = [program.text_of(edit) for edit in edits]
        scores = self._text_scores(program, dict.fromkeys(texts), MOST_COMPLETE if complete is None else complete)
        return [scores[each] for each in texts]

    def _text_scores(
        self, program: _ScoredProgram, texts: Iterable[ScoredText], complete: int
    ) -> dict[ScoredText, float]:
        """The score of each text: complete, of its beginning less a penalty, or of its location less a larger one."""
        locations = self._prefix_scores(program, {text: _location(text.text) for text in texts})
        best = max(locations.values(), default=0.0)
        likely = [text for text, score in locations.items() if score > best - MAX_GAP]
        scores = {text: score - UNSCORED_PENALTY for text, score in locations.items()}
        if len(likely) > complete:
            beginnings = self._prefix_scores(program, {text: _beginning(text.text, program.lines) for text in likely})
            scores |= {text: score - PARTIAL_PENALTY for text, score in beginnings.items()}
            likely = sorted(likely, key=lambda text: -beginnings[text])[: max(0, complete)]
        return scores | self._scores_of(program, likely)

    def _prefix_scores(self, program: _ScoredProgram, prefixes: Mapping[ScoredText, str]) -> dict[ScoredText, float]:
        """The log-probability that an edit's text begins as each of these texts does."""
        texts = {text: ScoredText(prefix, False) for text, prefix in prefixes.items()}
        scores = self._scores_of(program, texts.values())
        return {text: scores[prefix] for text, prefix in texts.items()}

    def _scores_of(self, program: _ScoredProgram, texts: Iterable[ScoredText]) -> dict[ScoredText, float]:
        """The log-probability of each text; those that are not known yet are computed together."""
        asked = dict.fromkeys(texts)
        new = [each for each in asked if each not in program.scores]
        program.scores.update(zip(new, self._score(program, new), strict=True))
        return {each: program.scores[each] for each in asked}

    def _score(self, program: _ScoredProgram, texts: Sequence[ScoredText]) -> list[float]:
        if not texts:
            return []
        whole = [each.whole for each in texts]
        return self._scorer.score(self._prompt(program.source), [each.text.encode() for each in texts], whole=whole)

    def proposals(self, source: str, count: int) -> list[tuple[Edit, float]]:
        """Up to `count` edits that give different programs, with their log-probabilities, best first."""
        if len(source) > MAX_SOURCE:
            return []
        seen = {None, fingerprint(source)}
        found: list[tuple[Edit, float]] = []
        for continuation in self._scorer.beam_search(self._prompt(source), count):
            edit = parse_edit(continuation.text.decode(errors="replace"), source)
            edited = None if edit is None else fingerprint(edit.apply(source))
            if edit is not None and edited not in seen:
                seen.add(edited)
                found.append((edit, continuation.logprob))
        return found

    def _encode(self, source: str) -> SharedPrompt:
        return self._scorer.encode(numbered_lines(source).encode())


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
