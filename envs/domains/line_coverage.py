"""Line coverage of a program, measured inside the sandbox process.

Imports only the standard library and `envs.execution`, since the sandbox sees nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from envs.execution.sandbox.call_runner import evaluate, load
from envs.execution.sandbox.program_module import FILENAME


def covered(payload: dict[str, Any]) -> Iterator[list[int]]:
    """For each of `steps` (a call expression or test code), the sorted lines of `source` that it ran."""
    namespace = load(payload["source"])
    for kind, text in payload["steps"]:
        lines: set[int] = set()
        sys.settrace(_recorder(lines))
        try:
            if kind == "call":
                evaluate(text, namespace)
            else:
                exec(compile(text, "<test>", "exec"), namespace)  # noqa: S102 - this runs in the sandbox
        except BaseException:  # noqa: S110 - a failing test has coverage too
            pass
        finally:
            sys.settrace(None)
        yield sorted(lines)


def _recorder(lines: set[int]) -> Any:
    def follow(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != FILENAME:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return follow

    return follow
