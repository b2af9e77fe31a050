"""Words, days and data of readable texts: tabs, words within words, data as JSON, anagrams.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import json
import re
from collections.abc import Callable
from datetime import date, datetime
from random import Random

from cwm_agent.training.values import everyday_texts, scalars, texts
from cwm_agent.training.values.readable.readable_lines import KEYS, setting_value
from cwm_agent.training.values.readable.readable_numbers import measure
from cwm_agent.training.values.readable.readable_patterns import title_text


def tabbed_line(rng: Random) -> str:
    """A line of code or of a table with tabs in it."""
    name, other = texts.syllables(rng), texts.word(rng)
    tabs = "\t" * rng.randint(1, 3)
    return rng.choice(
        (
            f"{tabs}return {name}", f"{name}\t=\t{rng.randint(0, 99)}", f"\tif {name}:\t# {other}",
            f"{name}\t{other}\t{setting_value(rng)}", f"{name}{tabs}{other}", f" \t{name}",
            f"def {name}():\n\t{other} = 1\n\treturn {other}", f"{name}\t", f"a\tbc\tdef\t{name}",
        )
    )  # fmt: skip


def tab_width(rng: Random) -> int:
    return rng.choice((4, 4, 4, 2, 8, 3, 1))


def word_within(rng: Random, text: object) -> str:
    """A word, a mark or a line's end of the text, seldom one that is not there."""
    words = re.findall(r"\w+|[^\w\s]|\n", str(text))
    if not words or rng.random() < 0.12:
        return texts.word(rng)
    word: str = rng.choice(words)
    return word if rng.random() < 0.7 else word[: rng.randint(1, 3)]


def told_day(rng: Random) -> date:
    """A date or a moment."""
    moment = datetime(
        rng.randint(1990, 2030), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59)
    )
    return rng.choice((moment, moment.replace(hour=0, minute=0), moment.date()))


def json_data(rng: Random, deep: int = 1) -> object:
    """A dict as a program writes it to a file: keys out of order, texts, numbers, nothing, lists."""
    plain: tuple[Callable[[Random], object], ...] = (
        scalars.small, texts.word, scalars.boolean, everyday_texts.first_name, lambda _: None, measure,
        lambda rng: [scalars.small(rng) for _ in range(rng.randint(0, 3))], title_text,
    )  # fmt: skip
    keys = rng.sample((*KEYS, "name", "tags", "a", "b", "total", "on", "x", "y"), rng.randint(1, 4))
    found: dict[str, object] = {key: rng.choice(plain)(rng) for key in keys}
    if deep and rng.random() < 0.35:
        found[rng.choice(keys)] = json_data(rng, deep - 1)
    return found


def dumps_function(_: Random) -> object:
    return json.dumps


def data_marks(rng: Random) -> tuple[str, str]:
    """What stands between the items and behind the keys of written data."""
    return rng.choice(((",", ":"), (",", ":"), (",", ":"), (", ", ": "), (",", ": "), ("; ", "=")))


def letters_sorted(_: Random, word: object) -> str:
    return "".join(sorted(str(word)))


def anagram_pair(rng: Random) -> tuple[str, str]:
    """The letters of a word in order, and the word."""
    word = "".join(rng.choices("eilnsto" if rng.random() < 0.6 else texts.LOWER, k=rng.randint(2, 7)))
    word = rng.choice(
        (word, texts.word(rng).lower(), rng.choice(("stone", "notes", "onset", "listen", "silent", "enlist", "inlets")))
    )
    return "".join(sorted(word)), word


def anagram_near(rng: Random, pair: object) -> tuple[str, str]:
    """Such a pair, often with the same letters or with the same beginning."""
    if not isinstance(pair, tuple) or len(pair) != 2 or rng.random() < 0.45:
        return anagram_pair(rng)
    letters = list(str(pair[1]))
    if rng.random() < 0.5:
        letters.append(rng.choice("aeinst"))
    rng.shuffle(letters)
    return "".join(sorted(letters)), "".join(letters)


def anagram_pairs(rng: Random) -> list[tuple[str, str]]:
    first = anagram_pair(rng)
    return [first, *(anagram_near(rng, first) for _ in range(rng.randint(1, 4)))]
