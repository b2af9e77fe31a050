"""Whether functions of a program may run while its module is still being loaded, before some statement of it.

Functions that are put in front of a program name its classes; such a class must be there whenever they run.
"""

import ast
from collections.abc import Collection, Iterator

from envs.execution.syntax.program_structure import Function, nodes_of

_HOOKS = frozenset({"__init_subclass__", "__set_name__", "__class_getitem__", "__mro_entries__", "__prepare__"})
_ENUMS = ("Enum", "Flag")


def runs_before(tree: ast.Module, names: Collection[str]) -> bool:
    """Whether code of the program may be called before the classes of these names are all there."""
    places = [place for place, node in enumerate(tree.body) if isinstance(node, ast.ClassDef) and node.name in names]
    nodes = nodes_of(tree)
    made = {node.name for node in nodes if isinstance(node, Function | ast.ClassDef)}
    hooks = not _HOOKS.isdisjoint(made)
    return any(_calls(statement, made, hooks) for statement in tree.body[: max(places, default=0)])


def _calls(node: ast.stmt, made: Collection[str], hooks: bool) -> bool:
    """Whether running a statement may call one of the functions and classes that the program makes."""
    if isinstance(node, ast.ClassDef) and (hooks or node.keywords or _makes_members(node)):
        return True
    inner = node.body if isinstance(node, ast.ClassDef) else []
    return any(_mentions(part, made) for part in _evaluated(node)) or any(_calls(each, made, hooks) for each in inner)


def _makes_members(node: ast.ClassDef) -> bool:
    """Whether it is an enum that makes its members by a method of its own."""
    own = {each.name for each in node.body if isinstance(each, Function)}
    return bool(own & {"__init__", "__new__"}) and any(ast.unparse(base).endswith(_ENUMS) for base in node.bases)


def _evaluated(node: ast.stmt) -> Iterator[ast.AST]:
    """The parts that running a statement evaluates and that may call something."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from [*node.decorator_list, *node.args.defaults, *(each for each in node.args.kw_defaults if each)]
        case ast.ClassDef():
            yield from [*node.decorator_list, *(base for base in node.bases if not isinstance(base, ast.Name))]
        case ast.AnnAssign(value=value):
            yield from [value] if value else []
        case _:
            yield node


def _mentions(node: ast.AST, made: Collection[str]) -> bool:
    factories = {
        id(word.value) for word in nodes_of(node) if isinstance(word, ast.keyword) and word.arg == "default_factory"
    }
    return any(
        id(each) not in factories and (isinstance(each, ast.Lambda) or (isinstance(each, ast.Name) and each.id in made))
        for each in nodes_of(node)
    )
