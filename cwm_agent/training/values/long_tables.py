"""Long lists and repeated items: tables that programs fill, read and change at single positions."""

from random import Random

from cwm_agent.training.values import scalars, texts


def _length(rng: Random) -> int:
    return rng.randint(11, 40) if rng.random() < 0.5 else rng.randint(21, 160)


def table(rng: Random) -> list[object]:
    """From 11 to 160 items of one type; neighbours may be equal."""
    count = _length(rng)
    chance = rng.random()
    if chance < 0.3:
        few = [rng.choice((0, 1, 2, 3, 5, 7, 10, 12, -1)) for _ in range(rng.randint(2, 5))]
        return [rng.choice(few) for _ in range(count)]
    if chance < 0.45:
        return [rng.random() < 0.4 for _ in range(count)]
    if chance < 0.75:
        item = scalars.narrow(rng) if rng.random() < 0.6 else scalars.integer
        return [item(rng) for _ in range(count)]
    if chance < 0.85:
        start, step = rng.randint(-5, 30), rng.choice((1, 1, 2, 3, 5, 10, 100))
        return [start + step * at for at in range(count)]
    return [texts.char(rng) if chance < 0.95 else texts.word(rng) for _ in range(count)]


def ladder(rng: Random) -> list[object]:
    """Numbers that grow fast and look similar: 1, 3, 10, 30, 100, 300."""
    steps = rng.sample((1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 25, 75), rng.randint(1, 4))
    found = [step * 10**power for power in range(rng.randint(2, 5)) for step in sorted(steps)]
    return sorted(found) if rng.random() < 0.8 else rng.sample(found, len(found))


def run(rng: Random) -> list[object]:
    """One item many times, sometimes with another one at the end or inside."""
    item = rng.choice((0, 0, 0, 1, -1, None, False, False, True, True, "", " ", ".", "0", "#", 999, 0.0))
    found: list[object] = [item] * rng.choice((rng.randint(8, 20), rng.randint(10, 120)))
    if rng.random() < 0.35:
        found[rng.randrange(len(found))] = rng.choice((1, 5, True, "x", None, 42))
    return found


def char_run(rng: Random) -> str:
    """One character many times, sometimes with others around."""
    sign = rng.choice(" -=*#.0aAxyz") if rng.random() < 0.7 else texts.char(rng)
    found = sign * rng.choice((rng.randint(12, 30), rng.randint(18, 90)))
    chance = rng.random()
    return found if chance < 0.6 else found + texts.word(rng) if chance < 0.8 else texts.word(rng) + found


def big_text(rng: Random) -> str:
    """A text of 20 to 200 characters."""
    found = texts.text(rng)
    wanted = rng.randint(20, 70) if rng.random() < 0.6 else rng.randint(60, 200)
    while len(found) < wanted:
        found += rng.choice((" ", "", "-")) + texts.text(rng)
    return found[:200]


def many(rng: Random) -> int:
    """A number of repetitions, small or large."""
    return rng.choice((rng.randint(1, 12), rng.randint(8, 40), rng.randint(10, 120), rng.randint(10, 500)))


def one_plain(rng: Random) -> list[object]:
    """A list of one plain item, for repetition."""
    return [rng.choice((0, 0, 0, 1, -1, None, False, True, "", " ", ".", 100, 0.0, "ab", 7))]
