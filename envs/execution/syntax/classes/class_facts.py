"""What is sure of the program's own classes: which ones manage a `with` openly, which fields a pattern may ask for.

A class counts only where nothing can give its name or its objects another meaning: bound once, at module level, plain.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from envs.execution.syntax.bindings import stored_names
from envs.execution.syntax.classes.dataclass_fields import dataclass_facts
from envs.execution.syntax.classes.made_managers import are_alone, managers_made
from envs.execution.syntax.program_structure import nodes_of

_HOOKS = frozenset({"__getattr__", "__getattribute__", "__new__", "__init_subclass__", "__class_getitem__"})
_MANAGING = frozenset({"__enter__", "__exit__"})


@dataclass(frozen=True, slots=True)
class Classes:
    """Facts about a program's classes, by name."""

    managers: frozenset[str] = frozenset()
    """Classes whose `__exit__` does not look at the traceback, so that `with` can be written out."""
    managed_alone: bool = False
    """Whether no object of another class can manage a `with` in the program."""
    makers: frozenset[str] = frozenset()
    """Functions and methods that return nothing but new objects of such classes."""
    holders: frozenset[str] = frozenset()
    """Attributes that hold nothing but such objects."""
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """Plain classes and their `__match_args__`."""
    computed: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    """Their decorated members, which a pattern must not ask for: that may run code."""
    derived: bool = False
    """Some class has a base that is not known, so a sequence or mapping may be the program's own."""


def class_facts(tree: ast.Module, nodes: Sequence[ast.AST], bound: Iterable[str]) -> Classes:
    """The facts of a parsed program; `bound` are all names bound anywhere, as often as they are."""
    found = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    every = [node for node in nodes if isinstance(node, ast.ClassDef)]
    if not every:
        return Classes()
    times = Counter(bound)
    plain = [node for node in found if times[node.name] == 1 and _is_plain(node)]
    set_by_hand = {n.attr for n in nodes if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)}
    managers = [] if set_by_hand & _MANAGING else [node.name for node in plain if _manages_openly(node)]
    fields = {node.name: asked for node in plain if (asked := _match_args(node)) is not None}
    fields |= {node.name: () for node in found if times[node.name] == 1 and _is_bare(node)}
    for node in found:
        if times[node.name] == 1 and (asked := _dataclass_args(node, fields)) is not None:
            fields[node.name] = asked
    makers, holders = managers_made(nodes, frozenset(managers)) if managers else (frozenset[str](), frozenset[str]())
    own = {each.name for each in every}
    computed = _computed(found)
    fields = {name: asked for name, asked in fields.items() if not computed[name].intersection(asked)}
    return Classes(
        managers=frozenset(managers),
        managed_alone=bool(managers) and are_alone(nodes, frozenset(managers)),
        makers=makers,
        holders=holders,
        fields=fields,
        computed=computed,
        derived=any(_is_derived(node, own) for node in every),
    )


def _is_plain(node: ast.ClassDef) -> bool:
    """No bases, no decorators, nothing that decides how attributes are found."""
    names = {name for statement in node.body for name in _bound(statement)}
    return not (node.bases or node.keywords or node.decorator_list) and names.isdisjoint(_HOOKS)


def _is_bare(node: ast.ClassDef) -> bool:
    """Whether it is an abstract class without bases of the program, which has no fields of its own."""
    abstract = {ast.unparse(base) for base in node.bases} <= {"ABC", "abc.ABC"}
    names = {name for statement in node.body for name in _bound(statement)}
    return abstract and bool(node.bases) and not node.decorator_list and names.isdisjoint(_HOOKS | {"__match_args__"})


def _bound(node: ast.stmt) -> list[str]:
    """Names that a statement of a class body gives the class."""
    return [node.name] if isinstance(node, ast.FunctionDef) else stored_names(node)


def _methods(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef)}


def _manages_openly(node: ast.ClassDef) -> bool:
    methods = _methods(node)
    enter, leave = methods.get("__enter__"), methods.get("__exit__")
    if enter is None or leave is None or enter.decorator_list or leave.decorator_list:
        return False
    given = leave.args
    count = len(given.posonlyargs) + len(given.args)
    if given.kwonlyargs or given.kwarg or count != (1 if given.vararg else 4):
        return False
    where = given.vararg.arg if given.vararg else [*given.posonlyargs, *given.args][3].arg
    return not any(isinstance(n, ast.Name) and n.id in (where, "locals", "vars", "eval") for n in nodes_of(leave))


def _match_args(node: ast.ClassDef) -> tuple[str, ...] | None:
    """Names for positional patterns; None where only running the class tells."""
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__match_args__")], value=ast.Tuple(elts=parts)):
                names = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
                return tuple(names) if len(names) == len(parts) else None
            case ast.FunctionDef():
                pass
            case _ if "__match_args__" in _bound(statement):
                return None
    return ()


def _dataclass_args(node: ast.ClassDef, known: Mapping[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """Names for positional patterns of a dataclass whose bases are known; None for any other class."""
    facts, others = dataclass_facts(node)
    bases = [base for base in map(ast.unparse, node.bases) if base not in ("ABC", "abc.ABC")]
    if facts is None or others or facts.odd or node.keywords or len(bases) > 1 or not known.keys() >= set(bases):
        return None
    names = {name for statement in node.body for name in _bound(statement)}
    if names & (_HOOKS | {"__match_args__"}):
        return None
    inherited = [name for base in bases for name in known[base]]
    if facts.kw_only:
        return None if inherited else ()
    return tuple(dict.fromkeys([*inherited, *(each.name for each in facts.fields if each.init)]))


def _computed(classes: Iterable[ast.ClassDef]) -> dict[str, frozenset[str]]:
    """Names of decorated methods of each class and of those above it."""
    found: dict[str, frozenset[str]] = {}
    for node in classes:
        own = {name for name, method in _methods(node).items() if method.decorator_list}
        above = [found.get(ast.unparse(base), frozenset()) for base in node.bases]
        found[node.name] = frozenset(own).union(*above)
    return found


_KNOWN_BASES = frozenset(
    "ABC NamedTuple tuple list int float str Enum IntEnum StrEnum Flag IntFlag Protocol Generic TypedDict".split()
)
"""Bases whose objects are tuples, lists, or neither sequence nor mapping."""


def _is_derived(node: ast.ClassDef, own: set[str]) -> bool:
    """Whether the class may be a sequence or mapping of another kind; its own bases are looked at by themselves."""
    return any(not _is_known_base(base, own) for base in node.bases)


def _is_known_base(node: ast.expr, own: set[str]) -> bool:
    if isinstance(node, ast.Subscript):
        return _is_known_base(node.value, own)
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in own or name in _KNOWN_BASES or (isinstance(node, ast.Name) and _is_exception(name))


def _is_exception(name: str) -> bool:
    import builtins

    known = getattr(builtins, name, None)
    return isinstance(known, type) and (known is object or issubclass(known, BaseException))
