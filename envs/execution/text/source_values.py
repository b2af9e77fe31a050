"""Sources as text: `random(0, 12)` is the generator of the module `random`, seeded with 0, after 12 words.

    random(seed, words)        rng(seed, words)     a generator of the program's own; a third part is what `gauss` keeps
    inputs(lines, position)    clock(now, tick)
    files(name, text, ...)     textfile(name, mode, position)    an open file; a closed one has the position None

A row of a frame (`@random`, `@input`, `@clock`, `@files`) shows each source that the program can reach.
"""

import ast
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from envs.execution.sources.counted_random import CountedRandom, ModuleRandom, random_at
from envs.execution.sources.memory_files import MemoryFile, MemoryFiles
from envs.execution.sources.scripted_sources import ScriptedClock, ScriptedInput
from envs.execution.state.frames import Bindings


def _stated(kind: str) -> Callable[[object, Any], str]:
    def write(renderer: object, source: Any) -> str:
        state: str = source.state
        return state if state.startswith("?") else f"{kind}({state})"

    return write


VALUES: dict[type, Callable[[object, Any], str]] = {
    ModuleRandom: _stated("random"),
    ScriptedInput: _stated("inputs"),
    ScriptedClock: _stated("clock"),
    MemoryFiles: _stated("files"),
}
"""Sources, which stand in rows of their own."""

CONTENTS: dict[type, Callable[[object, Any], str]] = {
    CountedRandom: _stated("rng"),
    MemoryFile: _stated("textfile"),
}
"""What programs make of sources: objects on the heap."""


def _files(*parts: str) -> MemoryFiles:
    return MemoryFiles(dict(zip(parts[::2], parts[1::2], strict=True)))


MAKERS: dict[str, Callable[..., object]] = {
    "random": lambda *parts: random_at(ModuleRandom, *parts),
    "rng": lambda *parts: random_at(CountedRandom, *parts),
    "inputs": ScriptedInput,
    "clock": ScriptedClock,
    "files": _files,
    "textfile": lambda *parts: MemoryFile(None, *parts),
}
"""Makes each of them again; an open file that is made from its text alone knows no files."""

_PARTS: dict[str, Callable[..., dict[str, Any]]] = {
    "@random": lambda seed, words, kept=None: {"seed": seed},
    "@input": lambda lines, position: {"inputs": list(lines)},
    "@clock": lambda now, tick: {"clock": now, "tick": tick},
    "@files": lambda *parts: {"files": dict(zip(parts[::2], parts[1::2], strict=True))},
}


def source_rows(sources: Mapping[str, object]) -> Bindings:
    """Live sources as rows of a frame; one whose position has no text is left out."""
    texts = ((name, VALUES[type(source)](None, source)) for name, source in sources.items())
    return tuple((name, text) for name, text in texts if not text.startswith("?"))


def world_of_rows(rows: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The world in which the sources begin as the rows of a first frame show them; other rows are left out.

    Raises ValueError for a row that no source has.
    """
    world: dict[str, Any] = {}
    for name, text in rows:
        if name in _PARTS:
            _, _, inner = text.partition("(")
            try:
                world |= _PARTS[name](*ast.literal_eval(f"({inner[:-1]},)" if inner[:-1] else "()"))
            except (SyntaxError, TypeError, MemoryError, RecursionError) as error:
                raise ValueError(f"{name} is {text[:40]!r}, which is no source") from error
    return world


_FUNCTIONS: dict[type, str] = {ModuleRandom: "random.", ScriptedClock: "time.", ScriptedInput: "", MemoryFiles: ""}


def source_function_text(value: types.MethodType) -> str | None:
    """The name of a function that reads a source, such as `random.randint`; None for any other method."""
    module = _FUNCTIONS.get(type(value.__self__))
    return None if module is None else f"{module}{value.__func__.__name__}"


def is_source_function(value: object) -> bool:
    """Whether it is a function that reads a source: imported, it is no data of the module."""
    return isinstance(value, types.MethodType) and type(value.__self__) in _FUNCTIONS
