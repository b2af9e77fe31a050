"""Edits of expressions with attributes: `self.x` for `x`, another owner, an operand, a link more or less."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.class_members import is_property
from envs.editing.guessed_types import NUMBERS, SIZED
from envs.editing.source_text import Replacement, SourceText

_MAX_OPERANDS = 4
_VALUES = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)


def attributes_for_variables(code: SourceText) -> Iterator[Replacement]:
    """Replaces a variable by an attribute of the method's object, and such an attribute by a variable."""
    for node in code.loads(ast.Name, ast.Attribute):
        if code.is_callee(node) or isinstance(code.parents[node], ast.Attribute):
            continue
        own = code.own_attributes(node)
        if isinstance(node, ast.Name) and node.id in code.names(node):
            for text in own:
                if code.types.compatible(node, text):
                    same = text.endswith(f".{node.id}")
                    operator = "attribute-same-name" if same else "attribute-for-variable"
                    yield code.replace(_operator(code, operator, text), node, text)
        elif code.text(node) in own:
            for name in code.names(node):
                if name not in code.scopes.module_names and code.types.compatible(node, name):
                    yield code.replace("variable-for-attribute", node, name)


def attributes_for_constants(code: SourceText) -> Iterator[Replacement]:
    """Replaces a number or a text by an attribute of the method's object that is set to another value."""
    for node in code.loads(ast.Constant):
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool | None):
            continue
        if isinstance(code.parents[node], ast.JoinedStr | ast.Expr | ast.FormattedValue):
            continue
        for text in code.own_attributes(node):
            if code.types.compatible(node, text):
                yield code.replace(_operator(code, "attribute-for-constant", text), node, text)


def _operator(code: SourceText, operator: str, attribute: str) -> str:
    """The class of an edit that reads an attribute: a class of its own where the program reads it nowhere else."""
    return operator if code.members.is_read(attribute) else "unused-attribute"


def forgotten_owners(code: SourceText) -> Iterator[Replacement]:
    """Writes `self.x` for a name `x` that nothing binds, or that a method only assigns."""
    for node in code.nodes:
        if not isinstance(node, ast.Name) or (found := code.method(node)) is None:
            continue
        own, _, name = found
        bound = isinstance(node.ctx, ast.Load) and node.id in code.names(node)
        if not bound and node.id in {*code.members.attributes(own), *own.methods}:
            start, end = code.span(node)
            yield Replacement("attribute-same-name", start, end, f"{name}.{node.id}")


def operands(code: SourceText) -> Iterator[Replacement]:
    """Adds, subtracts or multiplies an attribute of the method's object to a number that is compared or passed on."""
    for node in code.loads(*_VALUES):
        if not _is_operand_place(code, node) or not code.types.may_be(node, NUMBERS):
            continue
        numbers = [text for text in code.own_attributes(node) if code.types.name_may_be(text, NUMBERS)]
        for text in numbers[:_MAX_OPERANDS]:
            if text != code.text(node):
                for sign, level in (("+", precedence.SUM), ("-", precedence.SUM), ("*", precedence.PRODUCT)):
                    left = code.operand(node, level)
                    yield code.replace(_operator(code, "with-attribute", text), node, f"{left} {sign} {text}", level)


def _is_operand_place(code: SourceText, node: ast.expr) -> bool:
    match code.parents[node]:
        case ast.Assign() | ast.AugAssign() | ast.Return() | ast.Compare():
            return True
        case ast.Call(args=args):
            return node in args
    return False


def owners(code: SourceText) -> Iterator[Replacement]:
    """Replaces the owner of an attribute: `self.x` by `other.x`, for objects that the function reads attributes of."""
    for node in code.nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=name) as owner, attr=attribute):
                for other in _objects(code, node):
                    if other != name and _may_have(code, attribute):
                        yield code.replace("owner", owner, other)


def _objects(code: SourceText, node: ast.expr) -> list[str]:
    """Variables of the function that it reads attributes of, and the method's object."""
    function = code.function(node)
    if function is None:
        return []
    bound = {*code.names(node), *([found[2]] if (found := code.method(node)) else [])}
    read = (
        each.value.id
        for statement in function.body
        for each in ast.walk(statement)
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and not code.is_callee(each)
    )
    return [name for name in dict.fromkeys([*read, *(["other"] if "other" in bound else [])]) if name in bound]


def _may_have(code: SourceText, attribute: str) -> bool:
    return any(attribute in code.members.attributes(own) for own in code.members.classes.values())


def together(code: SourceText) -> Iterator[Replacement]:
    """Replaces an attribute that an expression reads of two objects: `self.x == other.x` by `self.y == other.y`."""
    for node in code.loads(ast.Compare, ast.BinOp, ast.Call):
        read = [each for each in ast.walk(node) if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)]
        names = [each.attr for each in read]
        for attribute in dict.fromkeys(each for each in names if names.count(each) == len(names) > 1):
            for other in dict.fromkeys(_siblings(code, attribute)):
                yield _renamed(code, node, [each for each in read if each.attr == attribute], other)


def _siblings(code: SourceText, attribute: str) -> Iterator[str]:
    """The other attributes of classes that have an attribute."""
    for own in code.members.classes.values():
        known = code.members.attributes(own)
        if attribute in known:
            yield from (name for name in known if name != attribute)


def _renamed(code: SourceText, node: ast.expr, places: list[ast.Attribute], other: str) -> Replacement:
    start, end = code.span(node)
    text = code.source[start:end]
    for each in sorted(places, key=lambda one: -code.span(one)[1]):
        last = code.span(each)[1] - start
        text = text[: last - len(each.attr)] + other + text[last:]
    return Replacement("attribute-together", start, end, text)


def links(code: SourceText) -> Iterator[Replacement]:
    """Reads an attribute of the next object (`node.value` as `node.next.value`), or of this one instead of the next."""
    linking = dict.fromkeys(_linking(code))
    for node in code.nodes:
        match node:
            case ast.Attribute(value=ast.Attribute(value=owner)) if not code.is_callee(node):
                yield code.replace("link", node.value, code.text(owner), precedence.of(owner))
        match node:
            case ast.Attribute(value=ast.Name(id=name) as owner) if name in _objects(code, node):
                if not code.is_callee(node):
                    yield from (code.replace("link", owner, f"{name}.{link}") for link in linking)
            case ast.Name(id=name, ctx=ast.Load()) if linking and not code.is_callee(node):
                if not isinstance(code.parents[node], ast.Attribute) and name in _objects(code, node):
                    yield from (code.replace("link", node, f"{name}.{link}") for link in linking)


def _linking(code: SourceText) -> Iterator[str]:
    """Attributes through which the program reads attributes of another object."""
    for node in code.nodes:
        match node:
            case ast.Attribute(value=ast.Attribute(attr=link) as inner, attr=attribute):
                if _may_have(code, attribute) and _may_have(code, link) and not code.types.of(inner) & SIZED:
                    yield link
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(value=ast.Name(id=owner), attr=link)):
                if name == owner:
                    yield link


def calls(code: SourceText) -> Iterator[Replacement]:
    """Calls a method that is only read, and reads a property that is called."""
    methods = {name: each for own in code.members.classes.values() for name, each in own.methods.items()}
    for node in code.loads(ast.Attribute, ast.Call):
        match node:
            case ast.Attribute(attr=name) if name in methods and not code.is_callee(node):
                if not is_property(methods[name]) and not _is_partial(code, node):
                    yield code.replace("call-method", node, f"{code.text(node)}()")
            case ast.Call(func=ast.Attribute(attr=name) as function, args=[], keywords=[]) if name in methods:
                if is_property(methods[name]):
                    yield code.replace("call-method", node, code.text(function))


def _is_partial(code: SourceText, node: ast.expr) -> bool:
    """Whether an attribute is the left part of a longer one; a method is hardly read there."""
    return isinstance(code.parents[node], ast.Attribute)
