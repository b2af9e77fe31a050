"""Generators of the program as text: the function, where it stands, and the variables it will resume with.

A live generator tells all of this itself. A rebuilt one is a `HeldGenerator`: it can be moved about and written again,
but C code cannot resume it, since no frame of Python can be begun in the middle.
"""

import gc
import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from envs.execution.state.value_grammar import Unsupported
from envs.execution.text.value_writers import ObjectWriter

NO_GENERATOR = "?generator"


class ShownVariables(Protocol):
    """Which variables of a suspended function a frame shows."""

    def __call__(
        self, code: types.CodeType, line: int, values: Mapping[str, object]
    ) -> Mapping[str, object] | None: ...


@dataclass(slots=True, eq=False)
class HeldGenerator:
    """A generator that was rebuilt from text."""

    items: tuple[object, ...] = ()
    fields: dict[str, object] = field(default_factory=dict)

    def __iter__(self) -> "HeldGenerator":
        return self

    def __next__(self) -> object:
        raise Unsupported("a generator that C code makes go on")


def generator_text(
    renderer: ObjectWriter,
    thing: "types.GeneratorType[object, object, object] | HeldGenerator",
    shown: ShownVariables,
    is_running: Callable[[types.FrameType], bool],
) -> str:
    """The content of a generator."""
    if isinstance(thing, HeldGenerator):
        return _written(renderer, thing.items, thing.fields)
    frame, code = thing.gi_frame, thing.gi_code
    if frame is None:
        return "generator()"
    if is_running(frame):
        return _written(renderer, (code.co_name, code.co_firstlineno, None), {})
    begun = inspect.getgeneratorstate(thing) != inspect.GEN_CREATED
    line = frame.f_lineno if begun else code.co_firstlineno
    values = shown(code, line if begun else 0, {**frame.f_locals, **cells_of(thing)})
    return NO_GENERATOR if values is None else _written(renderer, (code.co_name, code.co_firstlineno, line), values)


def cells_of(thing: "types.GeneratorType[object, object, object]") -> dict[str, types.CellType]:
    """The cells that a generator shares with the functions around it, by name; its frame shows what they hold."""
    code = thing.gi_code
    if not code.co_freevars:
        return {}
    cells = [each for each in gc.get_referents(thing) if isinstance(each, types.CellType)]
    return dict(zip(code.co_freevars, cells[len(cells) - len(code.co_freevars) :], strict=True))


def _written(renderer: ObjectWriter, items: tuple[object, ...], fields: Mapping[str, object]) -> str:
    parts = [renderer.text(each) for each in items]
    parts += [f"{name}={renderer.text(fields[name])}" for name in sorted(fields)]
    return f"generator({', '.join(parts)})"
