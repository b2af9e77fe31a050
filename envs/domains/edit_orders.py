"""Baseline orders of edits that use no oracle; a planner should do better.

An order is a function that sorts edits by their classes and places and, if real coverage was measured, by the suspicion
of each line. Knows no tests and runs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from random import Random

from envs.editing.class_priors import ASSUMED, UNSEEN, class_priors, prior_of
from envs.editing.edit import Edit

Suspicion = Mapping[int, float]
Order = Callable[[Sequence[Edit], Suspicion, Random], list[Edit]]


def random_order(edits: Sequence[Edit], suspicion: Suspicion, rng: Random) -> list[Edit]:
    """The edits in random order."""
    return rng.sample(edits, len(edits))


def round_robin(edits: Sequence[Edit], suspicion: Suspicion, rng: Random) -> list[Edit]:
    """One edit of each class in turn, the most suspicious line first within a class; ties in random order."""
    classes: dict[str, list[Edit]] = {}
    for edit in rng.sample(edits, len(edits)):
        classes.setdefault(edit.operator, []).append(edit)
    names = sorted(classes)
    rng.shuffle(names)
    ranked = [sorted(classes[name], key=lambda edit: -suspicion_of(edit, suspicion)) for name in names]
    return [edit for turn in zip_longest(*ranked) for edit in turn if edit is not None]


def by_prior(rates: Mapping[str, float] | None = None) -> Order:
    """Orders edits by the prior of their class times the suspicion of their lines; ties in random order.

    The prior of the k-th edit of a class is divided by k: if the first edits of a class fail, the rest mostly fail.
    """
    known = {**class_priors(), **ASSUMED} if rates is None else rates

    def order(edits: Sequence[Edit], suspicion: Suspicion, rng: Random) -> list[Edit]:
        tried: Counter[str] = Counter()
        scores: dict[Edit, float] = {}
        for edit in sorted(rng.sample(edits, len(edits)), key=lambda edit: -suspicion_of(edit, suspicion)):
            tried[edit.operator] += 1
            rate = known.get(edit.operator, UNSEEN) / tried[edit.operator]
            scores[edit] = rate * suspicion_of(edit, suspicion)
        return sorted(scores, key=lambda edit: -scores[edit])

    return order


def class_weights(edits: Sequence[Edit], suspicion: Suspicion) -> list[float]:
    """The weight of each edit: the learnt rate of its class times the suspicion of its line.

    The k-th edit of a class counts a k-th: where the first ones fail, the others are likely to fail too.
    """
    tried: Counter[str] = Counter()
    found = [0.0] * len(edits)
    for at in sorted(range(len(edits)), key=lambda each: -suspicion_of(edits[each], suspicion)):
        tried[edits[at].operator] += 1
        found[at] = prior_of(edits[at].operator) / tried[edits[at].operator] * suspicion_of(edits[at], suspicion)
    return found


def suspicion_of(edit: Edit, suspicion: Suspicion) -> float:
    """The largest suspicion of the lines of an edit, at least 0.05; 1 for every edit without coverage."""
    if not suspicion:
        return 1.0
    return max(0.05, *(suspicion.get(line, 0.0) for line in edit.lines))


ORDERS: Mapping[str, Order] = {
    "random": random_order,
    "round-robin": round_robin,
    "prior": by_prior(),
}
