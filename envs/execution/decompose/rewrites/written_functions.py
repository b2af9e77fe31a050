"""Statements that are put into a program: on which line of its source, at which place, and whether in time.

The line is the origin of what they become. Functions in front of a program name its classes; such a class must be there
whenever they run.
"""

import ast
from collections.abc import Collection, Iterator

from envs.execution.syntax.program_structure import Function, nodes_of

_HOOKS = frozenset({"__init_subclass__", "__set_name__", "__class_getitem__", "__mro_entries__", "__prepare__"})
_ENUMS = ("Enum", "Flag")


def placed(statements: list[ast.stmt], line: int | None) -> list[ast.stmt]:
    """The statements with every part on one line; with None where they stand already."""
    for statement in statements:
        for part in ast.walk(statement) if line is not None else ():
            if hasattr(part, "lineno"):
                part.lineno = part.end_lineno = line  # type: ignore[attr-defined]
        ast.fix_missing_locations(statement)
    return statements


def in_front(tree: ast.Module, functions: list[ast.stmt]) -> ast.Module:
    """The program with functions before all that may call them: only its docstring and first imports come before."""
    place = int(ast.get_docstring(tree, clean=False) is not None)
    while place < len(tree.body) and isinstance(tree.body[place], ast.Import | ast.ImportFrom):
        place += 1
    body = [*tree.body[:place], *functions, *tree.body[place:]]
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


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
