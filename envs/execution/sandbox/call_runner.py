"""Runs a program's calls beside the program, in a fork of the sandbox, and says what each of them gave.

What leaves is the tree of a value or the name of an exception: never a verdict, since the program shares this
interpreter. The functions here are named to the sandbox as `envs.execution.sandbox.call_runner:NAME`. Knows no expected
value.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from types import FrameType
from typing import TYPE_CHECKING, Any

from envs.execution.sandbox.isolation import wire_format
from envs.execution.sandbox.program_module import FILENAME, program_namespace
from envs.execution.sources.source_use import used_sources

if TYPE_CHECKING:
    from envs.execution.sources.source_set import SourceSet

_MESSAGE = 200
_TraceFunction = Callable[[FrameType, str, Any], Any]


def load(source: str, sources: SourceSet | None = None) -> dict[str, Any]:
    """The namespace of a program after its module code has run."""
    if sources is None and "random" in source:  # the same draws in every run
        import random

        random.seed(0)
    namespace = program_namespace(source)
    if sources is not None:
        namespace["__builtins__"] = sources.builtins()
    exec(compile(source, FILENAME, "exec"), namespace)
    return namespace


def evaluate(call: str, namespace: dict[str, Any]) -> Any:
    """The value of an expression over the program's names."""
    return eval(compile(call, "<call>", "eval"), namespace)


def describe(error: BaseException) -> dict[str, str]:
    """An exception as its class name and message; a message that cannot be made is left out."""
    name = type.__dict__["__name__"].__get__(type(error))
    try:
        message = str(error)
    except BaseException:
        message = ""
    return {"raised": name, "message": message[:_MESSAGE] if type(message) is str else ""}


def attempt(action: Callable[[], Any]) -> dict[str, Any]:
    """What the action gave: `{"returned": tree}` or `{"raised": name, "message": text}`; SystemExit is one of those."""
    clock = process_time
    start = clock()
    try:
        value = action()
        spent = clock() - start
        return {"returned": wire_format.tree(value), "cpu_s": spent}
    except BaseException as error:
        return {**describe(error), "cpu_s": clock() - start}


def step_limit(steps: int | None, emit_and_leave: Callable[[], Any]) -> _TraceFunction | None:
    """A trace function that calls `emit_and_leave` when the program has run more lines than `steps`."""
    if steps is None:
        return None
    left = steps

    def count(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename != FILENAME:
            return None
        if event == "line":
            left -= 1
            if left < 0:
                emit_and_leave()
        return count

    return count


def _out_of_steps() -> None:
    # Not an exception: the program could catch it. The code is told apart outside by OUT_OF_STEPS.
    os._exit(OUT_OF_STEPS)


OUT_OF_STEPS = 79


def _counted(action: Callable[[], Any], steps: int | None) -> dict[str, Any]:
    settrace = sys.settrace
    settrace(step_limit(steps, _out_of_steps))
    try:
        return attempt(action)
    finally:
        settrace(None)


class LoadedProgram:
    """A program's namespace; a program that reads sources is loaded anew for each test, in that test's world."""

    def __init__(self, source: str, steps: list[dict[str, Any]]) -> None:
        self._source = source
        self._used = used_sources(source).union(*(used_sources(step.get("code", "")) for step in steps))
        self._installed = contextlib.ExitStack()
        self.namespace: dict[str, Any] = {}

    def load(self, world: dict[str, Any]) -> None:
        """Run the module in a world; only a program that reads sources can tell worlds apart."""
        sources = None
        if self._used:
            from envs.execution.sources.source_set import SourceSet  # it imports `random`, which few programs need

            self._installed.close()
            sources = SourceSet.of_world(self._used, world)
            self._installed.enter_context(sources.installed())
        self.namespace = load(self._source, sources)

    def take(self, step: dict[str, Any]) -> Any:
        """Do one step: the value of an expression, or None of statements."""
        if self._used and "world" in step:
            self.load(step["world"])
        if "call" in step:
            return evaluate(step["call"], self.namespace)
        exec(compile(step["code"], "<test>", "exec"), self.namespace)
        return None


def run(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Load `source`, then do each of `steps` (`call`: expression, `code`: statements); results in order, load first.

    The first step of each test has the test's `world`: what `random`, `input`, clocks and files give the program.
    """
    program = LoadedProgram(payload["source"], payload["steps"])
    first = _counted(lambda: program.load({}), payload["limit"])
    yield first
    if "raised" not in first:
        for step in payload["steps"]:
            yield _counted(partial(program.take, step), payload["limit"])


def judge(payload: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Evaluate expressions over values that a program gave elsewhere; no untrusted code runs in this fork."""
    import math

    for item in payload:
        names = {"math": math} | {name: wire_format.value(tree) for name, tree in item["values"].items()}
        yield attempt(partial(_truth, item["expression"], names))


def _truth(expression: str, names: dict[str, Any]) -> bool:
    return bool(evaluate(expression, names))
