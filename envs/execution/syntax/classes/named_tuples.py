"""The fields of named tuples, as the syntax of their classes tells them.

    Point = namedtuple("Point", "x y")
    class Point(NamedTuple): x: int; y: int = 0
    class Point(namedtuple("Pair", "x y")): def norm(self): ...
    class Point(Pair): ...                                          where `Pair` is one of these

A class with operators, or with values beside its fields, has no facts: no rule covers its objects. Nothing is run.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

_OF_TUPLES = frozenset({"_replace", "_make", "_asdict", "_fields", "_field_defaults"})
"""What a named tuple has beside its fields and what every tuple has."""


@dataclass(frozen=True, slots=True)
class TupleFacts:
    """A named tuple by its fields."""

    fields: Mapping[str, str | None]
    """The names of the fields, with the texts of their defaults; None where there is none."""
    maker: str
    """The name of the class whose `__new__` makes its objects."""


def makes_tuples(node: ast.expr) -> bool:
    """Whether an expression makes a class of named tuples: `namedtuple("Point", "x y")`."""
    return isinstance(node, ast.Call) and last_name(node.func) == "namedtuple"


def made_tuple(value: ast.expr) -> TupleFacts | None:
    """What `namedtuple("Point", "x y")` makes, or the same with a list of names."""
    match value:
        case ast.Call(args=[ast.Constant(value=str(own)), fields], keywords=words) if makes_tuples(value):
            pass
        case _:
            return None
    try:
        given = ast.literal_eval(fields)
    except ValueError:
        return None
    listed = given.replace(",", " ").split() if isinstance(given, str) else list(given)
    plain = all(isinstance(each, str) and each.isidentifier() for each in listed)
    defaults = _defaults(words)
    if not plain or defaults is None or len(defaults) > len(listed):
        return None
    named = dict(zip(listed[len(listed) - len(defaults) :], defaults, strict=True))
    return TupleFacts({**dict.fromkeys(listed), **named}, own)


def _defaults(words: list[ast.keyword]) -> list[str] | None:
    """The texts of the defaults that a call of `namedtuple` gives; None where they are not constant."""
    match words:
        case []:
            return []
        case [ast.keyword(arg="defaults", value=ast.Tuple(elts=parts) | ast.List(elts=parts))]:
            texts = [constant_text(part) for part in parts]
            return [text for text in texts if text is not None] if None not in texts else None
    return None


def annotated_tuple(node: ast.ClassDef) -> TupleFacts | None:
    """A class that derives from NamedTuple alone and has no operators."""
    if len(node.bases) != 1 or last_name(node.bases[0]) != "NamedTuple" or node.decorator_list:
        return None
    found: dict[str, str | None] = {}
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                text = None if value is None else constant_text(value)
                if value is not None and text is None:
                    return None
                found[name] = text
            case _ if not _adds_method(statement):
                return None
    return TupleFacts(found, node.name)


def extended_tuple(node: ast.ClassDef, known: Mapping[str, TupleFacts]) -> TupleFacts | None:
    """A class that derives from a named tuple alone, and adds nothing but methods."""
    if len(node.bases) != 1 or node.decorator_list or node.keywords:
        return None
    base = node.bases[0]
    above = known.get(base.id) if isinstance(base, ast.Name) else made_tuple(base)
    if above is None:
        return None
    for statement in node.body:
        if not _adds_method(statement) and not _has_no_slots(statement):
            return None
        if isinstance(statement, ast.FunctionDef) and statement.name in above.fields:
            return None
    return above


def _adds_method(node: ast.stmt) -> bool:
    """Whether a statement of a class adds no more than a method that is no operator."""
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.FunctionDef(name=name):
            return not name.startswith("__") and name not in _OF_TUPLES
    return False


def _has_no_slots(node: ast.stmt) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name(id="__slots__")], value=ast.Tuple(elts=[]) | ast.List(elts=[])):
            return True
    return False


def last_name(node: ast.expr) -> str:
    """The name of an expression without what stands before the last dot."""
    return ast.unparse(node).rpartition(".")[2]


def constant_text(node: ast.expr) -> str | None:
    """The text of a number, a string or a tuple of them; None for any other expression."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return repr(value) if isinstance(value, int | float | str | bytes | tuple | None) else None
