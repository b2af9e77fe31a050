"""Examples labelled by Python: one line, run on real values.

The views and rules of run time write the text, so training and use always agree. Runs generated lines in this process;
do not use it for lines from elsewhere.
"""

import ast
import bisect
import calendar
import contextlib
import copy
import csv
import functools
import heapq
import io
import ipaddress
import itertools
import json
import math
import operator
import re
import statistics
import string
import textwrap
import types
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, fields, is_dataclass, replace
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from types import MappingProxyType, SimpleNamespace
from unittest.mock import patch

from cwm_agent.training.example import Example
from cwm_agent.training.values import KINDS
from cwm_agent.training.values.further.class_values import IMPORTED
from cwm_agent.training.values.further.closure_values import FUNCTIONS
from cwm_agent.views.local import local_view
from cwm_agent.views.local.effect_text import ShownQuestion
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import HeapText
from envs.execution.state.value_grammar import Unsupported, is_supported
from envs.execution.syntax.bindings import reads_of, writes_of
from envs.execution.text.canonical_labels import MalformedText
from envs.execution.text.object_renderer import ObjectRenderer

_KINDS = (ChainMap, Counter, OrderedDict, defaultdict, deque, Fraction, Decimal, date, datetime, timedelta)
MODULES = {each.__name__: each for each in (math, string, copy, heapq, bisect, itertools, functools, operator, re)}
"""Modules whose functions lines may call."""
LIBRARIES = {**MODULES, **{each.__name__: each for each in (calendar, json, statistics, textwrap)}}
"""The same with modules whose functions lines call by their module's name, or by a variable."""
_IMPORTED = {name: vars(each)[name] for each in MODULES.values() for name in dir(each) if name[0].islower()}
_SPACE: dict[str, object] = {
    **{name: value for name, value in _IMPORTED.items() if callable(value) and name not in ("pow", "copy")},
    **LIBRARIES,
    **{each.__name__: each for each in (asdict, astuple, replace, fields, is_dataclass, partial, io, csv, io.StringIO)},
    "MappingProxyType": MappingProxyType,
    "Template": string.Template,
    "timezone": timezone,
    "ipaddress": ipaddress,
    "SimpleNamespace": SimpleNamespace,
    **IMPORTED,
    **{kind.__name__: kind for kind in _KINDS},
}
"""Names that lines may use besides their values, as if the program had imported them."""
_CONSTANT = re.compile(r"__([A-Z])\b")
_RENDERER = ObjectRenderer({**KINDS, **FUNCTIONS}, "<line>")
_IMPORTING = ObjectRenderer({**IMPORTED, "partial": partial, **KINDS, **FUNCTIONS}, "<line>")
"""Writes for a program that imports classes of the library by name: `date.fromisoformat`, not `datetime.date...`."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A statement, compiled once for all values it runs on."""

    code: types.CodeType
    loop: tuple[str, str] | None
    """Target and iterator of a loop header; its code is not run."""
    reads: tuple[str, ...]
    writes: frozenset[str]
    prints: bool


@lru_cache(maxsize=32_768)
def _line(statement: str) -> _Line:
    header = statement.startswith("for ")
    module = ast.parse(f"{statement} pass" if header else statement)
    node = module.body[0]
    code = compile(module, "<line>", "exec", dont_inherit=True)
    return _Line(
        code=code, loop=_header(node), reads=reads_of(node), writes=writes_of(node), prints="print" in statement
    )


def _header(node: ast.stmt) -> tuple[str, str] | None:
    if not isinstance(node, ast.For):
        return None
    assert isinstance(node.iter, ast.Name)
    assert isinstance(node.target, ast.Name)
    return node.target.id, node.iter.id


def plain_weekdays() -> contextlib.AbstractContextManager[object]:
    """Lets `calendar.monthrange` tell the first day of a month by its number while lines are run.

    Since Python 3.12 it is a member of an enum, which has no written form, so that only its errors would be learnt.
    """
    return patch.object(calendar, "weekday", lambda year, month, day: date(year, month, day).weekday())


def line_example(
    statement: str,
    values: dict[str, object],
    kind: str,
    *,
    most: int = 1024,
    constants: Mapping[str, object] | None = None,
    imports: bool = True,
) -> Example | None:
    """A local-view example: the statement run on these values; None if it has no text form or is too long.

    `values` are the names the statement reads; a loop header `for x in it:` reads its iterator. The run changes them.
    `constants` are plain values for the names `__A`, `__B`, ... in the statement. The example shows them as literals,
    but the statement is compiled once for all of them. `imports` tells whether the program names classes of the
    library without their module.
    """
    line = _line(statement)
    renderer = _IMPORTING if imports and not statement.startswith(("import ", "from ")) else _RENDERER
    renderer.adopt(())
    rows, _, heap = renderer.render([values])
    before = dict(rows[0])
    reads = tuple([(name, before[name]) for name in line.reads if name in before])
    try:
        asked = local_view.ask(Question(statement, 1, "f", reads, heap=heap))
        asked = _with_constants(asked, constants) if constants else asked
        sources = _sources(values)
        error = _run(line, values, constants or {})
        after, texts, changed = renderer.render([values], [*([] if error is None else [error]), *sources])
        bound = line.writes if error is None else frozenset[str]()
        effect = _effect(
            (before, dict(heap)), (dict(after[0]), changed), raised=texts[: error is not None], written=bound
        )
        answer = local_view.answer(asked, effect)
        written = local_view.effect_answer(asked, effect) if "?" in answer else ""
    except (Unsupported, MalformedText, KeyError):
        return None
    if len(asked.text) + len(answer) > most or (written and not is_supported(written)):
        return None
    return Example(b"", asked.text.encode(), answer.encode(), kind)


def _with_constants(asked: ShownQuestion, constants: Mapping[str, object]) -> ShownQuestion:
    """The question with the constants as literals in its line."""
    line = _CONSTANT.sub(lambda match: repr(constants[match[0]]), asked.statement)
    return replace(asked, text=line + asked.text[len(asked.statement) :], statement=line)


def _sources(values: Mapping[str, object]) -> list[object]:
    """The iterators that slices read from: a program may hold them too, and a slice that has ended drops its own."""
    return [value.__reduce__()[1][0] for value in values.values() if type(value) is itertools.islice]


def _run(line: _Line, values: dict[str, object], constants: Mapping[str, object]) -> BaseException | None:
    quiet = contextlib.redirect_stdout(io.StringIO()) if line.prints else contextlib.nullcontext()
    values.update(constants)
    try:
        with quiet:
            if line.loop is None:
                exec(line.code, _SPACE, values)
            else:
                target, iterator = line.loop
                values[target] = next(values[iterator])  # type: ignore[call-overload]
    except Exception as error:
        return error.with_traceback(None)
    finally:
        for name in constants:
            del values[name]
    return None


def _effect(
    before: tuple[dict[str, str], dict[int, str]],
    after: tuple[dict[str, str], HeapText],
    *,
    raised: list[str],
    written: frozenset[str],
) -> Effect:
    """The effect between two states, each as locals and heap."""
    (old, heap), (new, changed) = before, after
    return Effect(
        tuple((name, text) for name, text in new.items() if name in written or old.get(name) != text),
        tuple(name for name in old if name not in new),
        tuple((label, text) for label, text in changed if heap.get(label) != text),
        raised[0] if raised else None,
    )
