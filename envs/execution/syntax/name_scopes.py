"""What a program does with names: which scopes bind them, and which calls may rebind them while an expression waits.

Pure facts about the syntax tree, computed once a program; knows nothing of how lines are written.
"""

import ast
import builtins
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from envs.execution.syntax.bindings import BINDERS, binds, deleted_names, parameters, stored_names, walrus_names
from envs.execution.syntax.classes.class_facts import Classes, class_facts
from envs.execution.syntax.classes.class_operators import has_odd_order, has_operators, plain_methods
from envs.execution.syntax.classes.member_names import member_names
from envs.execution.syntax.classes.own_iterators import begins_anew, has_odd_iterators
from envs.execution.syntax.generator_names import GeneratorNames, generator_names
from envs.execution.syntax.held_generators import closing_names, held_generators
from envs.execution.syntax.load_calls import LoadCalls
from envs.execution.syntax.passed_generators import passed_generators
from envs.execution.syntax.program_structure import children_of, nodes_of

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
BUILTINS = frozenset(dir(builtins))
_ByKind: TypeAlias = defaultdict[type[ast.AST], list[Any]]
"""The nodes of a program by their exact type."""
_YIELDS = (ast.Yield, ast.YieldFrom)
_LAZY = (*_YIELDS, ast.GeneratorExp)
REFLECTION = frozenset({"globals", "exec", "eval", "setattr", "vars", "__import__", "importlib", "modules", "__dict__"})
FRAME_READERS = frozenset({"locals", "eval", "exec", "vars", "dir", "globals", "super", "__class__"})
FRAME_SEERS = frozenset({"__del__", "weakref", "getrefcount", "_getframe", "currentframe", "settrace", "f_locals"})
"""What tells when an object dies or what a frame holds."""
RESUMING = frozenset({"throw", "gi_frame", "gi_running", "inspect"})
"""Where one of these is mentioned, a generator may be resumed in other ways than for its next item."""
DOCUMENTED = frozenset({"__doc__", "help", "getdoc", "inspect", "doctest"})
NAMED = frozenset({"__name__", "__qualname__"})
ODD_SEQUENCES = frozenset(
    "array memoryview UserList UserDict UserString ChainMap MappingProxyType environ ctypes numpy".split()
)
"""Where one of these is mentioned, more than lists, tuples and ranges may be a sequence, more than dicts a mapping."""
ABSTRACT_CONTAINERS = frozenset({"Sequence", "MutableSequence", "Mapping", "MutableMapping"})
"""The same where a class is registered as one of these."""


@dataclass(frozen=True, slots=True)
class ProgramScopes:
    """Facts about the whole program that every rule may ask for."""

    identifiers: frozenset[str]
    """Every name that occurs anywhere; what we introduce is called otherwise."""
    rebound: frozenset[str]
    """Names bound anywhere in the program, so a builtin of that name may not be the builtin."""
    members: frozenset[str]
    """Those of them that only class bodies bind, so that they hide no builtin."""
    imported: frozenset[str]
    """Names that imports bind, and nothing else."""
    volatile: frozenset[str]
    """Names that a call may rebind while an expression waits: global, nonlocal, bound inside a generator."""
    settled: frozenset[str]
    """Module-level names that are bound before any function of the program can run."""
    mentions: frozenset[str]
    """Names, attributes and short strings that occur; some tell whether something is observed at all."""
    custom_truth: bool
    """A class of the program decides its own truth, so a test must not be evaluated twice."""
    custom_addition: bool
    """A class of the program decides what `+` does, so nothing must be added twice."""
    custom_order: bool
    """A class of the program may decide what `<` does in more than one expression, or derives from a builtin type."""
    custom_operators: bool
    """C code that handles objects of the program may run methods of theirs."""
    custom_text: bool
    """A class of the program decides how its objects are written, so that writing one is a call."""
    custom_iterators: bool
    """A class of the program is its own iterator with a `__iter__` that is more than `return self`."""
    begins_anew: bool
    """An iterator of the program may begin anew when it is asked for an iterator."""
    closing: bool
    """A generator of the program does something when it is closed, so it matters how long it is held."""
    may_stop: bool
    """StopIteration may be raised by the program, which a generator would turn into RuntimeError."""
    walrus: bool
    """There is a walrus somewhere, so an operand may bind a name."""
    generators: frozenset[str]
    """Names of generator functions and methods, and those that are given what such a call makes."""
    groups: frozenset[str]
    """Those of them that loops over `groupby` or over containers of generators give, in comprehensions too."""
    generator_attributes: frozenset[str]
    """Names of attributes that may hold generators."""
    functions: frozenset[str]
    """Names that are given to functions and lambdas somewhere."""
    methods: frozenset[str]
    """Names that mean nothing but plain methods of the program's classes."""
    closed: frozenset[str]
    """Functions that see nothing of the program but their arguments."""
    own_sort: bool
    """An object of the program may have a method `sort` that takes a key."""
    own_join: bool
    """A class of the program, or a line that sets an attribute, may decide what `x.join` is."""
    classes: bool
    """The program defines classes, so operators may mean anything."""
    classes_known: Classes
    """What is sure of these classes all the same."""
    characters: bool
    """String operations are to be unrolled into loops over characters."""
    left: Mapping[int, str]
    """Functions to leave as they are: first line and reason."""

    def builtin(self, name: str) -> bool:
        """Whether the name surely means the builtin of that name."""
        return name in BUILTINS and (name not in self.rebound or name in self.members)


@dataclass(frozen=True, slots=True)
class FunctionScope:
    """Names of one function and of those around it."""

    own: frozenset[str]
    globals: frozenset[str]
    fragile: frozenset[str]
    """Own names that are deleted somewhere (an `except ... as` counts), so never surely bound."""
    known: frozenset[str] = frozenset()
    """Free names surely bound whenever this function runs."""
    free: frozenset[str] = frozenset()
    """Names of the functions around this one."""


def program_facts(tree: ast.Module, characters: bool, left: Mapping[int, str]) -> ProgramScopes:
    """All facts of a parsed program, in a few walks over it."""
    nodes = nodes_of(tree)
    found: _ByKind = defaultdict(list)
    for node in nodes:
        found[type(node)].append(node)
    binders = [node for kind in found if kind in BINDERS and kind is not ast.Name for node in found[kind]]
    bound = [node.id for node in found[ast.Name] if type(node.ctx) is not ast.Load]
    bound += [name for node in binders if type(node) is not ast.alias for name in binds(node)]
    aliases = [name for node in found[ast.alias] for name in binds(node)]
    imported = frozenset(aliases).difference(bound)
    bound += aliases
    rebound = frozenset(bound)
    loads = frozenset(n.id for n in found[ast.Name])
    attributes = frozenset(n.attr for n in found[ast.Attribute])
    strings = frozenset(n.value for n in found[ast.Constant] if isinstance(n.value, str) and len(n.value) < 40)
    mentions = loads | attributes | strings | frozenset(_imported(found)) | rebound
    mentions -= {"weakref"} - loads - attributes - strings - {node.module for node in found[ast.ImportFrom]}  # unused
    volatile = frozenset(_volatile(found))
    defined = found[ast.FunctionDef] + found[ast.AsyncFunctionDef] + found[ast.ClassDef]
    if mentions & REFLECTION:
        volatile |= rebound
    none: frozenset[str] = frozenset()
    lazy = _generators(found) if any(found[kind] for kind in _LAZY) else GeneratorNames(none, none)
    return ProgramScopes(
        identifiers=loads | rebound | volatile,
        rebound=rebound,
        members=member_names(nodes),
        imported=imported,
        volatile=volatile,
        settled=frozenset(_settled(tree, nodes, {n.name for n in defined})) - volatile,
        mentions=mentions,
        custom_truth=bool(rebound & {"__bool__", "__len__"}),
        custom_addition=bool(rebound & {"__add__", "__radd__"}),
        custom_order=any(map(has_odd_order, found[ast.ClassDef])),
        custom_operators=any(map(has_operators, found[ast.ClassDef])),
        custom_text=bool(found[ast.ClassDef]) and not rebound.isdisjoint({"__str__", "__repr__"}),
        custom_iterators=any(map(has_odd_iterators, found[ast.ClassDef])),
        begins_anew=begins_anew(found[ast.FunctionDef]),
        closing=bool(found[ast.Try] or found[ast.With])
        and bool(guarded := closing_names(found[ast.FunctionDef]))
        and _abandons(found, mentions)
        and not held_generators(nodes, guarded),
        may_stop="StopIteration" in mentions or "__next__" in mentions or any(map(_bare_next, found[ast.Call])),
        walrus=bool(found[ast.NamedExpr]),
        generators=lazy.given,
        groups=lazy.looped,
        generator_attributes=lazy.attributes,
        functions=frozenset(_functions(found)),
        methods=frozenset(plain_methods(nodes)) if found[ast.ClassDef] else frozenset(),
        closed=frozenset(_closed(tree, rebound)) if "sort" in attributes else frozenset(),
        own_sort="sort" in attributes and _may_have(found, "sort") and _takes_key(found, "sort"),
        own_join="join" in mentions and _may_have(found, "join"),
        classes=bool(found[ast.ClassDef]),
        classes_known=class_facts(tree, nodes, bound),
        characters=characters,
        left=left,
    )


def scope_of(
    node: FunctionNode, inside: Sequence[ast.AST], outer: FunctionScope, bound: frozenset[str]
) -> FunctionScope:
    """The scope of a function defined where `bound` are the surely bound names of the scope around it.

    `inside` are the function's own nodes.
    """
    own: set[str] = set(parameters(node.args))
    declared: set[str] = set()
    foreign: set[str] = set()
    fragile: set[str] = set()
    for inner in inside:
        if type(inner) not in BINDERS:
            continue
        own.update(binds(inner))
        if isinstance(inner, ast.Global):
            declared.update(inner.names)
        elif isinstance(inner, ast.Nonlocal):
            foreign.update(inner.names)
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Del):
            fragile.add(inner.id)
        elif isinstance(inner, ast.ExceptHandler) and inner.name:
            fragile.add(inner.name)
    known = (bound - outer.fragile) | outer.known
    mine = frozenset(own - declared - foreign)
    return FunctionScope(
        mine, frozenset(declared), frozenset(fragile), known - mine, free=(outer.own | outer.free) - mine
    )


_SCOPED = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.comprehension})


def own_nodes(node: FunctionNode) -> list[ast.AST]:
    """Nodes that run in the function's own scope: bodies of inner functions and classes are left out.

    Inside comprehensions only what belongs to the function is given: all but the targets.
    """
    stack: list[ast.AST] = list(node.body) if isinstance(node.body, list) else [node.body]
    found: list[ast.AST] = []
    while stack:
        inner = stack.pop()
        found.append(inner)
        stack += _own_children(inner) if type(inner) in _SCOPED else children_of(inner)
    return found


def _own_children(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from node.decorator_list
            yield from node.args.defaults
            yield from (d for d in node.args.kw_defaults if d)
        case ast.Lambda():
            yield from node.args.defaults
            yield from (d for d in node.args.kw_defaults if d)
        case ast.ClassDef():
            yield from node.decorator_list
            yield from node.bases
        case ast.comprehension():
            yield from (node.iter, *node.ifs)


def _may_have(found: _ByKind, name: str) -> bool:
    """Whether an object of the program may have an attribute: a class body binds it, or a line sets one."""
    bodies = [part for node in found[ast.ClassDef] for each in node.body for part in nodes_of(each)]
    stored = any(node.attr == name and type(node.ctx) is not ast.Load for node in found[ast.Attribute])
    return stored or any(name in binds(part) for part in bodies if type(part) in BINDERS)


def _takes_key(found: _ByKind, name: str) -> bool:
    """Whether a function of that name may get a key; True if there is none of that name."""
    named = [node.args for node in found[ast.FunctionDef] if node.name == name]
    return not named or any(given.kwarg or "key" in parameters(given) for given in named)


def _imported(found: _ByKind) -> Iterator[str]:
    yield from (node.module or "" for node in found[ast.ImportFrom])
    yield from (node.name for node in found[ast.alias])


def _volatile(found: _ByKind) -> Iterator[str]:
    for node in found[ast.Global] + found[ast.Nonlocal]:
        yield from node.names
    for node in found[ast.GeneratorExp] if found[ast.NamedExpr] else ():
        yield from walrus_names(nodes_of(node))


def settled_names(tree: ast.Module) -> frozenset[str]:
    """Names bound at module level before the first statement that may call into the program, and never deleted."""
    nodes = nodes_of(tree)
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    return frozenset(_settled(tree, nodes, defined))


def _settled(tree: ast.Module, nodes: Sequence[ast.AST], defined: set[str]) -> Iterator[str]:
    calls, deleted = LoadCalls(nodes), deleted_names(nodes)
    for statement in tree.body:
        if calls.may_call(statement):
            return
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef) and _may_call(statement, defined):
            return
        if isinstance(statement, ast.FunctionDef) and statement.decorator_list:
            return
        match statement:
            case ast.FunctionDef() | ast.ClassDef():
                names = {statement.name}
            case ast.Import() | ast.ImportFrom():
                names = {name for alias in statement.names for name in binds(alias)}
            case ast.Assign():
                names = {name for target in statement.targets for name in stored_names(target)}
            case _:
                names = set()
        yield from names - deleted


def _may_call(statement: ast.stmt, defined: set[str]) -> bool:
    return any(isinstance(n, ast.Lambda) or (isinstance(n, ast.Name) and n.id in defined) for n in nodes_of(statement))


def _generators(found: _ByKind) -> GeneratorNames:
    """Names of generators."""
    inside = {n.name: own_nodes(n) for n in found[ast.FunctionDef]}
    lazy = {name for name, nodes in inside.items() if any(isinstance(inner, _YIELDS) for inner in nodes)}
    lazy |= {"reversed"} if "__reversed__" in lazy else set()
    for _ in range(2):  # a function that returns what a generator function gives
        lazy |= {name for name, nodes in inside.items() if any(_returns_lazy(inner, lazy) for inner in nodes)}
    lazy |= passed_generators([*found[ast.FunctionDef], *found[ast.Assign], *found[ast.Call]], lazy)
    made = [
        node.targets[0].id
        for node in found[ast.Assign]
        if isinstance(node.targets[0], ast.Name)
        and (isinstance(node.value, ast.GeneratorExp) or called_name(node.value) in lazy)
    ]
    kinds = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.Call, ast.For, ast.comprehension)
    names = generator_names([node for kind in kinds for node in found[kind]], lazy)
    properties = {n.name for n in found[ast.FunctionDef] if n.name in lazy and n.decorator_list}
    return GeneratorNames(names.given.union(lazy, made), names.looped, names.attributes | properties)


def _returns_lazy(node: ast.AST, lazy: set[str]) -> bool:
    if not isinstance(node, ast.Return) or node.value is None:
        return False
    return isinstance(node.value, ast.GeneratorExp) or called_name(node.value) in lazy


def called_name(node: ast.AST) -> str | None:
    """The name of the function or method that an expression calls."""
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
        case _:
            return None


def _functions(found: _ByKind) -> Iterator[str]:
    yield from (node.name for node in found[ast.FunctionDef])
    for node in found[ast.Assign] if found[ast.Lambda] else ():
        if isinstance(node.value, ast.Lambda) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id


def _closed(tree: ast.Module, rebound: frozenset[str]) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            inside = nodes_of(node)
            read = {n.id for n in inside if isinstance(n, ast.Name)}
            own = {*parameters(node.args), *stored_names(node)}
            plain = not any(isinstance(n, ast.Global | ast.FunctionDef | ast.Lambda) for n in inside[1:])
            if plain and not node.args.defaults and all(name in BUILTINS - rebound for name in read - own):
                yield node.name


_ABANDONING = frozenset("next close zip islice takewhile any all".split())
"""What may stop to ask a generator for items before its end."""


def _abandons(found: _ByKind, mentions: frozenset[str]) -> bool:
    """Whether a generator may be dropped before its end, so that it matters when it is."""
    if mentions & _ABANDONING or found[ast.Break] or found[ast.In] or found[ast.NotIn]:
        return True
    left = any(isinstance(inner, ast.Return) for loop in found[ast.For] + found[ast.While] for inner in nodes_of(loop))
    tries = {node for kind in (ast.Try, ast.With) for node in found[kind]}
    lazy = [node for node in found[ast.FunctionDef] if any(isinstance(inner, _YIELDS) for inner in own_nodes(node))]
    return left or bool(tries - {inner for node in lazy for inner in own_nodes(node)})


def _bare_next(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "next"
        and len(node.args) == 1
    )
