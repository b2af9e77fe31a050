"""The program's own classes as syntax tells them: lineage, methods, properties, class attributes, dataclass fields.

Rules look attributes and operators up here, as Python would on the class itself; nothing is run. A class that decides
by code how its attributes are found, or how it is made, is *odd*: `odd` says why, and no rule covers its objects.
"""

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from envs.execution.syntax.classes.class_decorators import keeps_class
from envs.execution.syntax.classes.class_names import shared_name
from envs.execution.syntax.classes.class_operators import CALLED_BY_RULE, counts_otherwise
from envs.execution.syntax.classes.dataclass_fields import DataclassFacts, dataclass_facts
from envs.execution.syntax.classes.descriptors import DESCRIBING, described_names
from envs.execution.syntax.classes.library_classes import derived_classes, is_library_class
from envs.execution.syntax.classes.subclass_hooks import sets_plain_data
from envs.execution.syntax.classes.value_bases import VALUE_BASES, value_doubt
from envs.execution.syntax.classes.value_equality import equal_by_fields
from envs.execution.syntax.line_map import Key
from envs.execution.syntax.program_structure import Function, first_line, nodes_of

MemberKind = Literal["method", "static", "class", "property", "data", "generated", "described", "other"]
_HOOKS = frozenset(
    "__getattribute__ __delattr__ __new__ __init_subclass__ __class_getitem__ __slots__ "
    "__instancecheck__ __subclasscheck__ __subclasshook__ __del__ __prepare__".split()
)
"""Names by which a class decides more than what its methods do."""
_CONTAINERS = ("list", "dict", "OrderedDict", "Counter", "defaultdict", *VALUE_BASES)
"""Builtin classes that a class may derive from: its objects hold what theirs hold, beside their fields."""
_TRANSPARENT = frozenset({"object", "ABC", "Generic", "Protocol"})
"""Bases that change nothing of how attributes are found; by their last name, subscripts left out."""
_WRAPPERS: Mapping[str, MemberKind] = {"staticmethod": "static", "classmethod": "class", "property": "property"}
_IGNORED = frozenset({"abstractmethod", "override", "final"})
_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")


@dataclass(frozen=True, slots=True)
class Member:
    """One name of a class."""

    kind: MemberKind
    owner: str
    """The class whose body says it."""
    name: str
    key: Key | None = None
    """Its function; of a property the getter."""
    setter: Key | None = None
    deleter: Key | None = None
    abstract: bool = False


@dataclass(frozen=True, slots=True)
class OwnClass:
    """One class of the module level."""

    name: str
    line: int
    bases: tuple[str, ...]
    members: Mapping[str, Member] = field(default_factory=dict, hash=False)
    lineage: tuple[str, ...] = ()
    """The program's own classes in the order in which names are looked up, itself first."""
    exception: str | None = None
    """The builtin exception that it derives from."""
    dataclass: DataclassFacts | None = None
    odd: tuple[str, int] | None = None
    """Why rules do not know its objects, and the line that says so."""
    by_fields: bool = False
    """Whether it compares and hashes its objects by all their fields, as a dataclass does."""
    asked_for: frozenset[str] = frozenset()
    """Of a protocol that `isinstance` can ask for: the methods that an object must have."""
    container: str = ""
    """`list` or `dict` where it derives from one, or a class whose value its objects have: `int`, `str`, `tuple`."""
    path: str = ""
    """Its name with that of the class around it: `Tree.Node`."""


class OwnClasses:
    """All classes of one program's module level, by name."""

    def __init__(self, tree: ast.Module) -> None:
        every = list(_class_nodes(tree))
        derived = derived_classes(tree, [node for node, _ in every])
        nodes = [each for each in every if not is_library_class(each[0]) and each[0].name not in derived]
        shared = {node.name: reason for node, _ in nodes if (reason := shared_name(tree, node.name))}
        self.classes: dict[str, OwnClass] = {}
        for node, around in nodes:
            known = self._completed(_read(node, around, tree))
            if described := [mangled(name, node.name) for name in described_names(node, self.describes)]:
                known = _with_described(known, described)
            if not known.odd and "ABC" in known.bases and (registered := _registered(tree, node.name)):
                known = replace(known, odd=("a class with subclasses that do not derive from it", registered))
            if known.container == "OrderedDict" and any(map(_goes_backwards, nodes_of(tree))):
                known = replace(known, odd=("a class of OrderedDict, and `reversed`", node.lineno))
            if node.name in shared:
                known = replace(known, odd=(shared[node.name], node.lineno))
            self.classes[node.name] = known

    def __bool__(self) -> bool:
        return bool(self.classes)

    def __contains__(self, name: object) -> bool:
        return name in self.classes

    def __getitem__(self, name: str) -> OwnClass:
        return self.classes[name]

    def known(self, name: str) -> OwnClass | None:
        """The class of that name, unless it is odd."""
        found = self.classes.get(name)
        return None if found is None or found.odd else found

    def find(self, name: str, attribute: str, after: str | None = None) -> Member | None:
        """The member that a class finds under a name; `after` begins behind that class, as `super` does."""
        lineage = self.classes[name].lineage
        if after is not None:
            lineage = lineage[lineage.index(after) + 1 :] if after in lineage else ()
        for owner in lineage:
            member = self.classes[owner].members.get(attribute)
            if member is not None:
                return member
        return None

    def is_subclass(self, name: str, other: str) -> bool:
        """Whether a class of the program is, or derives from, another class of that name."""
        mine = self.classes[name]
        if other in mine.lineage or other in ("object", mine.container):
            return True
        if other in self.classes:
            return False  # and not the builtin of that name
        if other == "dict" and mine.container in ("OrderedDict", "Counter", "defaultdict"):
            return True
        base = getattr(builtins, mine.exception or "", None)
        return base is not None and other in [each.__name__ for each in base.__mro__]

    def is_abstract(self, name: str) -> bool:
        """Whether Python refuses to make objects of the class."""
        return bool(self.abstract_names(name))

    def abstract_names(self, name: str) -> list[str]:
        """The abstract methods that a class leaves open, in the order of a message."""
        names = {each for owner in self.classes[name].lineage for each in self.classes[owner].members}
        return sorted(each for each in names if (found := self.find(name, each)) and found.abstract)

    def runs_code(self, name: str, asked: frozenset[str] | None = None) -> bool:
        """Whether C code that handles an object of the class may run functions of the program: `==`, `hash`, `repr`.

        `asked` are the special methods that a line may run; None stands for any.
        """
        mine = self.classes[name]
        if mine.odd:
            return True
        names = {each for owner in mine.lineage for each, member in self.classes[owner].members.items() if member.key}
        special = {each for each in names if each.startswith("__") and each.endswith("__")} - CALLED_BY_RULE
        if mine.by_fields and asked is not None:
            special -= {"__eq__", "__hash__"}
        if mine.container in ("list", "dict") and asked is not None:
            special -= {"__getitem__"}  # lists and dicts are gone through without it
        return bool(special if asked is None else special & asked)

    def describes(self, name: str) -> bool:
        """Whether objects of a class decide what an attribute of others is worth, where a class holds them."""
        return name in self.classes and any(self.find(name, each) for each in DESCRIBING)

    def _members(self, name: str) -> Iterable[tuple[str, Member]]:
        return self.classes[name].members.items() if name in self.classes else ()

    def _completed(self, mine: OwnClass) -> OwnClass:
        """The class with its lineage and what it inherits, once its bases are known."""
        own = [base for base in mine.bases if base in self.classes]
        foreign = [base for base in mine.bases if base not in self.classes and base not in _TRANSPARENT]
        exceptions = [base for base in foreign if _is_exception(base)]
        exceptions += [found for base in own if (found := self.classes[base].exception)]
        containers = [base for base in foreign if base in _CONTAINERS]
        containers += [found for base in own if (found := self.classes[base].container)]
        strange = [base for base in foreign if base not in exceptions and (base not in containers or mine.dataclass)]
        if len(set(containers)) > 1 or (containers and exceptions):
            strange.append(containers[0])
        odd = mine.odd or next((self.classes[base].odd for base in own if self.classes[base].odd), None)
        if {"dict", "OrderedDict"} & set(containers) and "__iter__" in mine.members:
            odd = odd or ("a class that derives from dict and has __iter__", mine.line)
        if strange:
            odd = odd or (f"a class that derives from {strange[0]}", mine.line)
        try:
            lineage = (mine.name, *_merged([self.classes[base].lineage for base in own], own))
        except ValueError:
            lineage, odd = (mine.name, *own), odd or ("a class whose bases have no order", mine.line)
        facts = mine.dataclass
        if facts is not None:
            above = [self.classes[base].dataclass for base in reversed(lineage[1:])]
            facts = facts.inheriting([each for each in above if each is not None])
            odd = odd or ((facts.odd, mine.line) if facts.odd else None)
        members = {**_generated(mine, facts), **mine.members} if facts else mine.members
        inherited = {name: each for base in reversed(lineage[1:]) for name, each in self._members(base)}
        odd = odd or _hooked(mine, inherited)
        if "Counter" in containers and counts_otherwise({*members, *inherited}):
            odd = odd or ("a class that derives from Counter and writes a method of it", mine.line)
        if doubt := value_doubt(next(iter(containers), ""), {*members, *inherited}):
            odd = odd or (doubt, mine.line)
        mine = replace(mine, lineage=lineage, odd=odd, dataclass=facts, members=members)
        return replace(mine, exception=next(iter(exceptions), None), container=next(iter(containers), ""))


def _goes_backwards(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "reversed"


def _hooked(mine: OwnClass, above: Mapping[str, Member]) -> tuple[str, int] | None:
    """Why a class with `__getattr__` or `__setattr__` is odd: C code calls them, or a property that fails does."""
    members = {**above, **mine.members}
    if "__setattr__" in members and mine.dataclass:
        return "a dataclass with __setattr__", mine.line
    hook = members.get("__getattr__")
    found = [each for each in members.values() if each.kind in ("property", "described")]
    if hook is not None and (found or hook.kind != "method"):
        return "a class with __getattr__ and a property", mine.line
    return None


def _with_described(mine: OwnClass, names: Iterable[str]) -> OwnClass:
    """The class with attributes that objects of the program describe; no rule makes a dataclass with such fields."""
    described = {name: Member("described", mine.name, name) for name in names}
    odd = mine.odd or (("a dataclass with a descriptor", mine.line) if mine.dataclass else None)
    if "__getattr__" in mine.members:
        odd = odd or ("a class with __getattr__ and a descriptor", mine.line)
    return replace(mine, members={**mine.members, **described}, odd=odd)


def _class_nodes(tree: ast.Module) -> Iterator[tuple[ast.ClassDef, str]]:
    """Classes of the module level, in front of each those inside it that the module names: `Node = Tree.Node`.

    With each the name of the class around it, and a dot.
    """
    named = set()
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(ast.Name(id=owner), attr)) if name == attr:
                named.add((owner, name))
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            inner = [each for each in node.body if isinstance(each, ast.ClassDef)]
            yield from ((each, f"{node.name}.") for each in inner if (node.name, each.name) in named)
            yield node, ""


def _registered(tree: ast.Module, name: str) -> int:
    """The line where another class is registered as a subclass of an abstract one; 0 where none is."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr="register") if owner == name:
                return node.lineno
    return 0


@lru_cache(maxsize=64)
def own_classes(tree: ast.Module) -> OwnClasses:
    """The classes of a parsed program, found once."""
    return OwnClasses(tree)


def mangled(name: str, owner: str | None) -> str:
    """A name as a class stores it: inside `class C`, `__a` means `_C__a`."""
    if owner is None or not name.startswith("__") or name.endswith("__"):
        return name
    return f"_{owner.lstrip('_')}{name}" if owner.strip("_") else name


def _read(node: ast.ClassDef, around: str, tree: ast.Module) -> OwnClass:
    """What the class statement itself says."""
    bases = tuple(_last_name(base) for base in node.bases)
    facts, others = dataclass_facts(node)
    asked_for = _asked_for(node, bases)
    known = {"total_ordering", "runtime_checkable"} if asked_for else {"total_ordering"}
    odd: tuple[str, int] | None = None
    if any(keyword.arg == "metaclass" and _last_name(keyword.value) != "ABCMeta" for keyword in node.keywords):
        odd = "a metaclass", node.lineno
    elif strange := [each for each in others if _last_name(each) not in known and not keeps_class(each, tree)]:
        odd = f"a class decorated with {ast.unparse(strange[0])}", node.lineno
    members: dict[str, Member] = {}
    for statement in node.body:
        reason = _add(members, node.name, statement, tree)
        odd = odd or ((reason, statement.lineno) if reason else None)
    for name in _ORDER if any(_last_name(each) == "total_ordering" for each in others) else ():
        members.setdefault(name, Member("generated", node.name, name))
    by_fields = equal_by_fields(node)
    return OwnClass(
        *(node.name, node.lineno, bases, members),
        dataclass=facts,
        odd=odd,
        by_fields=by_fields,
        asked_for=asked_for,
        path=around + node.name,
    )


def _asked_for(node: ast.ClassDef, bases: tuple[str, ...]) -> frozenset[str]:
    """The methods of a protocol that has nothing but methods and may be asked for."""
    asked = [_last_name(each) for each in node.decorator_list] == ["runtime_checkable"] and bases == ("Protocol",)
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    other = [each for each in node.body if each not in methods and not isinstance(each, ast.Expr | ast.Pass)]
    plain = all(not each.name.startswith("_") and not each.decorator_list for each in methods)
    return frozenset(each.name for each in methods) if asked and plain and not other else frozenset()


def _add(members: dict[str, Member], owner: str, node: ast.stmt, tree: ast.Module) -> str | None:
    """Add what a statement of a class body gives the class; returns why the class is odd, if it makes it so."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            name = mangled(node.name, owner)
            members[name] = _function(members, owner, name, node)
            registers = node.name == "__init_subclass__" and sets_plain_data(node, tree)
            return f"a class with {node.name}" if node.name in _HOOKS and not registers else None
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=source)) if mangled(source, owner) in members:
            members[mangled(name, owner)] = members[mangled(source, owner)]
            return None
        case ast.Assign() | ast.AnnAssign():
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
            if isinstance(node, ast.AnnAssign) and node.value is None:
                names = []
            members.update({mangled(name, owner): Member("data", owner, mangled(name, owner)) for name in names})
            return next((f"a class with {name}" for name in names if name in _HOOKS), None)
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return None
        case ast.ClassDef(name=name):
            members[name] = Member("other", owner, name)
            return None
        case _:
            return f"a class body with a statement {type(node).__name__}"


def _function(members: Mapping[str, Member], owner: str, name: str, node: Function) -> Member:
    """A method, or what its decorators make of it."""
    key = (node.name, first_line(node))
    kind: MemberKind = "other" if isinstance(node, ast.AsyncFunctionDef) else "method"
    abstract = any(_last_name(each) == "abstractmethod" for each in node.decorator_list)
    for decorator in reversed(node.decorator_list):
        word = _last_name(decorator)
        if isinstance(decorator, ast.Attribute) and word in ("setter", "deleter") and name in members:
            if members[name].kind != "property":
                return Member("other", owner, name, key)
            return replace(members[name], setter=key) if word == "setter" else replace(members[name], deleter=key)
        if word in _IGNORED:
            continue
        plain = kind == "method" and isinstance(decorator, ast.Name)
        kind = _WRAPPERS.get(word, "other") if plain else "other"
    return Member(kind, owner, name, key, abstract=abstract)


def _generated(mine: OwnClass, facts: DataclassFacts) -> dict[str, Member]:
    names = [*(["__init__"] if facts.init else []), *(["__repr__"] if facts.repr else [])]
    names += ["__eq__"] if facts.eq else []
    names += _ORDER if facts.order else ()
    return {name: Member("generated", mine.name, name) for name in names}


def _merged(lineages: Iterable[tuple[str, ...]], bases: list[str]) -> list[str]:
    """Python's order of lookup over the bases' orders; ValueError where there is none."""
    waiting = [list(each) for each in lineages if each] + ([list(bases)] if bases else [])
    found: list[str] = []
    while waiting:
        heads = [each[0] for each in waiting]
        head = next((each for each in heads if not any(each in rest[1:] for rest in waiting)), None)
        if head is None:
            raise ValueError("no order of lookup")
        found.append(head)
        waiting = [rest for each in waiting if (rest := [name for name in each if name != head])]
    return found


def _last_name(node: ast.expr) -> str:
    """`ABC` for `abc.ABC`, `Generic` for `Generic[T]`, `dataclass` for `dataclass(order=True)`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=inner) | ast.Call(func=inner):
            return _last_name(inner)
        case _:
            return ast.unparse(node)


def _is_exception(name: str) -> bool:
    known = getattr(builtins, name, None)
    return isinstance(known, type) and issubclass(known, BaseException)
