"""Orders in which to try edits without imagining anything: what every planner must beat.

An order is a function from edits to the same edits sorted; it sees classes and places and, where real coverage was
paid for, how suspicious each line is. Knows no tests and runs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from random import Random

from envs.editing.class_priors import ASSUMED, UNSEEN, class_priors
from envs.editing.edit import Edit

Suspicion = Mapping[int, float]
Order = Callable[[Sequence[Edit], Suspicion, Random], list[Edit]]


def random_order(edits: Sequence[Edit], suspicion: Suspicion, rng: Random) -> list[Edit]:
    """The edits shuffled."""
    return rng.sample(edits, len(edits))


def round_robin(edits: Sequence[Edit], suspicion: Suspicion, rng: Random) -> list[Edit]:
    """One edit of each class in turn, the most suspicious line first within a class; ties by chance."""
    classes: dict[str, list[Edit]] = {}
    for edit in rng.sample(edits, len(edits)):
        classes.setdefault(edit.operator, []).append(edit)
    names = sorted(classes)
    rng.shuffle(names)
    ranked = [sorted(classes[name], key=lambda edit: -suspicion_of(edit, suspicion)) for name in names]
    return [edit for turn in zip_longest(*ranked) for edit in turn if edit is not None]


def by_prior(rates: Mapping[str, float] | None = None) -> Order:
    """The order by the class's learnt rate of repair times the suspicion of the line; ties by chance.

    The k-th edit of a class counts a k-th: where the first ones of a class fail, the rest are likely to fail too.
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


def suspicion_of(edit: Edit, suspicion: Suspicion) -> float:
    """How suspicious the lines are that an edit touches; lines never run are least so, without coverage all alike."""
    if not suspicion:
        return 1.0
    return max(0.05, *(suspicion.get(line, 0.0) for line in edit.lines))


ORDERS: Mapping[str, Order] = {
    "random": random_order,
    "round-robin": round_robin,
    "prior": by_prior(),
}
