"""Constants of a patch that come from tests: copied from any of them, or fitted to the only one that fails.

One failing test can be satisfied by a constant: `return total - 1` fits every test that is off by one. Runs nothing.
"""

import ast
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from tasks.errors import NotPlain, TaskError
from tasks.reading.program_text import parse
from tasks.result_text import read_result
from tasks.task import CallTest, CodeTest, Test

TRIVIAL = ("0", "1", "-1", "''", "True", "False", "None", "0.0", "1.0")
"""Constants that say nothing where a test has them too."""
COMMON = (*TRIVIAL, "2", "10", "100", "' '")
"""Constants that every program may have, whatever its tests."""

FailingTest = tuple[Test, str]
"""A test that the buggy program fails, and what it gave instead of the expected result."""


def has_copied_constant(source: str, patched: str, tests: Sequence[Test]) -> bool:
    """Whether a patch has a constant that the program did not have and a test has."""
    new = _constants(patched).keys() - _constants(source).keys() - {*COMMON}
    return bool(new & frozenset().union(*(_of_test(test).keys() for test in tests)))


def has_fitted_constant(source: str, patched: str, failing: Sequence[FailingTest]) -> bool:
    """Whether a patch adds a constant that the only failing test has, or by which its result was wrong."""
    if len(failing) != 1:
        return False
    [(test, given)] = failing
    added = Counter(_constants(patched))
    added.subtract(_constants(source))
    new = {text for text, count in added.items() if count > 0}
    return bool(new & (_of_test(test).keys() - {*TRIVIAL} | _shifts(test, given)))


def _shifts(test: Test, given: str) -> set[str]:
    """By how much a number is wrong, without its sign: a patch writes it after `+` or `-`."""
    if isinstance(test, CodeTest):
        return set()
    try:
        wanted, found = read_result(test.expected), read_result(given)
    except NotPlain:
        return set()
    plain = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (wanted, found))
    return {repr(abs(wanted - found))} if plain and wanted != found else set()  # type: ignore[operator]


@lru_cache(64)
def _constants(source: str) -> Counter[str]:
    """The constants of a program as texts, with how often they stand there."""
    try:
        tree = parse(source)
    except TaskError:
        return Counter()
    return Counter(repr(each.value) for each in ast.walk(tree) if isinstance(each, ast.Constant))


def _of_test(test: Test) -> Counter[str]:
    """The constants of a test; of one that is only code, none: it may name what the program must have."""
    if isinstance(test, CodeTest):
        return Counter()
    if isinstance(test, CallTest):
        return _constants(f"f({test.arguments}\n), {test.expected}")
    return _constants(test.code) + _constants(test.expected)
