"""Other names for the variables, functions, classes, methods and attributes of a program; its behaviour stays.

Names of attributes are shared by all classes of the program. A name stays where a library object could have it too
(`append`, `value`), where it is a keyword argument, or where it stands in a string (`attrgetter("x")`).
"""

import ast
import collections
import csv
import datetime
import decimal
import enum
import fractions
import functools
import io
from random import Random
from types import GeneratorType

from cwm_agent.training.program_writer.variable_names import another, fresh

_LIBRARY = (
    *(list, dict, str, set, tuple, int, float, bytes, range, property, type, BaseException, GeneratorType),
    *(collections.deque, collections.Counter, collections.OrderedDict, collections.ChainMap, functools.partial),
    *(collections.namedtuple("_Any", ""), fractions.Fraction, decimal.Decimal, datetime.datetime, datetime.timedelta),
    *(enum.Enum, io.StringIO, csv.DictReader),
)
_KEPT = frozenset(name for kind in _LIBRARY for name in dir(kind)) | {"name", "value", "group", "span", "groups"}
Functions = (ast.FunctionDef, ast.AsyncFunctionDef)


def renamed(source: str, entry: str, rng: Random) -> tuple[str, str]:
    """The program with other names, and the new name of its entry."""
    tree = ast.parse(source)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    members = _members(classes)
    functions = [node for node in ast.walk(tree) if isinstance(node, Functions) and node not in members]
    variables = _variables(tree, members)
    taken = _loaded(tree) - set(variables) - {node.name for node in functions}
    names = {name: another(rng, name, taken) for name in variables}
    for node in functions:
        names[node.name] = fresh(rng, "entry" if node.name == entry else "function", taken)
    names |= {each.name: fresh(rng, "class", taken) for each in classes}
    attributes = _attribute_names(tree, members, rng) if classes else {}
    _Renamer(names, attributes, members).visit(tree)
    return ast.unparse(tree), names[entry]


def _loaded(tree: ast.AST) -> set[str]:
    nodes = list(ast.walk(tree))
    imported = {part.asname or part.name for node in nodes if isinstance(node, ast.ImportFrom) for part in node.names}
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)} | imported


def _members(classes: list[ast.ClassDef]) -> dict[ast.AST, str]:
    """Methods and names in class bodies, by node."""
    found: dict[ast.AST, str] = {}
    for statement in (statement for node in classes for statement in node.body):
        if isinstance(statement, Functions):
            found[statement] = statement.name
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node] = node.id
    return found


def _keywords_and_words(tree: ast.AST) -> set[str]:
    """Keyword arguments, and words in strings."""
    found = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.update(node.value.replace(",", " ").split())
    return found


def _variables(tree: ast.AST, members: dict[ast.AST, str]) -> list[str]:
    """All names that functions and the module assign, in order; names used as keyword arguments are left out."""
    keywords = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            found[node.arg] = None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in members:
            found[node.id] = None
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found[node.name] = None
    kept = keywords | {"self", "cls"} | (set(members.values()) if members else set())
    return [name for name in found if name not in kept]


def _attribute_names(tree: ast.AST, members: dict[ast.AST, str], rng: Random) -> dict[str, str]:
    """New names of methods and attributes, where nothing else can have the old name."""
    kept = _KEPT | _keywords_and_words(tree)
    methods = {name for node, name in members.items() if isinstance(node, Functions)}
    stored = {
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    found: dict[str, str] = {}
    taken = set(kept)
    for name in sorted({*members.values(), *stored}):
        if name not in kept and not name.startswith("_"):
            kind = "method" if name in methods else "constant" if name.isupper() else "attribute"
            found[name] = fresh(rng, kind, taken)
    return found


class _Renamer(ast.NodeTransformer):
    """Renames variables, parameters, functions and classes by one map, attributes and members by another."""

    def __init__(self, names: dict[str, str], attributes: dict[str, str], members: dict[ast.AST, str]) -> None:
        self._names = names
        self._attributes = attributes
        self._members = members

    def visit_Name(self, node: ast.Name) -> ast.Name:
        names = self._attributes if node in self._members else self._names
        node.id = names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self._names.get(node.arg, node.arg)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        node.attr = self._attributes.get(node.attr, node.attr)
        self.generic_visit(node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        names = self._attributes if node in self._members else self._names
        node.name = names.get(node.name, node.name)
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.name = self._names.get(node.name, node.name)
        self.generic_visit(node)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        node.name = self._names.get(node.name, node.name) if node.name else None
        self.generic_visit(node)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.Nonlocal:
        node.names = [self._names.get(name, name) for name in node.names]
        return node
