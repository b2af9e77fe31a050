"""What runs in a fork: it waits for one job, then runs one trusted function, whose JSON leaves line by line, with the untrusted program it calls.

Lines start with `d` (data) or `x` (the function itself failed); a dot on a pipe of its own says that it is done. The program shares this interpreter and can
find the pipe; so the pipe carries what the program says, never whether it is right.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from json import loads
from json.encoder import c_make_encoder, encode_basestring_ascii  # type: ignore[attr-defined]
from typing import Any

from envs.execution.containment.privileges import limit_memory

_TRUSTED = "envs."
Emit = Callable[[bytes, Any], None]


def _make_emit(descriptor: int) -> Emit:
    """A writer of JSON lines that holds C functions only: patching `json`, `os` or `builtins` later does not reach it."""
    encode = c_make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, True)
    write, join, to_bytes, size = os.write, "".join, str.encode, len

    def emit(tag: bytes, data: Any) -> None:
        line = tag + to_bytes(join(encode(data, 0)), "ascii") + b"\n"
        sent = write(descriptor, line)
        while sent < size(line):
            sent += write(descriptor, line[sent:])

    return emit


def _refuse(data: object) -> Any:
    raise TypeError(f"A function in the sandbox yields JSON only, and this is a {type(data).__name__}.")


class _Orders:
    """Lines from the worker."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pending = bytearray()

    def next(self) -> bytes | None:
        """The next line, waiting for it; None when the worker has no more."""
        while (end := self._pending.find(b"\n")) < 0:
            chunk = os.read(self._descriptor, 1 << 16)
            if not chunk:
                return None
            self._pending += chunk
        line = bytes(self._pending[:end])
        del self._pending[: end + 1]
        return line

    def __iter__(self) -> Iterator[bytes]:
        while (line := self.next()) is not None:
            yield line


def resolve(name: str) -> Callable[[Any], Any]:
    """The trusted function `module:function`; only this project's own modules are trusted, or visible."""
    module, _, function = name.partition(":")
    if not module.startswith(_TRUSTED):
        raise ValueError(f"{name!r} is not a function of the sandbox: name one as 'envs.execution.MODULE:FUNCTION'.")
    found: Callable[[Any], Any] = getattr(import_module(module), function)
    return found


def _stream(function: Callable[[Any], Iterable[Any]], payload: Any, emit: Emit) -> None:
    """Send each thing the function yields as soon as it yields it."""
    for data in function(payload):
        emit(b"d", data)


def _answer(function: Callable[[Any], Callable[[Any], Any]], payload: Any, emit: Emit, orders: _Orders) -> None:
    """Open the session with the payload, then answer one line with one line until the requests end."""
    parse, respond = loads, function(payload)
    emit(b"d", None)
    for line in orders:
        emit(b"d", respond(parse(line)))


def run(descriptor: int, results: int, bell: int) -> None:
    """Wait for one job, run it to its end and leave this process; never returns."""
    leave, write, flush, emit, orders = os._exit, os.write, sys.stdout.flush, _make_emit(results), _Orders(descriptor)
    header, payload = orders.next(), orders.next()
    if header is None or payload is None:
        leave(0)
        return
    try:
        job = loads(header)
        limit_memory(job["limits"]["memory_bytes"])
        function = resolve(job["function"])
        if job["session"]:
            _answer(function, loads(payload), emit, orders)
        else:
            os.close(descriptor)
            _stream(function, loads(payload), emit)
        flush()
        write(bell, b".")
    except BaseException as error:  # whatever happens here must not unwind into the worker's own code
        try:
            emit(b"x", f"{type(error).__name__}: {error}"[:2000])
        finally:
            leave(1)
    leave(0)
