"""`functools.singledispatch` written as a function that asks for the class of its first argument.

    @singledispatch                     def _show_object(value): ...
    def show(value): ...                def _show_int(value): ...
    @show.register                      def show(value):
    def _(value: int): ...                  if isinstance(value, int):
                                                return _show_int(value)
                                            return _show_object(value)

Only where the classes are the program's own or builtin ones without a say in `isinstance`, all arguments are given by
place, defaults are the same constants everywhere, and nothing else is asked of the function. A function may be
registered for several classes. Knows only syntax.
"""

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from envs.execution.decompose.rewrites.library_names import (
    hides_names,
    library_functions,
    occurring_names,
    rebound_builtins,
)
from envs.execution.decompose.rewrites.preconditions import rewriting_with_entry
from envs.execution.decompose.rewrites.written_functions import placed
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.load_calls import LoadCalls
from envs.execution.syntax.program_structure import nodes_of

_DISPATCH = "functools.singledispatch"
BUILTIN_ORDER = ("bool", "int", "float", "complex", "str", "bytes", "list", "tuple", "dict", "set", "frozenset")
"""Classes in the order in which they are asked for: a derived one before its base."""
_LIBRARY_ORDER = (
    *(f"datetime.{name}" for name in ("datetime", "date", "time", "timedelta")),
    *(f"collections.{name}" for name in ("Counter", "OrderedDict", "defaultdict", "deque")),
    "decimal.Decimal",
    "fractions.Fraction",
)
"""The same of the library; they come before the builtin ones, from which some of them derive."""
_NONE = "type(None)"
_SAYING = frozenset({"__class__", "__instancecheck__", "__subclasshook__", "runtime_checkable", "dispatch", "registry"})
"""What lets a class be asked for otherwise than the library does, or a function for what it holds."""


@dataclass(slots=True)
class _Dispatch:
    """One function that the library would dispatch, with the classes it has functions for."""

    node: ast.FunctionDef
    kinds: dict[str, ast.FunctionDef] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """For each class the one by which its function is named: the first that the function is registered for."""
    asked: int = 0
    """How many decorators register functions."""
    repeated: bool = False
    """Whether a class is registered twice."""

    def add(self, node: ast.FunctionDef, kinds: Sequence[str]) -> None:
        """Registers a function for classes."""
        self.repeated = self.repeated or not self.kinds.keys().isdisjoint(kinds) or len(set(kinds)) < len(kinds)
        self.kinds.update(dict.fromkeys(kinds, node))
        self.names.update(dict.fromkeys(kinds, kinds[0]))
        self.asked += len(node.decorator_list)


@rewriting_with_entry({"functools"}, {"singledispatch"})
def with_asked_classes(tree: ast.Module, entry: str) -> ast.Module:
    """The program with such functions written out; the same tree where there is none."""
    names = {text for text, known in library_functions(tree, (_DISPATCH,)).items() if known == _DISPATCH}
    if not names or hides_names(tree) or has_odd_classes(tree):
        return tree
    found = {
        node.name: _Dispatch(node)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and [ast.unparse(each) for each in node.decorator_list] in [[n] for n in names]
    }
    owner: dict[ast.stmt, tuple[str, str]] = {}
    for node in tree.body:
        registered = _registered(node, found) if isinstance(node, ast.FunctionDef) else None
        if registered and isinstance(node, ast.FunctionDef):
            owner[node] = registered[0], registered[1][0]
            found[registered[0]].add(node, registered[1])
    times = Counter(bound_in(tree))
    classes = [n.name for n in tree.body if isinstance(n, ast.ClassDef) and times[n.name] == 1 and not n.keywords]
    library = library_functions(tree, _LIBRARY_ORDER)
    imported = sorted(
        (text for text in library if "." not in text), key=lambda text: _LIBRARY_ORDER.index(library[text])
    )
    order = [*reversed(classes), *imported, *BUILTIN_ORDER, _NONE]
    taken = occurring_names(tree)
    done = {name for name, each in found.items() if _fits(each, order, nodes_of(tree), taken)}
    done -= {name for name in done if not _is_whole(found[name], tree, entry)}
    body: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in done and found[node.name].node is node:
            asking = _asking(node.name, found[node.name], order)
            body += [_renamed(node, f"_{node.name}_object"), asking]
        elif node in owner and owner[node][0] in done and isinstance(node, ast.FunctionDef):
            body.append(_renamed(node, f"_{owner[node][0]}_{_word(owner[node][1])}"))
        else:
            body.append(node)
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores)) if done else tree


def _registered(node: ast.FunctionDef, found: dict[str, _Dispatch]) -> tuple[str, list[str]] | None:
    """The dispatched function and the classes that a function is registered for, the innermost decorator's first."""
    names: list[str] = []
    kinds: list[str] = []
    for decorator in reversed(node.decorator_list):
        match decorator:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="register"), args=[kind], keywords=[]):
                kinds.append(ast.unparse(kind))
            case ast.Attribute(value=ast.Name(id=name), attr="register") if node.args.args:
                kinds += _annotated(node.args.args[0].annotation)
            case _:
                return None
        names.append(name)
    return (names[0], kinds) if len(set(names)) == 1 and names[0] in found else None


def _word(kind: str) -> str:
    """A class in the name of its function."""
    return "none" if kind == _NONE else kind


def _annotated(node: ast.expr | None) -> list[str]:
    """The classes of an annotation such as `int | str`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_annotated(node.left), *_annotated(node.right)]
    return [ast.unparse(node or ast.Constant(None))]


def has_odd_classes(tree: ast.Module) -> bool:
    """Whether a class of the program may come in another place than the order of definition says."""
    nodes = nodes_of(tree)
    named = {node.attr for node in nodes if isinstance(node, ast.Attribute)} | occurring_names(tree)
    registered = [node.value for node in nodes if isinstance(node, ast.Attribute) and node.attr == "register"]
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    own = {node.name for node in classes}
    return (
        bool(named & _SAYING or {"isinstance", "type", *BUILTIN_ORDER} & rebound_builtins(tree))
        or any(len(node.bases) > 1 for node in classes)
        or any(not isinstance(owner, ast.Name) or owner.id in own for owner in registered)
    )


def _is_whole(each: _Dispatch, tree: ast.Module, entry: str) -> bool:
    """Whether nothing asks for the registered functions by name, and nothing runs before they are all there."""
    own = {one.name for one in each.kinds.values()}
    if entry in own or any(
        isinstance(node, ast.Name) and node.id in own and isinstance(node.ctx, ast.Load) for node in nodes_of(tree)
    ):
        return False
    mine = [tree.body.index(one) for one in (each.node, *each.kinds.values())]
    calls = LoadCalls(nodes_of(tree))
    between = [node for place, node in enumerate(tree.body) if min(mine) < place < max(mine) and place not in mine]
    return not any(calls.may_call(node) for node in between if not _is_registering(node))


def _is_registering(node: ast.stmt) -> bool:
    match node:
        case ast.FunctionDef(decorator_list=[_, *_] as decorators, args=ast.arguments(kw_defaults=[]) as given):
            made = [each.func if isinstance(each, ast.Call) else each for each in decorators]
            plain = all(isinstance(each, ast.Constant) for each in given.defaults)
            return plain and all(
                isinstance(each, ast.Attribute) and each.attr == "register" and isinstance(each.value, ast.Name)
                for each in made
            )
    return False


def _fits(each: _Dispatch, order: Sequence[str], nodes: Sequence[ast.AST], taken: set[str]) -> bool:
    name = each.node.name
    functions = [each.node, *each.kinds.values()]
    defaults = [ast.dump(default) for default in each.node.args.defaults]
    plain = all(
        len(one.args.args) == len(each.node.args.args)
        and [ast.dump(default) for default in one.args.defaults] == defaults
        and not (one.args.vararg or one.args.kwarg or one.args.kwonlyargs or one.args.posonlyargs)
        for one in functions
    ) and all(isinstance(default, ast.Constant) for default in each.node.args.defaults)
    known = set(each.kinds) <= set(order) and not {f"_{name}_{_word(kind)}" for kind in (*each.kinds, "object")} & taken
    asked = [n for n in nodes if isinstance(n, ast.Attribute) and ast.unparse(n.value) == name]
    calls = [n for n in nodes if isinstance(n, ast.Call) and ast.unparse(n.func) == name]
    bound = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)]
    by_place = not any(
        call.keywords
        or not len(each.node.args.args) - len(defaults) <= len(call.args) <= len(each.node.args.args)
        or not call.args
        or any(isinstance(given, ast.Starred) for given in call.args)
        for call in calls
    )
    by_place = by_place and not {one.arg for one in each.node.args.args} & {*each.kinds, "isinstance", "type"}
    return (
        bool(each.node.args.args)
        and plain
        and known
        and by_place
        and not bound
        and not each.repeated
        and len(asked) == each.asked
    )


def _renamed(node: ast.FunctionDef, name: str) -> ast.FunctionDef:
    node.name, node.decorator_list = name, []
    return node


def _asking(name: str, each: _Dispatch, order: Sequence[str]) -> ast.stmt:
    """The function that asks for the class of its first argument."""
    given = [one.arg for one in each.node.args.args]
    plain = len(given) - len(each.node.args.defaults)
    texts = [f"={ast.unparse(default)}" for default in each.node.args.defaults]
    shown = [*given[:plain], *(f"{one}{text}" for one, text in zip(given[plain:], texts, strict=True))]
    lines = [f"def {name}({', '.join(shown)}):"]
    for kind in sorted(each.kinds, key=order.index):
        lines.append(f"    if isinstance({given[0]}, {kind}):")
        lines.append(f"        return _{name}_{_word(each.names[kind])}({', '.join(given)})")
    lines.append(f"    return _{name}_object({', '.join(given)})")
    return placed(ast.parse("\n".join(lines)).body, each.node.lineno)[0]
