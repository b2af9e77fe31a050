"""Which names of a program surely mean functions of the library, and which it may have bound to something else.

A name counts only if one import at the module's top level binds it, before any function of the program can run, and
nothing else binds or deletes it; in a program that patches anything that it imports none counts
(`library_patches.py`). Programs that look names up by their text are left alone altogether. In others
`from itertools import *` is written with the names that the program uses; words in its texts count as uses, since
annotations may be texts.
"""

import ast
import importlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from envs.execution.syntax.bindings import BINDERS, binds, imported_name
from envs.execution.syntax.classes.member_names import member_names
from envs.execution.syntax.library.library_patches import patches_library
from envs.execution.syntax.name_scopes import settled_names
from envs.execution.syntax.program_structure import nodes_of

AMOUNTS = ("fractions.Fraction", "decimal.Decimal", "datetime.timedelta")
"""Classes whose sums are written out: a sum that begins with one adds item by item."""
_READERS = frozenset({"eval", "exec", "globals", "locals", "vars", "dir", "__import__", "__builtins__"})
_READING_ATTRIBUTES = frozenset({"modules", "__globals__", "_getframe", "currentframe", "f_globals", "f_locals"})
_READING_MODULES = frozenset({"builtins", "importlib", "inspect", "runpy"})
_STAR_MODULES = frozenset(
    "bisect collections copy dataclasses datetime decimal enum fractions functools heapq itertools math operator re "
    "string typing".split()
)
"""Modules of the library whose names are known without running anything of the program."""


def hides_names(tree: ast.Module) -> bool:
    """Whether the program can see which names its module has, or may bind names that its text does not show."""
    nodes = nodes_of(tree)
    return any(isinstance(node, ast.alias) and node.name == "*" for node in nodes) or _reads_names(tree, nodes)


def reads_names(tree: ast.Module) -> bool:
    """Whether the program may look names of its module up by their text."""
    return _reads_names(tree, nodes_of(tree))


def _reads_names(tree: ast.Module, nodes: Sequence[ast.AST]) -> bool:
    named: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            if node.id in _READERS:
                named.add(node.id)
        elif isinstance(node, ast.Attribute):
            if node.attr in _READING_ATTRIBUTES:
                return True
        elif isinstance(node, ast.Import | ast.ImportFrom) and _imports_readers(node):
            return True
    if not named:
        return False
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    imported = {name for node in nodes if isinstance(node, ast.alias) for name in binds(node)}
    of_objects = [call for call in calls if _asks_object(call, imported)]
    if len(of_objects) == sum(isinstance(node, ast.Name) and node.id == "vars" for node in nodes):
        named -= {"vars"}
    called = {node.func.id for node in calls if isinstance(node.func, ast.Name)}
    return bool(named & called or named - bound_names(tree))


def _asks_object(node: ast.Call, imported: Collection[str]) -> bool:
    """Whether it is `vars(thing)`, of something that is certainly not the program's module: it imports none so."""
    match node:
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Name(id=name)], keywords=[]):
            return name not in imported
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Subscript() | ast.Attribute() | ast.Call()], keywords=[]):
            return True
    return False


def _imports_readers(node: ast.Import | ast.ImportFrom) -> bool:
    names = {alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.Import):
        return not names.isdisjoint(_READING_MODULES)
    return node.module in _READING_MODULES or not names.isdisjoint(_READING_ATTRIBUTES)


def bound_names(tree: ast.Module) -> set[str]:
    """Names that anything else than an import at the module's top level, or a class body, binds in whatever scope."""
    plain = {alias for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names}
    others = [node for node in nodes_of(tree) if node not in plain]
    return _bound(others) - member_names(others)


def rebound_builtins(tree: ast.Module) -> set[str]:
    """Names that may not mean the builtins of that name: imports count too, members of classes do not."""
    return _bound(nodes_of(tree)) - member_names(nodes_of(tree))


def occurring_names(tree: ast.Module) -> set[str]:
    """Every name that occurs in the program; functions that are added to it are called otherwise."""
    nodes = nodes_of(tree)
    return {node.id for node in nodes if isinstance(node, ast.Name)} | _bound(nodes)


def _bound(nodes: Iterable[ast.AST]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                found.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
        elif type(node) in BINDERS:
            found.update(binds(node))
    return found


def fresh_name(name: str, taken: Collection[str]) -> str:
    """A name like this one that the program does not use, nor any that begins with it: helpers may be several."""
    while any(each == name or each.startswith(f"{name}_") for each in taken):
        name += "_"
    return name


def library_functions(tree: ast.Module, wanted: Collection[str]) -> dict[str, str]:
    """Those of the wanted functions that the program surely means, by the text under which it knows them."""
    meanings = _meanings(tree)
    found = dict(_known(meanings, wanted))
    if not found or patches_library(nodes_of(tree)):
        return {}
    lost = bound_names(tree) | {name for name, known in meanings.items() if len(known) > 1}
    sure = {name for name in settled_names(tree) - lost if not name.startswith("__")}  # classes write these otherwise
    return {text: name for text, name in found.items() if text.partition(".")[0] in sure}


def _meanings(tree: ast.Module) -> dict[str, set[str]]:
    """What imports of the module's top level bind each name to."""
    found: dict[str, set[str]] = {}
    for node in tree.body:
        match node:
            case ast.ImportFrom(module=module, names=aliases, level=level):
                for alias in aliases:
                    found.setdefault(imported_name(alias), set()).add(f"{'.' * level}{module}.{alias.name}")
            case ast.Import(names=aliases):
                for alias in aliases:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    found.setdefault(imported_name(alias), set()).add(whole)
    return found


def _known(meanings: Mapping[str, set[str]], wanted: Collection[str]) -> Iterator[tuple[str, str]]:
    for name, known in meanings.items():
        for meaning in known:
            if meaning in wanted:
                yield name, meaning
            yield from (
                (f"{name}{each.removeprefix(meaning)}", each) for each in wanted if each.startswith(f"{meaning}.")
            )


def with_named_imports(tree: ast.Module) -> ast.Module:
    """The program with `from itertools import *` written with the names that it uses: rules look names up by them."""
    if not any(map(_is_star, tree.body)) or reads_names(tree):
        return tree
    nodes = nodes_of(tree)
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    used = {node.id for node in nodes if isinstance(node, ast.Name)} | set(re.findall(r"\w+", " ".join(texts)))
    body: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and _is_star(statement):
            module = importlib.import_module(str(statement.module))
            public = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
            names = [ast.alias(name) for name in sorted(used.intersection(public))]
            named = ast.ImportFrom(statement.module, names, 0) if names else ast.Pass()
            body.append(ast.fix_missing_locations(ast.copy_location(named, statement)))
        else:
            body.append(statement)
    return ast.Module(body, tree.type_ignores)


def _is_star(node: ast.stmt) -> bool:
    if not (isinstance(node, ast.ImportFrom) and node.module in _STAR_MODULES and not node.level):
        return False
    return [alias.name for alias in node.names] == ["*"]
