"""Tests of programs that draw: a call is made many times with different seeds, and a condition holds for all results.

    {"arguments": "6", "runs": 200, "holds": "3.2 < sum(results) / len(results) < 3.8", "first_seed": 0}

The condition is an expression over `results`, the list of what the calls gave. Such a test becomes a FunctionTest, so
that it is run and imagined as any other: run i calls `random.seed(first_seed + i)` before its call. The same seeds give
the same results, so the test passes or fails for good; the bound says how far from the expected figure a right program
may be.
"""

import ast
from collections.abc import Mapping
from typing import Any

from tasks.errors import BadSource, BadTask
from tasks.reading.program_text import parse_expression
from tasks.scripted_world import world_from
from tasks.task import FunctionTest, check_arguments

MOST_RUNS = 10_000
_FIELDS = frozenset({"arguments", "runs", "holds", "first_seed", "world"})
_CODE = """results = []
for seed in range({first}, {end}):
    random.seed(seed)
    results.append({entry}({arguments}))
return bool({holds})
"""


def repeated_test(item: Mapping[str, Any], entry: str) -> FunctionTest:
    """The test of a row with `runs`; BadTask names the field that is wrong."""
    for name in sorted(item.keys() - _FIELDS):
        raise BadTask(name, f"is no field of a test with runs; it has {', '.join(sorted(_FIELDS))}")
    runs, first = item["runs"], item.get("first_seed", 0)
    if isinstance(runs, bool) or not isinstance(runs, int) or not 2 <= runs <= MOST_RUNS:
        raise BadTask("runs", f"must be a whole number from 2 to {MOST_RUNS:,}, got {runs!r}")
    if isinstance(first, bool) or not isinstance(first, int) or first < 0:
        raise BadTask("first_seed", f"must be a whole number of at least 0, got {first!r}")
    arguments, holds = item.get("arguments", ""), item.get("holds")
    if not isinstance(arguments, str):
        raise BadTask("arguments", f"must be a text, got {type(arguments).__name__}")
    check_arguments(arguments)
    _check_condition(holds)
    code = _CODE.format(first=first, end=first + runs, entry=entry, arguments=arguments, holds=holds)
    return FunctionTest(code, "True", setup="import random", world=world_from(item.get("world", {})))


def _check_condition(holds: object) -> None:
    if not isinstance(holds, str):
        raise BadTask("holds", "must be an expression over `results`, such as 'max(results) <= 6'")
    try:
        parsed = parse_expression(holds)
    except BadSource as error:
        raise BadTask("holds", f"{holds!r} does not parse: {error}") from error
    if not any(isinstance(node, ast.Name) and node.id == "results" for node in ast.walk(parsed)):
        raise BadTask("holds", f"{holds!r} does not look at `results`, so every program passes or none does")
