"""Which names of a program surely mean functions of the library, and which it may have bound to something else.

A name counts only if one import at the module's top level binds it, before any function of the program can run, and
nothing else binds, deletes or patches it. Programs that look names up by their text are left alone altogether.
"""

import ast
from collections.abc import Collection, Iterator, Mapping

from envs.execution.syntax.bindings import binds, imported_name
from envs.execution.syntax.name_scopes import settled_names
from envs.execution.syntax.program_structure import nodes_of

AMOUNTS = ("fractions.Fraction", "decimal.Decimal", "datetime.timedelta")
"""Classes whose sums are written out: a sum that begins with one adds item by item."""
_READERS = frozenset({"eval", "exec", "globals", "locals", "vars", "dir", "__import__", "__builtins__"})
_READING_ATTRIBUTES = frozenset({"modules", "__globals__", "_getframe", "currentframe", "f_globals", "f_locals"})
_READING_MODULES = frozenset({"builtins", "importlib", "inspect", "runpy"})
_PATCHING = frozenset({"setattr", "delattr"})


def hides_names(tree: ast.Module) -> bool:
    """Whether the program can see which names its module has, or may bind names that its text does not show."""
    return reads_names(tree) or any(isinstance(node, ast.alias) and node.name == "*" for node in nodes_of(tree))


def reads_names(tree: ast.Module) -> bool:
    """Whether the program may look names of its module up by their text."""
    nodes = nodes_of(tree)
    named = {node.id for node in nodes if isinstance(node, ast.Name)} & _READERS
    if named:
        called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        if named & called or named - bound_names(tree):
            return True
    return any(map(_reads_names, nodes))


def _reads_names(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=name):
            return name in _READING_ATTRIBUTES
        case ast.Import(names=aliases):
            return any(alias.name.partition(".")[0] in _READING_MODULES for alias in aliases)
        case ast.ImportFrom(module=module, names=aliases):
            names = {alias.name for alias in aliases}
            return module in _READING_MODULES or bool(names & _READING_ATTRIBUTES)
    return False


def bound_names(tree: ast.Module) -> set[str]:
    """Names that anything else than an import at the module's top level binds, in whatever scope."""
    nodes = nodes_of(tree)
    imports = [alias for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]
    plain = {id(alias) for alias in imports}
    found = {name for node in nodes if id(node) not in plain for name in binds(node)}
    found |= {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    return found


def rebound_builtins(tree: ast.Module) -> set[str]:
    """Names that may not mean the builtins of that name: imports count too."""
    return {name for node in nodes_of(tree) for name in binds(node)} | bound_names(tree)


def occurring_names(tree: ast.Module) -> set[str]:
    """Every name that occurs in the program; functions that are added to it are called otherwise."""
    return {node.id for node in nodes_of(tree) if isinstance(node, ast.Name)} | rebound_builtins(tree)


def fresh_name(name: str, taken: Collection[str]) -> str:
    """A name like this one that the program does not use, nor any that begins with it: helpers may be several."""
    while any(each == name or each.startswith(f"{name}_") for each in taken):
        name += "_"
    return name


def library_functions(tree: ast.Module, wanted: Collection[str]) -> dict[str, str]:
    """Those of the wanted functions that the program surely means, by the text under which it knows them."""
    meanings = _meanings(tree)
    found = dict(_known(meanings, wanted))
    if not found:
        return {}
    lost = bound_names(tree) | set(_patched(tree)) | {name for name, known in meanings.items() if len(known) > 1}
    settled = settled_names(tree)
    roots = {text: text.partition(".")[0] for text in found}
    return {text: name for text, name in found.items() if roots[text] in settled and roots[text] not in lost}


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


def _patched(tree: ast.Module) -> Iterator[str]:
    """Names of modules and classes whose attributes the program sets or deletes."""
    for node in nodes_of(tree):
        match node:
            case ast.Attribute(value=owner, ctx=ast.Store() | ast.Del()):
                yield _root(owner)
            case ast.Call(func=ast.Name(id=name), args=[owner, *_]) if name in _PATCHING:
                yield _root(owner)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
