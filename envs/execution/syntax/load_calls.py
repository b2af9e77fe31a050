"""Which statements of a module may call functions and classes of the program while they are run.

What is not sure counts as a call. A class calls what it names in its body and its header, the hooks of its bases, and
as an enum the methods that make its members. Pure facts about the syntax tree.
"""

import ast
import builtins
from collections.abc import Iterator, Sequence

from envs.execution.syntax.program_structure import Function, nodes_of

_HOOKS = frozenset({"__init_subclass__", "__set_name__", "__class_getitem__", "__mro_entries__", "__prepare__"})
_ENUMS = ("Enum", "Flag")
_AFTERWARDS = frozenset("__str__ __repr__ __format__ __lt__ __le__ __gt__ __ge__".split())
"""Methods that no enum needs while its members are made."""
_ABSTRACT = ("ABCMeta", "abc.ABCMeta")


class LoadCalls:
    """The statements of one program that may call into it."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self._made = {node.name for node in nodes if isinstance(node, Function | ast.ClassDef)}
        self._hooks = not _HOOKS.isdisjoint(self._made)
        self._properties = _properties(nodes) if "property" not in self._made else frozenset()

    def may_call(self, node: ast.stmt) -> bool:
        """Whether running a statement may call one of the functions and classes that the program makes."""
        if isinstance(node, ast.ClassDef):
            if self._hooks or _makes_members(node) or not all(map(self._is_plain, node.keywords)):
                return True
            inner = node.body
        else:
            within = [] if isinstance(node, Function) else nodes_of(node)[1:]
            inner = [each for each in within if isinstance(each, ast.ClassDef)]
        return any(map(self._mentions, _evaluated(node))) or any(map(self.may_call, inner))

    def _is_plain(self, keyword: ast.keyword) -> bool:
        """Whether a class is made by the library's class of abstract classes."""
        return keyword.arg == "metaclass" and ast.unparse(keyword.value) in _ABSTRACT and "ABCMeta" not in self._made

    def _mentions(self, node: ast.AST) -> bool:
        nodes = nodes_of(node)
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr="setter" | "getter" | "deleter"):
                return name not in self._properties
        factories = {
            id(word.value) for word in nodes if isinstance(word, ast.keyword) and word.arg == "default_factory"
        }
        return any(
            id(each) not in factories
            and (isinstance(each, ast.Lambda) or (isinstance(each, ast.Name) and each.id in self._made))
            for each in nodes
        )


def _properties(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Names that mean nothing but properties, whose setters are added by a decorator that calls no function."""
    functions = [node for node in nodes if isinstance(node, Function)]
    found = {node.name for node in functions}
    for node in functions:
        given = {ast.unparse(each) for each in node.decorator_list}
        if not given <= {"property", f"{node.name}.setter", f"{node.name}.deleter"} or len(given) != 1:
            found.discard(node.name)
    return frozenset(found - {node.id for node in nodes if isinstance(node, ast.Name) and _is_stored(node)})


def _is_stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _makes_members(node: ast.ClassDef) -> bool:
    """Whether it is an enum that may make its members by a method of its own."""
    own = {each.name for each in node.body if isinstance(each, Function) and not _only_sets(each)} - _AFTERWARDS
    own -= {each.name for each in node.body if isinstance(each, ast.FunctionDef) and _names_values(each)}
    own -= {"_missing_"} if all(ast.unparse(base).endswith("Enum") for base in node.bases) else set()
    special = any(name.startswith("_") and name.endswith("_") for name in own)
    return special and any(ast.unparse(base).endswith(_ENUMS) for base in node.bases)


def _names_values(node: ast.FunctionDef) -> bool:
    """Whether it is a `_generate_next_value_` that knows nothing but its parameters and builtins."""
    given = {each.arg for each in nodes_of(node.args) if isinstance(each, ast.arg)}
    named = {each.id for part in node.body for each in nodes_of(part) if isinstance(each, ast.Name)}
    return node.name == "_generate_next_value_" and all(name in given or hasattr(builtins, name) for name in named)


def _only_sets(node: ast.stmt) -> bool:
    """Whether it is an `__init__` that sets attributes to what it computes from its parameters, and calls nothing."""
    if not isinstance(node, ast.FunctionDef) or node.name != "__init__" or node.decorator_list:
        return False
    inside = [each for part in node.body for each in nodes_of(part)]
    asks = any(isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Load) for each in inside)
    return not asks and not any(isinstance(each, ast.Call | ast.With | ast.Lambda | Function) for each in inside)


def _evaluated(node: ast.stmt) -> Iterator[ast.AST]:
    """The parts that running a statement evaluates and that may call something."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [*node.args.defaults, *(each for each in node.args.kw_defaults if each)]
            yield from [*node.decorator_list, *(each for each in defaults if not _is_quiet(each))]
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
            yield from _called([node.returns, *(each.annotation for each in given if each)])
        case ast.ClassDef():
            yield from [*node.decorator_list, *(base for base in node.bases if not isinstance(base, ast.Name))]
        case ast.Assign(targets=[ast.Name()], value=value) if _only_holds(value):
            pass  # `__radd__ = __add__` calls neither
        case ast.AnnAssign(target=target, annotation=annotation, value=value):
            read = [] if isinstance(target, ast.Name) else [target]
            yield from [*read, *([value] if value else []), *_called([annotation])]
        case _:
            yield node


def _only_holds(node: ast.expr) -> bool:
    """Whether an expression is a name or a constant, or a tuple or list of such: evaluating it calls nothing."""
    if isinstance(node, ast.Tuple | ast.List):
        return all(map(_only_holds, node.elts))
    return isinstance(node, ast.Name | ast.Constant)


def _called(annotations: Sequence[ast.expr | None]) -> Iterator[ast.AST]:
    """The calls in annotations: a name by itself calls nothing."""
    yield from (each for part in annotations if part for each in nodes_of(part) if isinstance(each, ast.Call))


def _is_quiet(default: ast.expr) -> bool:
    """Whether a default is a name, an attribute of a name or a function that nothing calls yet."""
    if isinstance(default, ast.Lambda):
        return not (default.args.defaults or any(default.args.kw_defaults))
    held = default.value if isinstance(default, ast.Attribute) else default
    return isinstance(held, ast.Name)
