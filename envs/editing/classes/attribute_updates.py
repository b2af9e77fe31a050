"""Edits that insert a statement about an attribute: a missing update, a value set back, an item added."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.class_members import ClassFacts
from envs.editing.guessed_types import NUMBERS, SIZED
from envs.editing.source_text import Block, Replacement, SourceText
from envs.editing.variable_scopes import Function, bound_by

_EXITS = (ast.Return, ast.Break, ast.Continue, ast.Raise)
_MAX_VALUES = 5
_FIRST_METHODS = ("__init__", "__post_init__")
_SILENT = ("__eq__", "__lt__", "__hash__", "__repr__", "__str__", "__len__", "__contains__", "__bool__")
"""Methods that should change nothing."""


def updates(code: SourceText) -> Iterator[Replacement]:
    """Inserts an update of an attribute that is set at first and never again, after each statement."""
    for own, method, name in _methods(code):
        stale = [each for each in code.members.attributes(own) if code.members.is_stale(own, each)]
        if method.name in _FIRST_METHODS or not stale:
            continue
        for _, statement in _places(code, method):
            for attribute in stale:
                for text in _stale_updates(code, statement, f"{name}.{attribute}"):
                    yield _inserted(code, "insert-stale", statement, text)


def statements(code: SourceText) -> Iterator[Replacement]:
    """Inserts a reset, an assignment, a count or an added item of an attribute, at the ends of blocks."""
    for own, method, name in _methods(code):
        if method.name in _SILENT:
            continue
        for block, statement in _places(code, method):
            if not isinstance(statement, _EXITS) and statement is not block.statements[-1]:
                continue
            for text in dict.fromkeys(_new_statements(code, own, method, statement, name)):
                yield _inserted(code, "insert-attribute", statement, text)


def results(code: SourceText) -> Iterator[Replacement]:
    """Adds `return self` or `return self.x` at the end of a method that returns nothing."""
    for _, method, name in _methods(code):
        last = method.body[-1]
        returned = any(isinstance(node, ast.Return | ast.Yield) and node.value for node in ast.walk(method))
        if returned or method.name == "__init__" or _leaves(last) or code.own_lines(last) is None:
            continue
        for text in [name, *code.own_attributes(last)]:
            yield code.insert_after("insert-own-result", last, f"return {text}")


def first_values(code: SourceText) -> Iterator[Replacement]:
    """Inserts in `__init__` an attribute that other methods read and nothing sets, or that only the class has."""
    for own, method, name in _methods(code):
        if method.name != "__init__":
            continue
        last = [each for block, each in _places(code, method) if block.owner is method and not _leaves(each)]
        if not last:
            continue
        for attribute, values in _unset_attributes(code, own, method).items():
            for value in values:
                yield code.insert_after("insert-first-value", last[-1], f"{name}.{attribute} = {value}")


def _unset_attributes(code: SourceText, own: ClassFacts, method: Function) -> dict[str, list[str]]:
    """Attributes without a value of their own in `__init__`, with the values they may get."""
    known = {each for one in code.members.family(own) for each in one.methods}
    set_here = {name for name, stores in own.stores.items() if any(one is method for one, _ in stores)}
    read = {
        node.attr: None
        for each in own.methods.values()
        for node in ast.walk(each)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and code.method(node)
        if node.value.id == (code.method(node) or ("", "", ""))[2]
    }
    found: dict[str, list[str]] = {}
    for attribute in [*own.stores, *read]:
        if attribute in set_here or attribute in known or attribute in found:
            continue
        shared = [code.text(value) for one, value in own.stores.get(attribute, ()) if one is None and value]
        given = [each.arg for each in method.args.args if each.arg == attribute]
        inherited = attribute in code.members.attributes(own) and not shared
        usual = [] if inherited else ["0", "[]", "None", "{}"]
        found[attribute] = list(dict.fromkeys([*given, *shared, *usual]))
    return found


def _new_statements(
    code: SourceText, own: ClassFacts, method: Function, statement: ast.stmt, name: str
) -> Iterator[str]:
    local = _local_names(code, statement)
    for attribute in code.members.attributes(own):
        text, types = f"{name}.{attribute}", code.types.of_name(f".{attribute}")
        if method.name not in _FIRST_METHODS:
            first = code.members.first_values(own, attribute)
            yield from (f"{text} = {code.text(value)}" for value in first if _is_short(code, value))
        yield from (f"{text} = {value}" for value in local if code.types.compatible(ast.Name(value), text))
        if types & NUMBERS:
            amounts = ["1", *(each for each in local if code.types.name_may_be(each, NUMBERS))]
            amounts += [f"len({each})" for each in local if code.types.name_may_be(each, SIZED)]
            yield from (f"{text} {sign} {each}" for each in amounts for sign in ("+=", "-="))
        for kind, verb in (("list", "append"), ("set", "add")):
            if kind in types:
                yield from (f"{text}.{verb}({each})" for each in local)
        if types & {"list", "dict", "set"} and not types & NUMBERS:
            yield f"{text}.clear()"


def _stale_updates(code: SourceText, statement: ast.stmt, attribute: str) -> Iterator[str]:
    """Missing updates: a variable, a count, an item, or the other truth value."""
    types = code.types.of_name(attribute)
    local = [each for each in _local_names(code, statement) if code.types.compatible(ast.Name(each), attribute)]
    yield from (f"{attribute} = {each}" for each in local)
    if types & {"bool"}:
        yield from (f"{attribute} = {value}" for value in ("True", "False"))
    elif types & NUMBERS:
        yield from (f"{attribute} += 1", f"{attribute} -= 1", *(f"{attribute} += {each}" for each in local))
    if "list" in types:
        yield from (f"{attribute}.append({each})" for each in _local_names(code, statement))


def _local_names(code: SourceText, statement: ast.stmt) -> list[str]:
    names = dict.fromkeys([*bound_by(statement), *code.names(statement)])
    return [each for each in names if each not in code.scopes.module_names][:_MAX_VALUES]


def _inserted(code: SourceText, operator: str, statement: ast.stmt, text: str) -> Replacement:
    """A line after a statement; before it where control leaves there."""
    insert = code.insert_before if _leaves(statement) else code.insert_after
    return insert(operator, statement, text)


def _leaves(statement: ast.stmt) -> bool:
    return isinstance(statement, _EXITS)


def _places(code: SourceText, method: Function) -> Iterator[tuple[Block, ast.stmt]]:
    """The statements of a method with their blocks, if they have lines of their own."""
    for block in code.blocks:
        if block.owner is method or code.function(block.owner) is method:
            for statement in block.statements:
                if code.own_lines(statement) is not None:
                    yield block, statement


def _methods(code: SourceText) -> Iterator[tuple[ClassFacts, Function, str]]:
    """Every method with its class and the name of its object."""
    for function in code.scopes.bodies:
        found = code.method(function.body[-1])
        if found is not None and found[1] is function:
            yield found


def _is_short(code: SourceText, value: ast.expr) -> bool:
    """Whether a first value is a constant or an empty container; a parameter of `__init__` is not known elsewhere."""
    match value:
        case ast.Constant() | ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Tuple(elts=[]):
            return True
        case ast.Call(func=ast.Name(), args=[], keywords=[]):
            return len(code.text(value)) < 16
    return False
