"""Which lines of a program each call runs; in the sandbox it is the function `envs.execution.sandbox.coverage:lines`.

Based on `sys.settrace`, which the program itself can switch off: coverage guides a search, it judges nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any

from envs.execution.sandbox.call_runner import PROGRAM, attempt, evaluate, load


def lines(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """For `{"source", "calls"}`: the lines run while loading, then for each call its lines and what it gave."""
    namespace: dict[str, Any] = {}
    first = _covered(lambda: namespace.update(load(payload["source"])))
    yield first
    if "raised" in first:
        return
    for call in payload["calls"]:
        yield _covered(partial(evaluate, call, namespace))


def _covered(action: Callable[[], Any]) -> dict[str, Any]:
    seen: set[int] = set()

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != PROGRAM:
            return None
        if event == "line":
            seen.add(frame.f_lineno)
        return trace

    settrace = sys.settrace
    settrace(trace)
    try:
        result = attempt(action)
    finally:
        settrace(None)
    return {"lines": sorted(seen), **result}
