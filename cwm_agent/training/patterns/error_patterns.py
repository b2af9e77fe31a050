"""Lines that are easy to predict wrongly: operands of wrong types, aliases, values that differ in one letter.

Each maker is `(rng) -> Drawn`. Repair imagines wrong programs, so these lines occur as often as right ones.
"""

import re
from random import Random

from cwm_agent.training.patterns.pattern import Drawn
from cwm_agent.training.text_tables import read_table
from cwm_agent.training.values import containers, iterators, objects, scalars, similar_values, texts

_SECOND = re.compile(r"\bb\b")
_FUNCTIONS = tuple("len int str list sum max min range sorted abs set float print tuple bool".split())
_WRONG = tuple(read_table("patterns/wrong").splitlines())
_ALIASED = (
    "a.append(b)", "a.insert(0, b)", "a[0] = b", "o = b in a", "o = a.index(b)", "o = a.count(b)", "a.remove(b)",
    "o = [a, b]", "o = a + b", "o = (b, a)", "o = a == b", "b.append(a)", "b += a", "o = b is a",
)  # fmt: skip


def aliased_append(rng: Random) -> Drawn:
    """A list appended to a list that contains it already, or an inner list changed through another name."""
    outer = containers.rows(rng)
    if not outer:
        outer = [[1]]
    inner = rng.choice(outer)
    form = rng.choice(_ALIASED)
    return Drawn(form, {"a": outer, "b": inner}, {}, "alias")


def wrong(rng: Random) -> Drawn:
    """An operation on operands of wrong types, as in wrong programs; most raise."""
    form = rng.choice(_WRONG)
    if rng.random() < 0.12:
        form = re.sub(r"\bb\b" if _SECOND.search(form) else r"\ba\b", rng.choice(_FUNCTIONS), form)
    held = {name: _tame(rng) for name in "ab" if re.search(rf"\b{name}\b", form)}
    if rng.random() < 0.06:
        form = _SECOND.sub("a", form)
        held.pop("b", None)
    target = rng.choice("ooab")
    return Drawn(re.sub(r"^o =", f"{target} =", form), held, {}, "wrong")


def _tame(rng: Random) -> object:
    """Any value except an integer that would make a huge string or list of the other operand."""
    chance = rng.random()
    if chance < 0.12:
        return rng.choice((iterators.iterator, scalars.boolean, scalars.nothing, objects.type_of_value, texts.char))(
            rng
        )
    value = containers.anything(rng)
    return value % 1000 if type(value) is int else value


def narrow_search(rng: Random) -> Drawn:
    """Membership, count and index in short lists of similar values, where one letter or digit decides."""
    held = [similar_values.near(rng, base) for base in [scalars.scalar(rng)] for _ in range(rng.randint(1, 7))]
    wanted = rng.choice(held) if rng.random() < 0.6 else similar_values.near(rng, held[0])
    form = rng.choice(("o = b in a", "o = b not in a", "o = a.count(b)", "o = a.index(b)", "a.remove(b)"))
    return Drawn(form, {"a": held, "b": wanted}, {}, "search")
