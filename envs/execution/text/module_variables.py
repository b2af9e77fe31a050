"""Module variables that a frame shows, default arguments as `function.name`, class attributes as `Class.name`.

Defaults are shown that can change or that the program's text does not tell: `seen=[]`, `rate=Decimal("0.1")`.

Knows no run and no label.
"""

import ast
import types
from collections.abc import Iterator, Mapping, Set
from enum import Enum
from functools import lru_cache

from envs.execution.decompose.program import FILENAME, Program
from envs.execution.syntax.bindings import stored_names
from envs.execution.syntax.classes.own_classes import OwnClass, mangled, own_classes
from envs.execution.syntax.constant_values import constant_values
from envs.execution.text.library_values import is_library_value
from envs.execution.text.source_values import is_source_function
from envs.execution.text.value_writers import SCALARS

_NO_DATA = (types.BuiltinFunctionType, types.ModuleType, type)
"""What a module has by its own name, mostly: shown only where an assignment gives it another."""
_DATA_MODULES = frozenset(
    {"builtins", "collections", "program", "re", "fractions", "decimal", "datetime", "random", "io"}
)
"""Modules of types whose values are data; named tuples and enums are the program's own."""
_SHOWN = ("data", "described")
"""Kinds of members that a class holds as values."""


def shared_names(program: Program, namespace: Mapping[str, object]) -> tuple[str, ...]:
    """Module variables that functions refer to, and `function.parameter` for defaults that only a frame tells."""
    used, declared, may_default = _used(program)
    data = []
    if not used.isdisjoint(namespace):
        given = _assigned(program)
        data = [name for name in used if name in namespace and _is_data(name, namespace[name], given)]
    written = [name for name in declared if name not in namespace] if declared else []
    classes = own_classes(program.layout.tree)
    functions = {**namespace, **_methods(namespace)} if classes else namespace
    defaults = _default_names(functions, program) if may_default else []
    attributes = class_attributes(program) if classes else ()
    return tuple(sorted({*data, *written, *defaults, *attributes}))


def _is_data(name: str, value: object, given: Set[str]) -> bool:
    """Whether a module variable holds something that a frame shows: a function only under another name than its own.

    Assignments give the names `given`: a builtin, a class or a module counts under such a name alone.
    """
    if isinstance(value, types.FunctionType):
        code = value.__code__
        other = code.co_qualname != name
        return code.co_filename == FILENAME and other and code.co_name != "<lambda>"
    return not isinstance(value, _NO_DATA) or (name in given and getattr(value, "__name__", name) != name)


def _methods(namespace: Mapping[str, object]) -> dict[str, object]:
    """Functions that stand in classes of the program, by `Class.name`."""
    return {
        f"{name}.{function.__name__}": function
        for name, kind in namespace.items()
        if isinstance(kind, type) and kind.__module__ == "program"
        for held in vars(kind).values()
        if isinstance(function := getattr(held, "__func__", held), types.FunctionType)
        if function.__qualname__ == f"{name}.{function.__name__}"
    }


@lru_cache(maxsize=256)
def class_attributes(program: Program) -> tuple[str, ...]:
    """Attributes of classes that hold data and that functions may look up, as `Class.name`, whether set yet or not."""
    tree = program.layout.tree
    classes = own_classes(tree).classes
    used = _used(program)[0] | {"__match_args__"}
    stored = {
        mangled(node.attr, around)
        for around, node in _stores(tree)
        if isinstance(node.value, ast.Name) and (node.value.id in classes or node.value.id == "cls")
    } | set(_stored_in_types(tree))
    return tuple(
        f"{owner.name}.{name}"
        for owner in classes.values()
        for name in sorted({each for each, member in owner.members.items() if member.kind in _SHOWN} | stored)
        if name in _shared_defaults(owner)
        or (name in owner.members and owner.members[name].kind == "described")
        or (name in used | stored and not name.startswith("__") and name not in _field_names(owner))
        if name not in owner.members or owner.members[name].kind in _SHOWN
    )


def _shared_defaults(owner: OwnClass) -> frozenset[str]:
    """Fields of a dataclass whose default only the class itself tells."""
    fields = owner.dataclass.fields if owner.dataclass else ()
    return frozenset(each.name for each in fields if each.shared)


def _stores(tree: ast.Module) -> Iterator[tuple[str | None, ast.Attribute]]:
    """Attributes that some line sets, with the class around it."""
    for outer in tree.body:
        around = outer.name if isinstance(outer, ast.ClassDef) else None
        for node in ast.walk(outer):
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                yield around, node


def _stored_in_types(tree: ast.Module) -> Iterator[str]:
    """Attributes that some line sets in the class of an object: `type(self).count += 1`."""
    for outer in tree.body:
        around = outer.name if isinstance(outer, ast.ClassDef) else None
        for function in [each for each in ast.walk(outer) if isinstance(each, ast.FunctionDef)]:
            inside = list(ast.walk(function))
            kinds = {name for each in inside for name in _bound_to_type(each)}
            for node in inside:
                match node:
                    case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()) if name in kinds:
                        yield mangled(node.attr, around)


def _bound_to_type(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="type"), args=[_])):
            yield name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(attr="__class__")):
            yield name


def _field_names(owner: OwnClass) -> frozenset[str]:
    return frozenset(each.name for each in owner.dataclass.fields) if owner.dataclass else frozenset()


def _default_names(functions: Mapping[str, object], program: Program) -> list[str]:
    return [
        f"{name}.{parameter}"
        for name, function in functions.items()
        if type(function) is types.FunctionType and function.__code__.co_filename == FILENAME
        if function.__defaults__ or function.__kwdefaults__
        for parameter, value in _defaults(function)
        if (not _is_plain(value) and _is_written(value)) or parameter in _untold(program, function)
    ]


def _is_plain(value: object) -> bool:
    """Whether the text of a program mostly tells such a default, or it has a name of its own."""
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return type(value) in SCALARS or isinstance(value, (Enum, types.FunctionType, *_NO_DATA))


def _may_be_told(value: object) -> bool:
    return type(value) in SCALARS or isinstance(value, Enum | tuple)


def _untold(program: Program, function: types.FunctionType) -> list[str]:
    """Parameters whose default is a number, a text or a member, and stands for it in a way that no text tells."""
    code = function.__code__
    node = program.layout.functions.get((code.co_name, code.co_firstlineno))
    if node is None:
        return []
    names = [each.arg for each in [*node.args.posonlyargs, *node.args.args]]
    pairs = [*zip(names[len(names) - len(node.args.defaults) :], node.args.defaults, strict=True)]
    pairs += [
        (each.arg, value) for each, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if value
    ]
    constants = constant_values(program.layout.tree)
    held = dict(_defaults(function))
    return [
        name
        for name, value in pairs
        if not isinstance(value, ast.Constant) and _may_be_told(held.get(name)) and constants.text(value) is None
    ]


def _is_written(value: object) -> bool:
    """Whether a frame can hold a value of this type."""
    return type(value).__module__ in _DATA_MODULES or is_library_value(value)


@lru_cache(maxsize=256)
def _used(program: Program) -> tuple[frozenset[str], frozenset[str], bool]:
    """Names that functions look up outside themselves, those of them declared `global`, whether any has defaults."""
    codes = [code for code in program.codes().values() if code.co_name != "<module>"]
    used = frozenset(name for code in codes for name in code.co_names)
    layout = program.layout
    declared = {name for key in layout.functions for name in layout.declared_global(key)}
    given = [node.args for node in layout.functions.values()]
    defaults = "lambda" in program.source or any(each.defaults or any(each.kw_defaults) for each in given)
    return frozenset(name for name in used if not name.startswith("__")), frozenset(used & declared), defaults


@lru_cache(maxsize=256)
def _assigned(program: Program) -> frozenset[str]:
    """Names that assignments at module level bind."""
    assignments = [node for node in program.layout.tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    return frozenset(name for node in assignments for name in stored_names(node))


def _defaults(function: types.FunctionType) -> list[tuple[str, object]]:
    given = function.__defaults__ or ()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return [*zip(names[len(names) - len(given) :], given, strict=True), *(function.__kwdefaults__ or {}).items()]


def _found(path: str, namespace: Mapping[str, object]) -> object:
    """A function or class of the module, or the function that a class holds under a name."""
    owner, _, name = path.partition(".")
    thing = namespace.get(owner)
    if not name or not isinstance(thing, type):
        return thing
    held = vars(thing).get(mangled(name, owner))
    return getattr(held, "__func__", held)


def shared_values(names: tuple[str, ...], namespace: Mapping[str, object]) -> dict[str, object]:
    """The present values of the shared names; a typing alias is no data and left out."""
    values: dict[str, object] = {}
    for name in names:
        owner, _, last = name.rpartition(".")
        thing = _found(owner, namespace) if owner else namespace.get(name)
        if not owner:
            known = type(thing).__module__ in _DATA_MODULES or isinstance(thing, types.ModuleType)
            if name in namespace and (known or is_library_value(thing)) and not is_source_function(thing):
                values[name] = thing
        elif isinstance(thing, types.FunctionType):
            values[name] = dict(_defaults(thing))[last]
        elif isinstance(thing, type) and last in vars(thing):
            values[name] = vars(thing)[last]
    return values


def set_shared(name: str, value: object, namespace: dict[str, object]) -> None:
    """Give a shared name its value back."""
    owner, _, parameter = name.rpartition(".")
    if not owner:
        namespace[name] = value
        return
    function = _found(owner, namespace)
    if isinstance(function, type):
        setattr(function, parameter, value)
        return
    assert isinstance(function, types.FunctionType)
    if function.__kwdefaults__ and parameter in function.__kwdefaults__:
        function.__kwdefaults__[parameter] = value
        return
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    given = list(function.__defaults__ or ())
    given[names.index(parameter) - len(names)] = value
    function.__defaults__ = tuple(given)
