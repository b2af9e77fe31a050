"""Line coverage of a program, measured inside the sandbox process.

Imports only the standard library and `envs.execution`, since the sandbox sees nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from envs.execution.sandbox.call_runner import LoadedProgram
from envs.execution.sandbox.program_module import FILENAME


def covered(payload: dict[str, Any]) -> Iterator[list[int]]:
    """For each of `steps` (as `call_runner.run` takes them), the sorted lines of `source` that it ran."""
    program = LoadedProgram(payload["source"], payload["steps"])
    program.load({})
    for step in payload["steps"]:
        lines: set[int] = set()
        sys.settrace(_recorder(lines))
        try:
            program.take(step)
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
