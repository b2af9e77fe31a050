"""Reads HumanEvalPack rows as repair tasks: the declaration with the buggy body, and each assert as one test."""

import ast
from typing import Literal

from tasks.errors import BadSource, BadTask
from tasks.reading.program_text import parse
from tasks.rows import Row, optional_text_of, program_of, text_of
from tasks.suites import Renamed, read_suite
from tasks.task import RepairTask, Test

FIELDS = frozenset({"task_id", "declaration", "buggy_solution", "entry_point", "test"})

Visible = Literal["test", "example"]
"""The visible tests: the asserts of `test`, or those of `example_test` with `test` as hidden tests."""


def read_humanevalpack(row: Row, visible: Visible = "test") -> RepairTask:
    """The repair task of one row."""
    entry, declaration = text_of(row, "entry_point"), program_of(row, "declaration")
    tests = _tests(row, "test", entry)
    visible_tests = tests if visible == "test" else _tests(row, "example_test", entry)
    if not visible_tests:
        field = "test" if visible == "test" else "example_test"
        raise BadTask(field, f"has no assert{'; try visible=test' if tests else ''}")
    return RepairTask(
        id=f"humanevalpack/{text_of(row, 'task_id')}",
        source=declaration + text_of(row, "buggy_solution"),
        entry=entry,
        tests=visible_tests,
        hidden=() if visible == "test" else tests,
        reference=declaration + text_of(row, "canonical_solution"),
        origin="HumanEvalPack, bigcode-project/octopack",
        licence="MIT",
        tier=optional_text_of(row, "bug_type"),
    )


def _tests(row: Row, field: str, entry: str) -> tuple[Test, ...]:
    """The tests of a module that defines `check(candidate)`, or of its top-level asserts."""
    try:
        module = parse(program_of(row, field))
    except BadSource as error:
        raise BadTask(field, f"does not parse: {error}") from error
    check = next((part for part in module.body if isinstance(part, ast.FunctionDef) and part.name == "check"), None)
    if check is None:
        return tuple(read_suite(module.body, entry))
    around = [part for part in module.body if part is not check and not _calls_check(part)]
    renamed = Renamed({argument.arg: ast.Name(entry, ast.Load()) for argument in check.args.args[:1]})
    return tuple(read_suite([renamed.visit(part) for part in check.body], entry, around))


def _calls_check(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="check"))):
            return True
    return False
