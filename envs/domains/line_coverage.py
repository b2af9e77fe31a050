"""Which lines of a program each call runs, for real: called inside the sandbox, beside the program.

Needs nothing but the standard library and `envs.execution`, since nothing else is visible there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from envs.execution.sandbox.call_runner import PROGRAM, evaluate, load


def covered(payload: dict[str, Any]) -> Iterator[list[int]]:
    """For each of `calls` (expressions) and `codes` (statements), the lines of `source` that it ran, sorted."""
    namespace = load(payload["source"])
    for kind, text in payload["steps"]:
        lines: set[int] = set()
        sys.settrace(_recorder(lines))
        try:
            if kind == "call":
                evaluate(text, namespace)
            else:
                exec(compile(text, "<test>", "exec"), namespace)  # noqa: S102 - this runs in the sandbox
        except BaseException:  # noqa: S110 - a test that fails has coverage all the same
            pass
        finally:
            sys.settrace(None)
        yield sorted(lines)


def _recorder(lines: set[int]) -> Any:
    def follow(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != PROGRAM:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return follow

    return follow
