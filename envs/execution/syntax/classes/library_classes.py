"""Classes of the program whose objects are library values: named tuples and enums.

Their objects are written out where they stand (`text/library_values.py`), so they are none of the program's own
objects. What syntax alone tells of them is found here; nothing is run. A class with operators, or with values that only
running the program tells, has no facts: no rule covers it. Other methods are written as functions
(`decompose/rewrites/value_methods.py`).
"""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from envs.execution.syntax.classes.named_tuples import (
    TupleFacts,
    annotated_tuple,
    constant_text,
    extended_tuple,
    last_name,
    made_tuple,
    makes_tuples,
)

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_COUNT = "__init__"
"""Under which name the fields of an enum say how many arguments its `__init__` takes."""
_FLAGS = frozenset({"Flag", "IntFlag"})
_HARMLESS = frozenset("__str__ __repr__ __format__ __lt__ __le__ __gt__ __ge__".split())
"""Operators of an enum by which no member is made, found or told apart."""
_MAKING = frozenset({"__new__", "__init_subclass__", "__getattr__", "__getattribute__", "__class_getitem__"})
"""What an enum may have its members made by, or found."""
_MAKERS = frozenset({"namedtuple", "NamedTuple"})
_COUNTED = frozenset({"Enum", "IntEnum"})
"""Enums whose `auto()` counts from 1."""


@dataclass(frozen=True, slots=True)
class EnumFacts:
    """An enum by its members."""

    members: Mapping[str, str]
    """The text of each member's value, by its name."""
    mixed: bool
    """Whether members are numbers or strings too, so that they equal others than themselves."""
    flags: bool = False
    """Whether members can be combined, so that there are more values than members."""
    fields: Mapping[str, int | None] = field(default_factory=dict)
    """Attributes that `__init__` sets: the place of each in the member's value, None for the whole value."""

    @property
    def listed(self) -> tuple[str, ...]:
        """The members that a loop over the enum gives: of flags those of one bit."""
        if not self.flags:
            return tuple(self.members)
        return tuple(name for name, text in self.members.items() if text.isdecimal() and int(text).bit_count() == 1)


@dataclass(frozen=True, slots=True)
class LibraryClasses:
    """The named tuples and enums of a program's module level."""

    tuples: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    """The fields of each named tuple with the texts of their defaults; None where there is none."""
    enums: Mapping[str, EnumFacts] = field(default_factory=dict)
    makers: Mapping[str, str] = field(default_factory=dict)
    """The name of the class whose `__new__` makes the objects of each named tuple: it may be a class above it."""

    def __bool__(self) -> bool:
        return bool(self.tuples or self.enums)


def is_library_class(node: ast.ClassDef) -> bool:
    """Whether a class derives from `NamedTuple`, from a call of `namedtuple`, or from an enum, directly."""
    made = len(node.bases) == 1 and makes_tuples(node.bases[0])
    return made or _is_enum(node) or any(last_name(base) == "NamedTuple" for base in node.bases)


def _is_enum(node: ast.ClassDef) -> bool:
    return any(last_name(base) in _ENUMS for base in node.bases)


def derived_classes(tree: ast.Module, nodes: Iterable[ast.ClassDef]) -> frozenset[str]:
    """Names of classes that derive from an enum or a named tuple of the program: their objects are values, too.

    One that derives from a named tuple and from other classes is none: it may have any method of theirs.
    """
    enums: set[str] = set()
    tuples = {
        node.targets[0].id
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and makes_tuples(node.value)
    }
    derived: set[str] = set()
    for node in nodes:
        bases = [base.id if isinstance(base, ast.Name) else "" for base in node.bases]
        known = enums if not enums.isdisjoint(bases) else tuples if len(bases) == 1 and bases[0] in tuples else None
        if _is_enum(node):
            enums.add(node.name)
        elif is_library_class(node):
            tuples.add(node.name)
        elif known is not None:
            known.add(node.name)
            derived.add(node.name)
    return frozenset(derived)


@lru_cache(maxsize=64)
def library_classes(tree: ast.Module) -> LibraryClasses:
    """The named tuples and enums of a parsed program, found once; one bound twice or with classes below is left out.

    A value of a class below it is one of it too, and may have other methods: its text does not say so.
    """
    tuples: dict[str, TupleFacts] = {}
    enums: dict[str, EnumFacts] = {}
    names: list[str] = []
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name):
                names.append(name)
                if (found := annotated_tuple(node) or extended_tuple(node, tuples)) is not None:
                    tuples[name] = found
                elif _is_enum(node) and (facts := _enum(node)) is not None:
                    enums[name] = facts
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names.append(name)
                if (found := made_tuple(value)) is not None and found.maker == name:
                    tuples[name] = found
            case ast.FunctionDef(name=name):
                names.append(name)
    once = {name for name in names if names.count(name) == 1}
    once -= _bases(tree) if tuples or enums else set()
    if not _MAKERS.isdisjoint(names):
        tuples = {}  # what the program makes itself under such a name is something else
    enums = {name: facts for name, facts in enums.items() if not facts.fields or not _is_set_elsewhere(tree, facts)}
    return LibraryClasses(
        {name: facts.fields for name, facts in tuples.items() if name in once},
        {name: facts for name, facts in enums.items() if name in once},
        {name: facts.maker for name, facts in tuples.items() if name in once},
    )


def opaque_enums(tree: ast.Module) -> dict[str, tuple[str, ...]]:
    """The other plain enums of a module's level, whose members' values only running the program tells, and members.

    Such a class has one base, or `str` or `int` before it, is bound once, has no class below it and no decorators but
    `unique`, and makes its members as usual.
    """
    known, above = library_classes(tree).enums, _bases(tree)
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    made = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return {
        node.name: members
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and node.name not in known
        and node.name not in above
        and names.count(node.name) == 1
        and not (node.decorator_list and "unique" in made)
        and (members := _opaque_members(node))
    }


def _opaque_members(node: ast.ClassDef) -> tuple[str, ...] | None:
    """What an enum's class statement assigns; None where it does more than assign and define methods."""
    bases = [last_name(base) for base in node.bases]
    plain = bases in (["str", "Enum"], ["int", "Enum"]) or (len(bases) == 1 and bases[0] in _ENUMS)
    if not plain or node.keywords or set(map(ast.unparse, node.decorator_list)) - {"unique", "enum.unique"}:
        return None
    members: list[str] = []
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if not name.startswith("_"):
                members.append(name)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case ast.FunctionDef(name=name) if name not in _MAKING:
                pass
            case _:
                return None
    return tuple(members)


def _bases(tree: ast.Module) -> set[str]:
    """Names of classes that others derive from."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {part.id for node in classes for base in node.bases for part in ast.walk(base) if isinstance(part, ast.Name)}


def _is_set_elsewhere(tree: ast.Module, facts: EnumFacts) -> bool:
    """Whether a line may set an attribute that the enum's `__init__` sets too."""
    stored = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_stored(node)]
    named = any(isinstance(node, ast.Name) and node.id in ("setattr", "vars") for node in ast.walk(tree))
    return named or any(stored.count(name) > 1 for name in facts.fields)


def _is_stored(node: ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _enum(node: ast.ClassDef) -> EnumFacts | None:
    """The members of an enum that has no operators, and whose members have constant, different values."""
    members: dict[str, str] = {}
    fields: dict[str, int | None] | None = {}
    bases = [last_name(base) for base in node.bases]
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func, args=[])) if (
                last_name(func) == "auto"
            ):
                if (counted := _counted(bases, members)) is None:
                    return None
                members[name] = counted
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp() as value) if set(bases) <= _FLAGS:
                if (combined := _combined(value, members)) is None:
                    return None
                members[name] = combined
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (text := constant_text(value)) is not None:
                members[name] = text
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case ast.FunctionDef(name="__init__"):
                fields = _initialised(statement)
            case ast.FunctionDef(name=method) if not method.startswith("_") or method in _HARMLESS:
                pass
            case _:
                return None
    if fields is None or not all(_fits(fields, text) for text in members.values()):
        return None
    different = len(set(members.values())) == len(members)
    plain = different and not node.decorator_list and not any(name.startswith("_") for name in members)
    if not plain or (fields and bases != ["Enum"]):
        return None
    return EnumFacts(members, bases != ["Enum"], not _FLAGS.isdisjoint(bases), fields)


def _counted(bases: list[str], members: Mapping[str, str]) -> str | None:
    """The value that `auto()` gives the next member; None where numbers alone do not tell it."""
    numbers = [int(text) for text in members.values() if text.isdecimal()]
    if len(numbers) < len(members):
        return None
    highest = max(numbers, default=0)
    if set(bases) <= _FLAGS:
        return str(1 << highest.bit_length())
    return str(highest + 1) if set(bases) <= _COUNTED else None


def _combined(node: ast.expr, members: Mapping[str, str]) -> str | None:
    """The value of flags that are joined by `|`."""
    match node:
        case ast.Name(id=name):
            return members.get(name)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            parts = [_combined(left, members), _combined(right, members)]
            return str(int(parts[0]) | int(parts[1])) if parts[0] and parts[1] else None
    return None


def _initialised(node: ast.FunctionDef) -> dict[str, int | None] | None:
    """The attributes that an `__init__` sets to its parameters; None where it does anything else."""
    given = node.args
    names = [each.arg for each in given.args]
    if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs or given.defaults or len(names) < 2:
        return None
    found: dict[str, int | None] = {}
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner), attr=attr)], value=ast.Name(id=name)):
                if owner != names[0] or name not in names[1:] or attr.startswith("_") or attr in ("name", "value"):
                    return None
                found[attr] = names.index(name) - 1 if len(names) > 2 else None
            case ast.Expr(value=ast.Constant()) | ast.Return(value=ast.Constant(value=None)):
                pass
            case _:
                return None
    return {**found, _COUNT: len(names) - 1} if not node.decorator_list and found else None


def _fits(fields: Mapping[str, int | None], text: str) -> bool:
    """Whether a member's value gives `__init__` as many arguments as it takes."""
    if not fields:
        return True
    value = ast.literal_eval(text)
    return len(value) > 1 and len(value) == fields[_COUNT] if isinstance(value, tuple) else fields[_COUNT] == 1
