"""Operands at the edges of ordinary operations: equal keys of several types, letters that only look like numbers, gaps.

Each recipe is `(rng, *values drawn before) -> value`.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from random import Random

from cwm_agent.training.values import everyday_texts, scalars, texts

_ODD_LETTERS = "½²³¼¾٣४Ⅷ一四〇①—–…€£©ªºµßſŉǅİıΣςéñÄØøœÆабвЖ漢字あアー한“”«»¿¡°·×÷№™\u00a0\u2028\u200b\u0301🙂ʰʼ"
_PLAIN_LETTERS = "aZ7 0_-+.,:;!?'\"\\/|()[]{}<>@#$%^&*~`=\t\n"
_TABLE_LETTERS = "aeiounstrlzxqkbm"


def odd_letter(rng: Random) -> str:
    """One letter; each kind of letter, digit and mark is as frequent as the others."""
    return rng.choice(_ODD_LETTERS if rng.random() < 0.7 else _PLAIN_LETTERS)


def odd_letters(rng: Random) -> str:
    """A short word with an odd letter in it, or a few odd letters."""
    if rng.random() < 0.5:
        return "".join(odd_letter(rng) for _ in range(rng.randint(1, 4)))
    word = texts.word(rng)
    place = rng.randint(0, len(word))
    return word[:place] + odd_letter(rng) + word[place:]


def cut_bytes(rng: Random) -> bytes:
    """UTF-8 that mostly ends or begins inside a letter."""
    whole = odd_letters(rng).encode()
    return whole[: -rng.randint(1, 2)] if rng.random() < 0.6 else whole[rng.randint(0, 2) :]


def decoding_error(rng: Random) -> object:
    """What decoding of such bytes raises."""
    while True:
        try:
            cut_bytes(rng).decode(rng.choice(("utf-8", "ascii")))
        except UnicodeDecodeError as error:
            return error


def signed_text(rng: Random) -> str:
    """A text that begins with a sign, as `zfill` treats apart."""
    tail = rng.choice((texts.word(rng)[: rng.randint(1, 4)], str(rng.randint(0, 999)), "", "0", f"{rng.random():.1f}"))
    return rng.choice("+-+- ") + str(tail)


def letter_pair(rng: Random) -> list[str]:
    """Letters, as many others in their place, and letters to leave out."""
    count = rng.randint(1, 6)
    given = "".join(rng.sample(_TABLE_LETTERS, count))
    made = "".join(rng.choice("1234567890*#AEIOU") for _ in range(count if rng.random() < 0.93 else count + 1))
    left = "".join(rng.sample(_TABLE_LETTERS, rng.randint(1, 3)))
    return [given, made, left]


def letters_given(_: Random, pair: Sequence[str]) -> str:
    return pair[0]


def letters_made(_: Random, pair: Sequence[str]) -> str:
    return pair[1]


def letters_left(_: Random, pair: Sequence[str]) -> str:
    return pair[2]


def dropping_table(rng: Random) -> dict[int, object]:
    """A table for `translate` that exchanges some letters and leaves others out."""
    given, made, left = letter_pair(rng)
    return {
        **{ord(a): ord(b) for a, b in zip(given, made, strict=False)},
        **dict.fromkeys(map(ord, left), None),
    }


def equal_numbers(rng: Random) -> set[object]:
    """A set of small numbers, truths and floats, and seldom a letter."""
    made: set[object] = set()
    for _ in range(rng.randint(1, 4)):
        made.add(rng.choice((0, 1, 2, 3, True, False, 1.0, 2.0, 0.5, 10)))
    return made | ({rng.choice("abz")} if rng.random() < 0.2 else set())


def equal_keys(rng: Random) -> dict[object, object]:
    """A dict whose keys are such numbers."""
    return {key: scalars.scalar(rng) for key in sorted(equal_numbers(rng), key=repr)}  # no order of a set leaks out


def equal_number(rng: Random, held: Sequence[object]) -> object:
    """A number that is mostly equal to one of these and of another type."""
    numbers = [each for each in held if isinstance(each, int | float)]
    if not numbers or rng.random() < 0.15:
        return rng.choice((0, 1, True, False, 4, 1.0, 2))
    found = rng.choice(numbers)
    forms: list[object] = [found, float(found)]
    if found == int(found):
        forms += [int(found), int(found)]
    if found in (0, 1):
        forms += [bool(found), bool(found)]
    return rng.choice(forms)


def gapped_list(rng: Random) -> list[object]:
    """A list in which `None` is as frequent as anything else."""
    full = rng.choice((scalars.small, texts.word, scalars.boolean, scalars.scalar))
    return [None if rng.random() < 0.45 else full(rng) for _ in range(rng.randint(1, 7))]


def gapped_walk(rng: Random) -> Iterator[object]:
    """An iterator over such a list, often in the middle of it."""
    held = gapped_list(rng)
    walk = iter(tuple(held) if rng.random() < 0.2 else held)
    for _ in range(rng.randint(0, len(held) - 1) if rng.random() < 0.7 else 0):
        next(walk)
    return walk


def exchanged_list(rng: Random) -> list[object]:
    """A list of three to nine numbers or words whose parts are exchanged."""
    make = rng.choice((scalars.small, scalars.small, texts.word, scalars.integer, everyday_texts.first_name))
    return [make(rng) for _ in range(rng.randint(3, 9))]


def from_start(rng: Random) -> int:
    """Where a slice with a step begins."""
    return rng.choice((0, 1, 1, 1, 2, 2, 3))


def over_step(rng: Random) -> int:
    return rng.choice((2, 2, 2, 3, 3, 4, -1, -2))


def filling(rng: Random, held: Sequence[object], start: int, step: int) -> list[object]:
    """As many new items as a slice with a start and a step has, seldom another number."""
    count = len(held[start::step])
    if rng.random() < 0.05:
        count += 1
    rest = [*held, 0, 1]
    return [rng.choice(rest) for _ in range(count)]


def turned_part(_: Random, held: Sequence[object], end: int) -> list[object]:
    """The first items of a list in reverse order, or its last ones."""
    return list(held[:end])[::-1]


def short_walk(rng: Random) -> object:
    """`reversed` over a list, a text or a tuple."""
    made = exchanged_list(rng) if rng.random() < 0.7 else list(texts.word(rng))
    return reversed(tuple(made) if rng.random() < 0.2 else made)


def number_walk(rng: Random) -> object:
    """`reversed` over numbers."""
    return reversed([scalars.small(rng) for _ in range(rng.randint(2, 7))])


def week_day(rng: Random) -> date:
    """A day near the turn of a year, as weeks of a year are asked for, or any other."""
    if rng.random() < 0.5:
        return date(rng.randint(1995, 2035), rng.choice((1, 12)), rng.randint(1, 31))
    return date(rng.randint(1995, 2035), rng.randint(1, 12), rng.randint(1, 28))


def small_mean(rng: Random) -> list[int]:
    """Whole numbers whose mean has a short or a repeating fraction."""
    return [rng.randint(0, 20) for _ in range(rng.randint(2, 9))]


def from_end(rng: Random) -> int:
    return rng.choice((-1, -2, -2, -3, -4, -5))


def key_of_text(rng: Random) -> object:
    """A function by which single letters are sorted."""
    return rng.choice((ord, str.lower, str.upper, str.isdigit, str.isalpha, str.isupper, str.swapcase))


def marked_letters(rng: Random) -> list[str]:
    """Single letters, digits and marks."""
    return [rng.choice("abcxyzABZ0147 _-+.!?#") for _ in range(rng.randint(2, 8))]


def listed(rng: Random, held: Iterable[object]) -> list[object]:
    """The same items as a list, in any order, but in one that no hash tells."""
    found = sorted(held, key=repr)
    rng.shuffle(found)
    return found


def zero_place(_: Random) -> int:
    return 0


def one_place(_: Random) -> int:
    return 1


def two_places(_: Random) -> int:
    return 2


def three_places(_: Random) -> int:
    return 3


def letter_trie(rng: Random, depth: int = 3) -> dict[str, object]:
    """Letters within letters, as words are kept; an inner letter seldom stands at the top as well."""
    letters = rng.sample("abceinoprst", rng.randint(1, 3) if depth > 1 else rng.randint(0, 2))
    inner: dict[str, object] = {letter: letter_trie(rng, depth - 1) if depth else {} for letter in letters}
    return {**inner, "$": True} if rng.random() < 0.2 else inner


def trie_letter(rng: Random, held: object) -> str:
    """A letter of the trie, at the top or anywhere below, or none of it."""
    found = str(rng.choice([*"abceinoprst"]))
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        if not isinstance(held, dict) or not held:
            break
        found = rng.choice(list(held))
        held = held[found]
    return found


def empty_dict(_: Random) -> dict[str, object]:
    return {}
