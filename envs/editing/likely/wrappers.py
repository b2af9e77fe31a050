"""Edits that add a function or method call around a value, or remove one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import ARGUMENT_TYPES, NUMBERS, SIZED
from envs.editing.source_text import Replacement, SourceText

_BUILTINS = ("sorted", "set", "list", "reversed", "len", "min", "max", "sum", "abs", "str", "int")
"""Builtins to wrap a value in, in the order of the edits."""
_TAKES = ARGUMENT_TYPES | {
    "min": SIZED - {"text"},
    "max": SIZED - {"text"},
    "str": NUMBERS | {"list"},
}
_COPIED_METHODS = frozenset(
    "strip lower upper lstrip rstrip title capitalize copy values keys items split swapcase".split()
)
_UNWRAPPED = frozenset(_BUILTINS) | {"tuple", "float", "round", "bool", "enumerate", "frozenset", "ord", "chr"}


def wraps(code: SourceText) -> Iterator[Replacement]:
    """Wraps a value in a builtin that takes its type, in a function of the program, or in a method it calls."""
    methods = _methods_of(code)
    functions = [name for name, node in code.scopes.functions.items() if len(node.args.args) == 1]
    for node in code.loads(ast.Name, ast.Call, ast.Subscript, ast.BinOp, ast.Attribute, ast.GeneratorExp):
        if not _can_be_wrapped(code, node):
            continue
        for function in _BUILTINS:
            if _fits(code, node, function):
                yield code.replace("wrap", node, f"{function}({code.text(node)})")
        for function in functions:
            if code.function(node) is not code.scopes.functions[function] and not isinstance(node, ast.BinOp):
                yield code.replace("wrap-own", node, f"{function}({code.text(node)})")
        if isinstance(node, ast.Name | ast.Subscript) and code.types.may_be(node, SIZED):
            for method in methods:
                yield code.replace("wrap-method", node, f"{code.text(node)}.{method}()")


def wraps_like_other_calls(code: SourceText) -> Iterator[Replacement]:
    """Wraps a value in a function of the program that is called elsewhere, with the other arguments of that call."""
    calls = [node for node in code.loads(ast.Call) if isinstance(node, ast.Call) and _is_own(code, node)]
    for node in code.loads(ast.Name, ast.Subscript, ast.Attribute):
        if not _can_be_wrapped(code, node) and not isinstance(code.parents[node], ast.BinOp):
            continue
        others = [call for call in calls if call is not code.parents[node]]
        for text in dict.fromkeys(text for call in others for text in _like(code, call, node)):
            yield code.replace("wrap-own", node, text)


def _is_own(code: SourceText, call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    known = {each.name for each in code.nodes if isinstance(each, ast.FunctionDef)}
    return name in known and len(call.args) > 1 and not call.keywords


def _like(code: SourceText, call: ast.Call, node: ast.expr) -> Iterator[str]:
    """The call with a value in place of one of its arguments, where all its variables are bound at the value."""
    names = {each.id for each in ast.walk(call) if isinstance(each, ast.Name) and each is not call.func}
    if "\n" in code.text(call) or not names <= {*code.names(node), *code.scopes.module_names}:
        return
    texts = [code.text(each) for each in call.args]
    for place in range(len(texts)):
        if texts[place] != code.text(node):
            arguments = ", ".join([*texts[:place], code.text(node), *texts[place + 1 :]])
            yield f"{code.text(call.func)}({arguments})"


def _methods_of(code: SourceText) -> list[str]:
    """Methods without arguments that the program calls and that return a changed copy."""
    called = (
        node.func.attr
        for node in code.loads(ast.Call)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args
    )
    return [method for method in dict.fromkeys(called) if method in _COPIED_METHODS]


def _can_be_wrapped(code: SourceText, node: ast.expr) -> bool:
    if isinstance(node, ast.Name) and node.id not in code.names(node):
        return False
    match code.parents[node]:
        case ast.Return() | ast.Assign() | ast.For() | ast.comprehension() | ast.AugAssign():
            return True
        case ast.Compare():
            return not isinstance(node, ast.BinOp)
        case ast.Call(args=args, func=function):
            return node in args and not (isinstance(function, ast.Name) and function.id in ("range", "len"))
    return False


def _fits(code: SourceText, node: ast.expr, function: str) -> bool:
    """Whether a builtin may take the value of a node, and its result fits the place of the node."""
    types, known, parent = _TAKES[function], code.types.of(node), code.parents[node]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
        return False
    if isinstance(parent, ast.For | ast.comprehension):  # the loop still needs an iterable
        return function in ("sorted", "set", "reversed", "list") and (not known or bool(known & types))
    if isinstance(parent, ast.Call) and function in ("sorted", "set", "list", "reversed"):
        return bool(known & types)
    return bool(known & types) if known else function in ("len", "abs", "int", "str", "sorted", "set", "list")


def unwraps(code: SourceText) -> Iterator[Replacement]:
    """Replaces a call by one of its arguments, and a method call by the object it is called on."""
    for node in code.loads(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.expr() as only], keywords=[]):
                operator = "unwrap" if name in _UNWRAPPED else "unwrap-own"
                yield code.replace(operator, node, code.text(only), precedence.of(only))
            case ast.Call(func=ast.Name(), args=args):
                for each in args:
                    yield code.replace("argument-for-call", node, code.text(each), precedence.of(each))
            case ast.Call(func=ast.Attribute(value=owner)) if not isinstance(code.parents[node], ast.Expr):
                if code.text(owner) != "math":
                    yield code.replace("unwrap-method", node, code.text(owner), precedence.of(owner))
                for each in node.args:
                    yield code.replace("argument-for-call", node, code.text(each), precedence.of(each))
