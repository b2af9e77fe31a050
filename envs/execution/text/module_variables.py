"""Module variables that a frame shows, and mutable default arguments as `function.name`; knows no run and no label."""

import types
from collections.abc import Mapping
from functools import lru_cache

from envs.execution.decompose.program import FILENAME, Program

_NO_DATA = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type)
_DATA_MODULES = frozenset({"builtins", "collections", "program", "re", "fractions", "decimal", "datetime"})
"""Modules of types whose values are data; named tuples and enums are the program's own."""
_MUTABLE = (list, dict, set, bytearray)


def shared_names(program: Program, namespace: Mapping[str, object]) -> tuple[str, ...]:
    """Module variables that functions refer to, and `function.parameter` for defaults that can change."""
    used, declared, may_default = _used(program)
    data = []
    if not used.isdisjoint(namespace):
        data = [name for name in used if name in namespace and not isinstance(namespace[name], _NO_DATA)]
    written = [name for name in declared if name not in namespace] if declared else []
    defaults = _default_names(namespace) if may_default else []
    return tuple(sorted({*data, *written, *defaults})) if data or written or defaults else ()


def _default_names(namespace: Mapping[str, object]) -> list[str]:
    return [
        f"{name}.{parameter}"
        for name, function in namespace.items()
        if type(function) is types.FunctionType and function.__defaults__ and function.__code__.co_filename == FILENAME
        for parameter, value in _defaults(function)
        if isinstance(value, _MUTABLE)
    ]


@lru_cache(maxsize=256)
def _used(program: Program) -> tuple[frozenset[str], frozenset[str], bool]:
    """Names that functions look up outside themselves, those of them declared `global`, whether any has defaults."""
    codes = [code for code in program.codes().values() if code.co_name != "<module>"]
    used = frozenset(name for code in codes for name in code.co_names)
    layout = program.layout
    declared = {name for key in layout.functions for name in layout.declared_global(key)}
    defaults = "lambda" in program.source or any(node.args.defaults for node in layout.functions.values())
    return frozenset(name for name in used if not name.startswith("__")), frozenset(used & declared), defaults


def _defaults(function: types.FunctionType) -> list[tuple[str, object]]:
    given = function.__defaults__ or ()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return list(zip(names[len(names) - len(given) :], given, strict=True))


def shared_values(names: tuple[str, ...], namespace: Mapping[str, object]) -> dict[str, object]:
    """The present values of the shared names; a typing alias is no data and left out."""
    values: dict[str, object] = {}
    for name in names:
        owner, _, parameter = name.partition(".")
        thing = namespace.get(owner)
        if parameter and isinstance(thing, types.FunctionType):
            values[name] = dict(_defaults(thing))[parameter]
        elif owner in namespace and type(thing).__module__ in _DATA_MODULES:
            values[name] = thing
    return values


def set_shared(name: str, value: object, namespace: dict[str, object]) -> None:
    """Give a shared name its value back."""
    owner, _, parameter = name.partition(".")
    if not parameter:
        namespace[owner] = value
        return
    function = namespace[owner]
    assert isinstance(function, types.FunctionType)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    given = list(function.__defaults__ or ())
    given[names.index(parameter) - len(names)] = value
    function.__defaults__ = tuple(given)
