"""How readers and writers of `csv` are written and made again: what they go through or write to, and their dialect.

`csv_reader(#1)` goes through `#1`, whose own position says how far; `csv_writer(#2)` keeps nothing but the text that it
writes to. A dialect that is not the usual one stands behind, `csv_reader(#1, (('delimiter', ';'),))`. How many lines a
reader has read is in no frame (`stepper/hidden_attributes.py`). Knows no frame.
"""

import csv
import gc
import io
from collections.abc import Callable, Iterable
from typing import Any, Protocol


class _Writes(Protocol):
    def text(self, value: object) -> str: ...
    def items(self, values: Iterable[object]) -> str: ...


_PARTS = (
    *("delimiter", "doublequote", "escapechar", "lineterminator", "quotechar", "quoting", "skipinitialspace", "strict"),
)
_USUAL = csv.writer(io.StringIO()).dialect


def _dialect(held: Any) -> tuple[tuple[str, object], ...]:
    """What a dialect says differently from the usual one."""
    said = [(name, getattr(held, name)) for name in _PARTS]
    return tuple((name, part) for name, part in said if part != getattr(_USUAL, name))


def _with_dialect(renderer: _Writes, kind: str, source: object, held: Any) -> str:
    unusual = _dialect(held)
    return f"{kind}({renderer.items((source, unusual) if unusual else (source,))})"


def _reader(renderer: _Writes, value: Any) -> str:
    source = [each for each in gc.get_referents(value) if hasattr(type(each), "__next__")]
    return _with_dialect(renderer, "csv_reader", source[0], value.dialect) if len(source) == 1 else "?csv.reader"


def _writer(renderer: _Writes, value: Any) -> str:
    targets = [getattr(each, "__self__", None) for each in gc.get_referents(value)]
    target = next((each for each in targets if type(each) is io.StringIO), None)
    return "?csv.writer" if target is None else _with_dialect(renderer, "csv_writer", target, value.dialect)


def _dict_reader(renderer: _Writes, value: Any) -> str:
    return f"DictReader({renderer.items((value.reader, value._fieldnames, value.restkey, value.restval))})"


def _dict_writer(renderer: _Writes, value: Any) -> str:
    return f"DictWriter({renderer.items((value.writer, value.fieldnames, value.restval, value.extrasaction))})"


def _made_reader(source: Any, dialect: Iterable[tuple[str, Any]] = ()) -> object:
    return csv.reader(source, **dict(dialect))


def _made_writer(target: Any, dialect: Iterable[tuple[str, Any]] = ()) -> object:
    return csv.writer(target, **dict(dialect))


def _made_dict_reader(reader: Any, names: Any, rest_key: Any, rest_value: Any) -> object:
    made = csv.DictReader(iter(()), names, rest_key, rest_value)
    made.reader = reader
    return made


def _made_dict_writer(writer: Any, names: Any, rest: Any, extra: Any) -> object:
    made = csv.DictWriter(io.StringIO(), names, rest, extra)
    made.writer = writer
    return made


CONTENTS: dict[type, Callable[[Any, Any], str]] = {
    type(csv.reader(())): _reader,
    type(csv.writer(io.StringIO())): _writer,
    csv.DictReader: _dict_reader,
    csv.DictWriter: _dict_writer,
}
"""They change what they go through, or write to."""
MAKERS: dict[str, Callable[..., object]] = {
    "csv_reader": _made_reader,
    "csv_writer": _made_writer,
    "DictReader": _made_dict_reader,
    "DictWriter": _made_dict_writer,
}
DRIVEN = frozenset({"csv_reader", "DictReader"})
"""Iterators: how far the next row goes depends on the text."""
