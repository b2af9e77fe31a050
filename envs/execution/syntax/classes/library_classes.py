"""Classes of the program whose objects are library values: named tuples and enums.

Their objects are written out where they stand (`text/library_values.py`), so they are none of the program's own
objects. What syntax alone tells of them is found here; nothing is run. A class with operators, or with values that only
running the program tells, has no facts: no rule covers it. Other methods are written as functions
(`decompose/rewrites/value_methods.py`).
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_COUNTED = frozenset({"Enum", "IntEnum"})
"""Enums whose `auto()` counts from 1."""


@dataclass(frozen=True, slots=True)
class EnumFacts:
    """An enum by its members."""

    members: Mapping[str, str]
    """The text of each member's value, by its name."""
    mixed: bool
    """Whether members are numbers or strings too, so that they equal others than themselves."""


@dataclass(frozen=True, slots=True)
class LibraryClasses:
    """The named tuples and enums of a program's module level."""

    tuples: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    """The fields of each named tuple with the texts of their defaults; None where there is none."""
    enums: Mapping[str, EnumFacts] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.tuples or self.enums)


def is_library_class(node: ast.ClassDef) -> bool:
    """Whether a class derives from `NamedTuple` or an enum, directly."""
    return any(_last(base) in _ENUMS | {"NamedTuple"} for base in node.bases)


@lru_cache(maxsize=64)
def library_classes(tree: ast.Module) -> LibraryClasses:
    """The named tuples and enums of a parsed program, found once; a name that is bound twice is left out."""
    tuples: dict[str, Mapping[str, str | None]] = {}
    enums: dict[str, EnumFacts] = {}
    names: list[str] = []
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name):
                names.append(name)
                if any(_last(base) == "NamedTuple" for base in node.bases) and (found := _annotated(node)) is not None:
                    tuples[name] = found
                elif is_library_class(node) and (facts := _enum(node)) is not None:
                    enums[name] = facts
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names.append(name)
                if (found := _named_tuple(name, value)) is not None:
                    tuples[name] = found
            case ast.FunctionDef(name=name):
                names.append(name)
    once = {name for name in names if names.count(name) == 1}
    return LibraryClasses(
        {name: fields for name, fields in tuples.items() if name in once},
        {name: facts for name, facts in enums.items() if name in once},
    )


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _named_tuple(name: str, value: ast.expr) -> dict[str, str | None] | None:
    """The fields of `Point = namedtuple('Point', 'x y')`, or of a list of names."""
    match value:
        case ast.Call(func=func, args=[ast.Constant(value=own), fields], keywords=words) if _last(func) == "namedtuple":
            pass
        case _:
            return None
    try:
        given = ast.literal_eval(fields)
    except ValueError:
        return None
    listed = given.replace(",", " ").split() if isinstance(given, str) else list(given)
    plain = own == name and all(isinstance(each, str) and each.isidentifier() for each in listed)
    defaults = _defaults(words)
    if not plain or defaults is None or len(defaults) > len(listed):
        return None
    return {**dict.fromkeys(listed), **dict(zip(listed[len(listed) - len(defaults) :], defaults, strict=True))}


def _defaults(words: list[ast.keyword]) -> list[str] | None:
    """The texts of the defaults that a call of `namedtuple` gives; None where they are not constant."""
    match words:
        case []:
            return []
        case [ast.keyword(arg="defaults", value=ast.Tuple(elts=parts) | ast.List(elts=parts))]:
            texts = [_constant(part) for part in parts]
            return [text for text in texts if text is not None] if None not in texts else None
    return None


def _annotated(node: ast.ClassDef) -> dict[str, str | None] | None:
    """The fields of a class that derives from NamedTuple alone and has no operators."""
    found: dict[str, str | None] = {}
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                text = None if value is None else _constant(value)
                if value is not None and text is None:
                    return None
                found[name] = text
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case ast.FunctionDef(name=method) if not method.startswith("_"):
                pass
            case _:
                return None
    return found if len(node.bases) == 1 and not node.decorator_list else None


def _enum(node: ast.ClassDef) -> EnumFacts | None:
    """The members of an enum that has no operators, and whose members have constant, different values."""
    members: dict[str, str] = {}
    bases = [_last(base) for base in node.bases]
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func, args=[])) if _last(func) == "auto":
                numbers = [int(text) for text in members.values() if text.isdecimal()]
                if not set(bases) <= _COUNTED or len(numbers) < len(members):
                    return None
                members[name] = str(max(numbers, default=0) + 1)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (text := _constant(value)) is not None:
                members[name] = text
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case ast.FunctionDef(name=method) if not method.startswith("_"):
                pass
            case _:
                return None
    different = len(set(members.values())) == len(members)
    plain = different and not node.decorator_list and not any(name.startswith("_") for name in members)
    return EnumFacts(members, bases != ["Enum"]) if plain else None


def _constant(node: ast.expr) -> str | None:
    """The text of a number, a string or a tuple of them; None for any other expression."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return repr(value) if isinstance(value, int | float | str | bytes | tuple | None) else None
