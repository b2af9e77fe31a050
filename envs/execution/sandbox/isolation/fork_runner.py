"""What runs in a fork: it waits for one job, then runs one trusted function, whose JSON leaves line by line.

A job is a line `MEMORY SESSION FUNCTION` and a line of JSON; further lines are a session's requests. Lines
out start with `d` (data) or `x` (the function itself failed); a dot on the bell says that it has finished.
The untrusted program shares this interpreter and can find the channel; so the channel carries what the
program says, never whether it is right.

All that can be made before the fork is made there: a fork pays for every page it touches, some 4 microseconds
each.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from json.decoder import JSONDecoder
from json.encoder import c_make_encoder, encode_basestring_ascii  # type: ignore[attr-defined]
from typing import Any

from envs.execution.sandbox.isolation.kernel.privileges import limit_memory

CHANNEL, BELL = 3, 4
"""The descriptors of a fork's channel, and of the pipe on which it says that it has finished."""
_TRUSTED = "envs."
_known: dict[str, Callable[[Any], Any]] = {}
_scan: Callable[[str, int], tuple[Any, int]] = JSONDecoder().scan_once  # type: ignore[attr-defined]
Emit = Callable[[bytes, Any], None]


def _refuse(data: object) -> Any:
    raise TypeError(f"A function in the sandbox yields JSON only, and this is a {type(data).__name__}.")


def _make_emit() -> Emit:
    """A writer of JSON lines that holds C functions only: patching `json`, `os` or `builtins` does not reach it."""
    encode = c_make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, True)
    write, join, to_bytes, size, channel = os.write, "".join, str.encode, len, CHANNEL

    def emit(tag: bytes, data: Any) -> None:
        line = tag + to_bytes(join(encode(data, 0)), "ascii") + b"\n"
        sent = write(channel, line)
        while sent < size(line):
            sent += write(channel, line[sent:])

    return emit


def _parse(line: bytes) -> Any:
    return _scan(line.decode(), 0)[0]


def _orders() -> Iterator[bytes]:
    """Lines from the parent, until it is gone."""
    pending = b""
    while chunk := os.read(CHANNEL, 1 << 16):
        pending += chunk
        if b"\n" in chunk:
            *lines, pending = pending.split(b"\n")
            yield from lines


def resolve(name: str) -> Callable[[Any], Any]:
    """The trusted function `module:function`; only this project's own modules are trusted, or visible."""
    if name not in _known:
        module, _, function = name.partition(":")
        if not module.startswith(_TRUSTED):
            raise ValueError("name one as 'envs.execution.MODULE:FUNCTION'.")
        _known[name] = getattr(import_module(module), function)
    return _known[name]


def _stream(function: Callable[[Any], Iterable[Any]], payload: Any, emit: Emit) -> None:
    """Send each thing the function yields as soon as it yields it; what can be called sends from inside by itself."""
    for data in function(payload):
        if callable(data):
            data(partial(emit, b"d"))
        else:
            emit(b"d", data)


def _answer(function: Callable[[Any], Callable[[Any], Any]], payload: Any, emit: Emit, orders: Iterator[bytes]) -> None:
    """Open the session with the payload, then answer one line with one line until the requests end."""
    parse, respond = _parse, function(payload)
    emit(b"d", None)
    for line in orders:
        emit(b"d", respond(parse(line)))


def make_runner() -> Callable[[], None]:
    """What waits for one job, runs it to its end and leaves the process; made before the fork, called in it."""
    leave, write, flush, emit = os._exit, os.write, sys.stdout.flush, _make_emit()

    def run() -> None:
        orders = _orders()
        try:
            memory, session, name = next(orders).split(b" ")
            payload = _parse(next(orders))
            limit_memory(int(memory))
            if session == b"1":
                _answer(_known[name.decode()], payload, emit, orders)
            else:
                _stream(_known[name.decode()], payload, emit)
            flush()
            write(BELL, b".")
        except BaseException as error:  # whatever happens here must not unwind into the worker's own code
            try:
                emit(b"x", f"{type(error).__name__}: {error}"[:2000])
            finally:
                leave(1)
        leave(0)

    return run
