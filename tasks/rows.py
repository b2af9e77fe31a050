"""The JSONL format of this project: one task per row, with its type in `kind`; written tasks are read back equal.

    {"kind": "repair", "id", "source", "entry", "tests", "hidden", "reference", ...}
    {"kind": "trace", "id", "source", "entry", "arguments", "expected"}
    {"kind": "permutation", "id", "start", "goal", "generators", "distance", "style"}

A test is `{"arguments", "expected", "comparison"?, "world"?}`, `{"code"}`, or `{"arguments", "runs", "holds"}` for a
program that draws (`formats/repeated_tests.py`). `text_of` and `optional_text_of` read checked fields of other row
formats too. Knows no path: the loader adds file and line to errors.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, cast

from tasks.comparison import EQUAL, Comparison, Kind
from tasks.errors import BadTask, NotPlain, did_you_mean
from tasks.formats.repeated_tests import repeated_test
from tasks.output.atomic_file import write_file
from tasks.scripted_world import NO_WORLD, ScriptedWorld, world_from
from tasks.task import (
    CallTest,
    CodeTest,
    FunctionTest,
    PermutationTask,
    RepairTask,
    Split,
    Style,
    Task,
    Test,
    TraceTask,
)
from tasks.value import read_number

Row = Mapping[str, Any]

KINDS: dict[str, type[RepairTask] | type[TraceTask] | type[PermutationTask]] = {
    "repair": RepairTask,
    "trace": TraceTask,
    "permutation": PermutationTask,
}


def read_row(row: Row) -> Task:
    """The task of a row; BadTask names the field that is missing, unknown or wrong."""
    kind = text_of(row, "kind")
    if kind not in KINDS:
        raise BadTask("kind", f"{kind!r} is not known. {did_you_mean(kind, KINDS)}")
    _check_names(row, KINDS[kind])
    readers: dict[str, Callable[[Row], Task]] = {
        "repair": _repair,
        "trace": _trace,
        "permutation": _permutation,
    }
    return readers[kind](row)


def write_row(task: Task) -> dict[str, object]:
    """The row of a task, without fields that have their default value."""
    (kind,) = (name for name, type_ in KINDS.items() if isinstance(task, type_))
    row: dict[str, object] = {"kind": kind}
    for field in fields(task):
        value = getattr(task, field.name)
        if field.default is MISSING or value != field.default:
            row[field.name] = _field_value(field.name, value)
    return row


def _field_value(name: str, value: Any) -> object:
    if isinstance(value, ScriptedWorld):
        return value.record()
    return [_test_row(test) for test in value] if name in ("tests", "hidden") else value


def write_tasks(path: Path, tasks: Iterable[Task]) -> None:
    """Writes a file with one row per task; an existing file is replaced atomically."""
    text = "".join(json.dumps(write_row(task), ensure_ascii=False) + "\n" for task in tasks)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, text)


def text_of(row: Row, field: str) -> str:
    """A required text field."""
    value = _required(row, field)
    if not isinstance(value, str):
        raise BadTask(field, f"must be a text, got {type(value).__name__}")
    return value


def program_of(row: Row, field: str) -> str:
    """A required program text; a BOM before it is dropped."""
    return text_of(row, field).removeprefix("\ufeff")


def optional_text_of(row: Row, field: str) -> str | None:
    """A text field that may be absent or null."""
    return None if row.get(field) is None else text_of(row, field)


def _required(row: Row, field: str) -> Any:
    if field not in row:
        near = did_you_mean(field, row)
        hint = near if near.startswith("Did") else f"The row has: {', '.join(row) or 'nothing'}."
        raise BadTask(field, f"is missing. {hint}")
    return row[field]


def _list_of(row: Row, field: str) -> list[Any]:
    value = _required(row, field)
    if not isinstance(value, list):
        raise BadTask(field, f"must be a list, got {type(value).__name__}")
    return value


def _check_names(row: Row, task_type: type) -> None:
    known = {"kind", *(field.name for field in fields(task_type))}
    for name in row:
        if name not in known:
            raise BadTask(name, f"is no field of {task_type.__name__}. {did_you_mean(name, known)}")


def _repair(row: Row) -> RepairTask:
    patch = _list_of(row, "known_patch") if row.get("known_patch") is not None else None
    return RepairTask(
        id=text_of(row, "id"),
        source=program_of(row, "source"),
        entry=text_of(row, "entry"),
        tests=tuple(_tests(row, "tests")),
        hidden=tuple(_tests(row, "hidden")) if "hidden" in row else (),
        reference=None if row.get("reference") is None else program_of(row, "reference"),
        known_patch=None if patch is None else tuple(map(str, patch)),
        origin=optional_text_of(row, "origin") or "unknown",
        licence=optional_text_of(row, "licence") or "unknown",
        tier=optional_text_of(row, "tier"),
        split=cast(Split | None, optional_text_of(row, "split")),
    )


def _trace(row: Row) -> TraceTask:
    return TraceTask(
        id=text_of(row, "id"),
        source=program_of(row, "source"),
        entry=text_of(row, "entry"),
        arguments=text_of(row, "arguments"),
        expected=optional_text_of(row, "expected"),
        origin=optional_text_of(row, "origin") or "unknown",
        licence=optional_text_of(row, "licence") or "unknown",
        world=world_from(row.get("world", {})),
    )


def _permutation(row: Row) -> PermutationTask:
    generators = _required(row, "generators")
    distance = _required(row, "distance")
    if not isinstance(distance, int) or isinstance(distance, bool):
        raise BadTask("distance", f"must be an integer, got {distance!r}")
    if not isinstance(generators, str):
        generators = tuple(_integers("generators", move) for move in _list_of(row, "generators"))
    return PermutationTask(
        id=text_of(row, "id"),
        start=_integers("start", _list_of(row, "start")),
        goal=_integers("goal", _list_of(row, "goal")),
        generators=generators,
        distance=distance,
        style=cast(Style, optional_text_of(row, "style") or "straight"),
    )


def _integers(field: str, items: object) -> tuple[int, ...]:
    if not isinstance(items, list) or not all(type(item) is int for item in items):
        raise BadTask(field, f"must be a list of integers, got {items!r}")
    return tuple(items)


def _tests(row: Row, field: str) -> Iterator[Test]:
    for number, item in enumerate(_list_of(row, field)):
        try:
            yield _test(item, str(row.get("entry", "")))
        except BadTask as error:
            raise BadTask(f"{field}[{number}].{error.field}", error.message) from error


def _test(item: object, entry: str) -> Test:
    if not isinstance(item, dict):
        raise BadTask("test", f"must be an object, got {type(item).__name__}")
    if "runs" in item:
        return repeated_test(item, entry)
    known = {*(("code", "setup") if "code" in item else ("arguments",)), "expected", "comparison", "world"}
    for name in item.keys() - known:
        raise BadTask(name, f"is no field of this test. {did_you_mean(name, known)}")
    if "code" in item and "expected" not in item:
        return CodeTest(program_of(item, "code"))
    expected, comparison = text_of(item, "expected"), _comparison(item.get("comparison"))
    world = world_from(item.get("world", {}))
    if "code" in item:
        setup = optional_text_of(item, "setup") or ""
        return FunctionTest(program_of(item, "code"), expected, comparison, setup, world)
    return CallTest(text_of(item, "arguments"), expected, comparison, world)


def _comparison(item: object) -> Comparison:
    if item is None:
        return EQUAL
    if not isinstance(item, dict):
        raise BadTask("comparison", f"must be an object, got {type(item).__name__}")
    for name in item.keys() - {"kind", "absolute", "relative"}:
        raise BadTask("comparison", f"has no {name!r}. {did_you_mean(name, ['kind', 'absolute', 'relative'])}")
    try:
        tolerances = {name: read_number(item[name]) for name in ("absolute", "relative") if name in item}
    except NotPlain as error:
        raise BadTask("comparison", f"a tolerance must be a number: {error}") from error
    kind = cast(Kind, text_of(item, "kind")) if "kind" in item else EQUAL.kind
    return Comparison(kind, **tolerances)


def _test_row(test: Test) -> dict[str, object]:
    if isinstance(test, CodeTest):
        return {"code": test.code}
    row: dict[str, object] = {"code": test.code} if isinstance(test, FunctionTest) else {"arguments": test.arguments}
    row["expected"] = test.expected
    if test.world != NO_WORLD:
        row["world"] = test.world.record()
    if isinstance(test, FunctionTest) and test.setup:
        row["setup"] = test.setup
    if test.comparison != EQUAL:
        given = test.comparison
        row["comparison"] = {
            field.name: getattr(given, field.name)
            for field in fields(given)
            if field.name == "kind" or getattr(given, field.name)
        }
    return row
