"""Counts the function calls of a reader, so that "bounded work" is a number and not a time."""

import sys
from types import CodeType, FrameType, TracebackType
from typing import Any


class WorkExceeded(BaseException):
    """More calls than the input is worth; no `except Exception` of a reader hides it."""


class WorkMeter:
    """Counts calls between `__enter__` and `__exit__`, and notes the call sites of one source tree."""

    def __init__(self, budget: int, root: str) -> None:
        self._left = self._budget = budget
        self._root = root
        self._ours: dict[CodeType, bool] = {}
        self.sites: set[int] = set()

    def __enter__(self) -> "WorkMeter":
        self._before = sys.getprofile()
        sys.setprofile(self._count)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        sys.setprofile(self._before)

    def _count(self, frame: FrameType, event: str, arg: Any) -> None:
        if event not in ("call", "c_call"):
            return
        self._left -= 1
        if self._left < 0:
            raise WorkExceeded(f"more than {self._budget} function calls")
        code = frame.f_code
        ours = self._ours.get(code)
        if ours is None:
            ours = self._ours[code] = code.co_filename.startswith(self._root)
        if ours:
            self.sites.add(hash((code.co_filename, code.co_firstlineno, frame.f_lineno, event)))
