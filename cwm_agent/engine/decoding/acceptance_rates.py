"""How long a draft is worth checking: acceptance rates by source and position, against the cost of a token.

A rejected draft token costs the time of one token. An accepted one costs nothing, because the row had to compute it
anyway, and it saves the row a part of a pass. How much a pass costs beside its tokens depends on the machine: weights
are loaded and hundreds of small operations started. So a single row takes long drafts, and a row among a hundred takes
only tokens that are nearly certain. Knows no network and no bytes.
"""

from collections import defaultdict
from dataclasses import dataclass, field

ASSUMED = (2.0, 2.5)
"""Accepted and checked tokens before the first one was observed."""
DECAY = 0.98
"""Weight that earlier observations keep at each new one."""
TOKENS_PER_PASS = 2
"""Tokens that a row usually gains in a pass."""


def worthwhile_probability(rows: int, pass_tokens: int, row_tokens: float = 0.0) -> float:
    """The smallest acceptance probability at which a draft token saves more time than it costs.

    A pass costs as much as `pass_tokens` tokens beside its own, and each of its rows as much as `row_tokens`.

    >>> [round(worthwhile_probability(rows, 24), 2) for rows in (1, 8, 64)]
    [0.08, 0.4, 0.84]
    """
    return 1 / (1 + (pass_tokens / rows + row_tokens) / TOKENS_PER_PASS)


@dataclass(slots=True)
class AcceptanceRates:
    """Share of draft tokens that were accepted, of those whose predecessors were; by source and position."""

    _counts: defaultdict[tuple[str, int], tuple[float, float]] = field(
        default_factory=lambda: defaultdict(lambda: ASSUMED)
    )

    def worthwhile(self, source: str, tokens: list[int], least: float) -> list[int]:
        """The tokens of a draft up to the last that is accepted with a probability of at least `least`."""
        chance = 1.0
        for position in range(len(tokens)):
            accepted, checked = self._counts[source, position]
            chance *= accepted / checked
            if chance < least:
                return tokens[:position]
        return tokens

    def observe(self, source: str, checked: int, accepted: int) -> None:
        """Count a draft of so many tokens, of which so many were accepted."""
        for position in range(min(checked, accepted + 1)):
            hits, total = self._counts[source, position]
            self._counts[source, position] = hits * DECAY + (position < accepted), total * DECAY + 1
