"""The chance of each edit before anything is imagined: what its class did elsewhere, and what the policy thinks of it.

Two judges that err in different ways: the learnt rate of the edit's class, and a language model that read the program.
An edit that either of them likes is tried early. Knows no tests and no beliefs.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from envs.domains.edit_orders import suspicion_of
from envs.domains.repair_core import RepairCore
from envs.editing.class_priors import prior_of
from envs.editing.edit import Edit

PROPOSALS = 32
"""Edits that the policy is asked for."""
FLATTENED = 2.0
"""The policy's log-probabilities are divided by this: it is surer than it is right."""


class Policy(Protocol):
    """Whoever has an opinion on edits; `cwm_agent.policy` ships one."""

    def logprobs(self, source: str, edits: Sequence[Edit]) -> list[float] | None:
        """The log-probability of each edit; None for no opinion."""
        ...

    def proposals(self, source: str, count: int) -> list[tuple[Edit, float]]:
        """Edits of its own, the likeliest first."""
        ...


def by_class(edits: Sequence[Edit], suspicion: Mapping[int, float]) -> list[float]:
    """Learnt rate of the class times the suspicion of the line.

    The k-th edit of a class counts a k-th: where the first ones fail, the rest are likely to fail too.
    """
    tried: Counter[str] = Counter()
    found = [0.0] * len(edits)
    for at in sorted(range(len(edits)), key=lambda each: -suspicion_of(edits[each], suspicion)):
        tried[edits[at].operator] += 1
        found[at] = prior_of(edits[at].operator) / tried[edits[at].operator] * suspicion_of(edits[at], suspicion)
    return found


def by_policy(edits: Sequence[Edit], suspicion: Mapping[int, float], logprobs: Sequence[float]) -> list[float]:
    """The policy's flattened probability times the suspicion of the line."""
    best = max(logprobs, default=0.0)
    return [
        math.exp((logprob - best) / FLATTENED) * suspicion_of(edit, suspicion)
        for edit, logprob in zip(edits, logprobs, strict=True)
    ]


def weighed(
    edits: Sequence[Edit], suspicion: Mapping[int, float], logprobs: Sequence[float] | None = None
) -> list[float]:
    """The chance of each edit, adding up to one; half of it the policy's, where it has an opinion."""
    found = _shares(by_class(edits, suspicion))
    if logprobs is None:
        return found
    other = _shares(by_policy(edits, suspicion, logprobs))
    return [(one + two) / 2 for one, two in zip(found, other, strict=True)]


def own_edits(core: RepairCore, policy: Policy) -> list[Edit]:
    """Edits that come to the policy's mind and that no rule of every day makes."""
    made = {edit.apply(core.source) for edit in core.actions(core.initial())}
    proposed = (edit for edit, _ in policy.proposals(core.source, PROPOSALS))
    return [edit for edit in proposed if edit.apply(core.source) not in made]


def _shares(weights: Sequence[float]) -> list[float]:
    total = sum(weights) or 1.0
    return [weight / total for weight in weights]
