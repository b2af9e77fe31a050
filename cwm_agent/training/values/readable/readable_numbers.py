"""Forms of numbers with signs, widths and places, the numbers for them, and numbers as texts.

Each recipe is `(rng, *values drawn before) -> object`.
"""

from decimal import Decimal
from random import Random

from cwm_agent.training.values import texts
from cwm_agent.training.values.readable.readable_lines import Maker


def signed_form(rng: Random) -> str:
    """A form for a whole number with a sign, separators, zeros or a base."""
    width = rng.randint(3, 12)
    return rng.choice(
        (
            f">+{width},d", f"+{width}d", f">+{width}", f"+{width},", f">0{width}", f"0{width}d", f"+0{width}d", "#o",
            "#x", "#b", f"#0{width}x", f"#0{width}b", f">#{width}x", f"{width},d", f"=+{width}d", f"^+{width}",
            f"<+{width}d", "+,d", f"0={width}d", f"*>{width},", " d", f" {width},d", f"0{width},d", "#X", "_b", "_x",
            f"+{width}.1f", ".1e",
        )
    )  # fmt: skip


def signed_number(rng: Random) -> int:
    """A whole number of one to seven digits with a sign."""
    return rng.choice((-1, 1, 1)) * rng.randint(0, 10 ** rng.randint(1, 7))


def measure_form(rng: Random) -> str:
    """A form for a float with a sign, a width, an exponent or separators."""
    width, places = rng.randint(5, 12), rng.randint(0, 4)
    return rng.choice(
        (
            f"+{width}.{places}f", f"+.{places}f", f">+{width}.{places}f", f"0{width}.{places}f",
            f"+0{width}.{places}f", f".{places}e", f"+.{places}e", f"{width}.{places}e", f">{width},.{places}f",
            f"+,.{places}f", f".{places + 1}g", f"{width}.{places + 1}g", f" .{places}f", f"<{width}.{places}f",
            f"^{width}.{places}f", f".{places}%", f"+{width}.{places}%", f"*>{width}.{places}f", f">0{width}",
            f">{width}",
        )
    )  # fmt: skip


def measure(rng: Random) -> float:
    """A float between a ten-thousandth and a million, of either sign, seldom halfway between two forms."""
    size = rng.choice((0.001, 0.1, 1, 10, 100, 1000, 100_000))
    found = rng.choice(
        (round(rng.random() * size, rng.randint(1, 6)), rng.randint(0, 999) / 8, float(rng.randint(0, 2000)))
    )
    return rng.choice((-1, 1, 1)) * found


def amount_form(rng: Random) -> str:
    """A form for a decimal."""
    width = rng.randint(6, 14)
    return rng.choice(
        (
            f">{width},.2f",
            f"{width}.2f",
            f">{width}",
            ",.2f",
            "+.2f",
            ".1f",
            f"<{width}.3f",
            f"+{width},.2f",
            ",",
            ".0f",
        )
    )


def amount(rng: Random) -> Decimal:
    """A decimal with zero to four places and up to eight digits."""
    return Decimal(rng.choice((-1, 1, 1, 1)) * rng.randint(0, 10 ** rng.randint(2, 8))).scaleb(
        -rng.choice((0, 1, 2, 2, 2, 3, 4))
    )


def blank_part(rng: Random) -> str:
    """A part of a line of a report that has its own blanks."""
    kinds: tuple[Maker, ...] = (
        lambda rng: format(measure(rng), f"+{rng.randint(6, 9)}.2f"),
        lambda rng: format(measure(rng), f"{rng.randint(5, 9)}.{rng.randint(0, 2)}f"),
        lambda rng: f"{texts.word(rng):<{rng.randint(4, 10)}}",
        lambda rng: f"{rng.randint(0, 999):>{rng.randint(2, 6)}}",
        lambda rng: f"{texts.word(rng):>{rng.randint(4, 9)}}",
        lambda rng: f"{texts.word(rng):^{rng.randint(5, 9)}}",
        lambda rng: f"{rng.randint(0, 99)}%",
        lambda rng: "#" * rng.randint(0, 9),
        texts.word,
    )
    return rng.choice(kinds)(rng)


def based_text(rng: Random) -> str:
    """A whole number as a program writes it, in any base, or what only looks like one."""
    number = rng.randint(0, rng.choice((9, 99, 4095)))
    sign = rng.choice(("", "", "", "-", "+"))
    kinds = (
        str(number), f"{number:#x}", f"0x{number:X}", f"{number:#b}", f"{number:#o}", f"{number}e3", f"{number / 10}",
        "n/a", f" {number} ", f"{number:_}", f"0{number}", f"{number:x}", "", "-", f"{number}px", f"0x{number:04x}",
        f"{number:,}",
    )  # fmt: skip
    return sign + rng.choice(kinds if rng.random() < 0.5 else kinds[:5])


def real_text(rng: Random) -> str:
    """A float as a text, in any notation, or what only looks like one."""
    number = rng.randint(0, 99)
    kinds = (
        f"{number}e{rng.randint(0, 5)}", f"{number}.{rng.randint(0, 99)}", f"{number}E-{rng.randint(1, 4)}",
        f".{number}", f"{number}.", f"{number}.5e{rng.randint(1, 3)}", f"{number:03}", "inf", "nan", f" {number}.0\n",
        "n/a", "", f"{number}%", f"1_0{number}.5", f"{number},5", f"-{number}.25", f"+{number}e-0{rng.randint(1, 6)}",
    )  # fmt: skip
    return rng.choice(kinds if rng.random() < 0.5 else kinds[:6])


def number_base(rng: Random) -> int:
    return rng.choice((0, 0, 2, 8, 10, 16, 16, 36))


def half_number(rng: Random) -> float:
    """A float halfway between two whole numbers, or near that."""
    return rng.choice((-1, 1)) * (rng.randint(0, 30) + rng.choice((0.5, 0.5, 0.5, 0.49, 0.51, 0.25, 0.75, 0.0)))


def rounded_number(rng: Random) -> object:
    """A number to be rounded to tens or to places."""
    return rng.choice(
        (round(rng.uniform(-2000, 9999), 3), rng.randint(-999, 99_999), round(rng.random() * 10, 4), 2.675)
    )


def rounded_places(rng: Random) -> int:
    return rng.choice((-3, -2, -1, -1, 0, 1, 2, 2, 3))


def power_of_sign(rng: Random) -> int:
    return rng.choice((rng.randint(0, 12), rng.randint(0, 99), -rng.randint(1, 9)))
