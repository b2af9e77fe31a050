"""Texts in memory that programs write to and read from, and readers and writers of comma-separated rows.

A frame writes `StringIO('a\\n', 2)`, with the place where reading and writing go on. Each recipe is
`(rng, *values drawn before) -> object`.
"""

import csv
import io
import json
from collections.abc import Callable
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, scalars, texts

_NAMES = ("name", "age", "city", "price", "qty", "id", "score", "item", "x", "y", "total", "date")


def _line(rng: Random) -> str:
    return rng.choice(
        (
            lambda: texts.word(rng),
            lambda: everyday_texts.phrase(rng),
            lambda: f"{texts.word(rng)}: {rng.randint(0, 99)}",
            lambda: f"  {texts.word(rng)}={rng.randint(0, 9)}",
            lambda: f"{texts.word(rng)},{rng.randint(0, 999)}",
            lambda: "",
        )
    )()


def buffer_line(rng: Random) -> str:
    """What is written at once: mostly a line with its end."""
    return _line(rng) + rng.choice(("\n", "\n", "\n", "", " ", "\n\n"))


def line_list(rng: Random) -> list[str]:
    return [buffer_line(rng) for _ in range(rng.randint(0, 4))]


def _text(rng: Random, most: int = 4) -> str:
    return "".join(_line(rng) + "\n" for _ in range(rng.randint(0, most))) + rng.choice(("", "", "", _line(rng)))


def buffer_text(rng: Random) -> str:
    return _text(rng)


def written_buffer(rng: Random) -> io.StringIO:
    """A buffer after some writes, so its place is at its end."""
    made = io.StringIO()
    made.write(rng.choice((_text(rng), _text(rng), "", texts.word(rng))))
    return made


def read_buffer(rng: Random) -> io.StringIO:
    """A buffer that is being read: its place is before a line, seldom within one or at the end."""
    text = _text(rng, 5)
    made = io.StringIO(text)
    starts = [0, 0, *(place + 1 for place, letter in enumerate(text) if letter == "\n")]
    made.seek(rng.choice(starts) if rng.random() < 0.85 else rng.randint(0, len(text)))
    return made


def full_buffer(rng: Random) -> io.StringIO:
    """A buffer that is about to be read from its beginning."""
    return io.StringIO(_text(rng, 5))


def buffer_place(rng: Random, held: object) -> int:
    size = len(held.getvalue()) if isinstance(held, io.StringIO) else 9
    return rng.choice((0, 0, 0, size, rng.randint(0, size)))


def _cell(rng: Random) -> object:
    return rng.choice(
        (
            *(texts.word(rng), texts.word(rng), rng.randint(0, 99), rng.randint(0, 4000) / 4, "", None),
            *(f"{texts.word(rng)}, {texts.word(rng)}", f'say "{texts.word(rng)}"', everyday_texts.full_name(rng)),
        )
    )


def csv_row(rng: Random) -> list[object]:
    """A row to be written: words and numbers, sometimes with commas, quotes or nothing in them."""
    plain = rng.random() < 0.6
    recipes: tuple[Callable[[Random], object], ...] = (texts.word, scalars.small)
    return [rng.choice(recipes)(rng) if plain else _cell(rng) for _ in range(rng.randint(1, 4))]


def csv_rows(rng: Random) -> list[object]:
    return [csv_row(rng) for _ in range(rng.randint(1, 3))]


def _table(rng: Random) -> tuple[list[str], list[list[object]]]:
    names = rng.sample(_NAMES, rng.randint(1, 3))
    return names, [
        [_cell(rng) if rng.random() < 0.3 else texts.word(rng) for _ in names] for _ in range(rng.randint(0, 3))
    ]


def csv_text(rng: Random) -> str:
    """The text of a table with its header; line ends as a writer or as an editor leaves them."""
    names, rows = _table(rng)
    held = io.StringIO()
    csv.writer(held, lineterminator=rng.choice(("\r\n", "\n", "\n"))).writerows([names, *rows])
    return held.getvalue()


def csv_buffer(rng: Random) -> io.StringIO:
    return io.StringIO(csv_text(rng))


def csv_lines(rng: Random) -> list[str]:
    return csv_text(rng).splitlines()


def row_writer(rng: Random) -> object:
    """A writer, mostly with rows that it wrote before."""
    held = io.StringIO()
    made = csv.writer(held, **_dialect(rng))
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        made.writerow(csv_row(rng))
    return made


def _dialect(rng: Random) -> dict[str, Any]:
    return rng.choice(({}, {}, {}, {}, {"delimiter": ";"}, {"lineterminator": "\n"}, {"quoting": csv.QUOTE_ALL}))


def row_reader(rng: Random) -> object:
    """A reader over a buffer or over lines, often after its header."""
    source = rng.choice((csv_buffer, csv_buffer, lambda rng: iter(csv_lines(rng))))(rng)
    made = csv.reader(source, delimiter=rng.choice((",", ",", ",", ";")))
    if rng.random() < 0.4:
        next(made, None)
    return made


def dict_reader(rng: Random) -> object:
    """A reader of rows as dicts, often after its first row."""
    made = csv.DictReader(csv_buffer(rng))
    if rng.random() < 0.4:
        next(made, None)
    return made


def dict_writer(rng: Random) -> object:
    made = csv.DictWriter(io.StringIO(), rng.sample(_NAMES, rng.randint(1, 3)))
    if rng.random() < 0.6:
        made.writeheader()
    for _ in range(rng.choice((0, 0, 1))):
        made.writerow({name: _cell(rng) for name in made.fieldnames})
    return made


def row_for(rng: Random, writer: object) -> dict[object, object]:
    """A row for a writer of dicts, seldom without a field or with one too many."""
    names = list(writer.fieldnames) if isinstance(writer, csv.DictWriter) else ["name"]
    row: dict[object, object] = {name: _cell(rng) if rng.random() < 0.3 else texts.word(rng) for name in names}
    chance = rng.random()
    if chance < 0.06:
        row["extra"] = 1
    elif chance < 0.12:
        row.popitem()
    return row


def field_names(rng: Random) -> list[str]:
    return rng.sample(_NAMES, rng.randint(1, 4))


def bad_json(rng: Random) -> str:
    """A text that looks like data and is not: a bracket, a quote, a comma or a name too many or too few."""
    good = json.dumps(
        rng.choice(
            (
                {texts.word(rng): rng.randint(0, 9)},
                [rng.randint(0, 9), texts.word(rng)],
                {texts.word(rng): [1, 2]},
                {"a": 1, texts.word(rng): None},
            )
        )
    )
    place = rng.randrange(1, len(good))
    return rng.choice(
        (
            *(
                "{bad",
                "not json",
                "",
                "{",
                "[1, 2",
                "{'a': 1}",
                "[1, 2,]",
                '{"a": }',
                '{"a" 1}',
                "nul",
                "[1 2]",
                "{a: 1}",
            ),
            *(good[:-1], good[:place], good.replace('"', "'"), good.replace(": ", " "), good + "}", good + " x"),
            *(f"{{{texts.word(rng)}", texts.word(rng), good[:-1] + ",", '{"a": 1,}', '"open', good.replace("{", "{\n")),
        )
    )


def json_error(rng: Random) -> json.JSONDecodeError:
    while True:
        try:
            json.loads(bad_json(rng))
        except json.JSONDecodeError as error:
            return error.with_traceback(None)


def csv_function(_: Random) -> object:
    return csv.reader


def dict_writer_class(_: Random) -> type:
    return csv.DictWriter


def loads_function(_: Random) -> object:
    return json.loads
