"""Functions and classes as text: things that are told by where they are defined; knows no label."""

import abc
import builtins
import json
import types
import typing
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Mapping

from envs.execution.text.source_values import source_function_text
from envs.execution.text.value_writers import ObjectWriter

_COLLECTIONS = (OrderedDict, Counter, defaultdict)
_VALUES = (int, float, str, tuple)
_EMPTY_BASES = frozenset({object, abc.ABC, typing.Generic, typing.Protocol, list, dict, *_COLLECTIONS, *_VALUES})
"""Foreign classes that an own class may derive from: they hold nothing, or items, which stand in front of fields."""

_OWN_MODULES = frozenset({"program", "builtins", "abc", "typing"})


def class_name(kind: type, namespace: Mapping[str, object]) -> str:
    """The name by which a class can be found again; empty for one made in a function, or whose name means another."""
    name = kind.__name__
    if namespace.get(name) is kind:
        return name
    if getattr(builtins, name, None) is kind:
        return f"builtins.{name}" if isinstance(namespace.get(name), type) else name
    hidden = kind.__module__ == "program" and kind.__qualname__ == name
    return "" if hidden or "<locals>" in kind.__qualname__ else f"{kind.__module__}.{kind.__qualname__}"


def type_text(kind: type, namespace: Mapping[str, object]) -> str:
    """A class as a value; one of Python's own with its module where the program gives its name to something else."""
    name = class_name(kind, namespace)
    if not name:
        return "?a class that no name of the module means"
    return name if namespace.get(name, kind) is kind else f"{kind.__module__}.{name}"


def exception_parts(error: BaseException) -> tuple[object, ...]:
    """What makes an exception again: its arguments, or more where these do not tell it all."""
    if isinstance(error, json.JSONDecodeError):
        return (error.msg, error.doc, error.pos)
    named = isinstance(error, OSError) and len(error.args) == 2 and error.filename is not None
    return (*error.args, error.filename) if named and isinstance(error, OSError) else error.args


def is_own_class(kind: type, namespace: Mapping[str, object]) -> bool:
    """Whether the class and all above it are the program's own, so that its objects are their fields and no more."""
    if namespace.get(kind.__name__) is not kind or not kind.__dictoffset__:
        return False
    foreign = [each for each in kind.__mro__ if each.__module__ not in _OWN_MODULES and each not in _COLLECTIONS]
    if issubclass(kind, list | dict) and foreign:
        return False
    return all(namespace.get(each.__name__) is each or each in _EMPTY_BASES for each in kind.__mro__)


def attribute_name(function: types.FunctionType) -> str:
    """The name under which a class holds a method: a private one has the class in it."""
    name, owner = function.__name__, function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    private = name.startswith("__") and not name.endswith("__") and owner.strip("_")
    return f"_{owner.lstrip('_')}{name}" if private else name


def method_text(renderer: ObjectWriter, value: types.MethodType, namespace: Mapping[str, object]) -> str:
    """A bound method: its object and its name, with `super` where the object's class has another of that name."""
    receiver, function = value.__self__, value.__func__
    if (read := source_function_text(value)) is not None:
        return read
    if not isinstance(function, types.FunctionType):
        return f"{renderer.text(receiver)}.{value.__name__}"
    name = attribute_name(function)
    kind = receiver if isinstance(receiver, type) else type(receiver)
    found = [each for each in kind.__mro__ if name in vars(each)]
    functions = [getattr(vars(each)[name], "__func__", vars(each)[name]) for each in found]
    if not found or functions[0] is function or function not in functions:
        return f"{renderer.text(receiver)}.{name}"
    before = kind.__mro__[kind.__mro__.index(found[functions.index(function)]) - 1]
    return f"super({renderer.text(before)}, {renderer.text(receiver)}).{name}"


def function_text(
    renderer: ObjectWriter, value: types.FunctionType, namespace: Mapping[str, object], filename: str
) -> str:
    """A function's name; for a nested one of the program the line it stands on, its cells and its defaults."""
    code = value.__code__
    name = code.co_name
    of_module = code.co_filename != filename or code.co_qualname == name
    if of_module and namespace.get(name) is value:
        return name
    if code.co_filename != filename and namespace.get(value.__name__) is value:
        return value.__name__  # a function of the program inside one of the library's
    owner, dot, _ = value.__qualname__.rpartition(".")
    if dot and isinstance(kind := namespace.get(owner), type):
        attribute = attribute_name(value)
        held = vars(kind).get(attribute)
        if held is value or getattr(held, "__func__", None) is value:
            return f"{owner}.{attribute}"
    if code.co_filename != filename:
        nameless = "<" in value.__qualname__
        return "?a lambda of another module" if nameless else f"{value.__module__}.{value.__qualname__}"
    cells = renderer.items(value.__closure__ or ())
    by_name = [f"{each}={renderer.text(held)}" for each, held in (value.__kwdefaults__ or {}).items()]
    given = ", ".join(filter(None, [renderer.items(value.__defaults__ or ()), *by_name]))
    place = f"{name.strip('<>')}@{code.co_firstlineno}"  # a lambda has no name of its own
    return f"{place}({cells}; {given})" if given else f"{place}({cells})"


def builtin_text(renderer: ObjectWriter, value: types.BuiltinFunctionType, namespace: Mapping[str, object]) -> str:
    """A builtin function with its module, or a builtin method with the object it is bound to.

    The module `builtins` is left out where the program gives the name to nothing else.
    """
    owner = value.__self__
    if owner is None:  # a static method: `str.maketrans`
        return value.__qualname__
    if isinstance(owner, types.ModuleType):
        plain = owner is builtins and namespace.get(value.__name__, value) is value
        return value.__name__ if plain else f"{owner.__name__}.{value.__name__}"
    return f"{renderer.text(owner)}.{value.__name__}"
