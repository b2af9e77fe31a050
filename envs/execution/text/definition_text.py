"""Functions and classes as text: things that are told by where they are defined; knows no label."""

import builtins
import types
from collections.abc import Mapping

from envs.execution.text.value_writers import ObjectWriter


def class_name(kind: type, namespace: Mapping[str, object]) -> str:
    """The name by which a class can be found again; empty for one made in a function."""
    name = kind.__name__
    if namespace.get(name) is kind or getattr(builtins, name, None) is kind:
        return name
    return "" if "<locals>" in kind.__qualname__ else f"{kind.__module__}.{kind.__qualname__}"


def function_text(
    renderer: ObjectWriter, value: types.FunctionType, namespace: Mapping[str, object], filename: str
) -> str:
    """A function's name; for a nested one of the program the line it stands on, its cells and its defaults."""
    code = value.__code__
    name = code.co_name
    if namespace.get(name) is value:
        return name
    if code.co_filename != filename:
        nameless = "<" in value.__qualname__
        return "?a lambda of another module" if nameless else f"{value.__module__}.{value.__qualname__}"
    cells = renderer.items(value.__closure__ or ())
    given = renderer.items(value.__defaults__ or ())
    if value.__kwdefaults__:
        return "?function with keyword defaults"
    place = f"{name.strip('<>')}@{code.co_firstlineno}"  # a lambda has no name of its own
    return f"{place}({cells}; {given})" if given else f"{place}({cells})"


def builtin_text(renderer: ObjectWriter, value: types.BuiltinFunctionType) -> str:
    """A builtin function with its module, or a builtin method with the object it is bound to."""
    owner = value.__self__
    if isinstance(owner, types.ModuleType):
        return value.__name__ if owner is builtins else f"{owner.__name__}.{value.__name__}"
    return f"{renderer.text(owner)}.{value.__name__}"
