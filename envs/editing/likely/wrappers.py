"""Edits that put a value through one more function, or through one less."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import NUMBERS, SIZED
from envs.editing.source_text import EditDraft, SourceText

_TAKES: dict[str, frozenset[str]] = {
    "sorted": SIZED,
    "set": SIZED - {"dict"},
    "list": SIZED,
    "reversed": frozenset({"list", "tuple", "text"}),
    "len": SIZED,
    "min": SIZED - {"text"},
    "max": SIZED - {"text"},
    "sum": frozenset({"list", "tuple", "set"}),
    "abs": NUMBERS,
    "str": NUMBERS | {"list"},
    "int": NUMBERS | {"text"},
}
_SEEN_METHODS = frozenset(
    "strip lower upper lstrip rstrip title capitalize copy values keys items split swapcase".split()
)
_UNWRAPPED = frozenset(_TAKES) | {"tuple", "float", "round", "bool", "enumerate", "frozenset", "ord", "chr"}


def wraps(page: SourceText) -> Iterator[EditDraft]:
    """A value that is handed on, put through a builtin that takes its kind, or through a method of the program."""
    methods = _methods_of(page)
    functions = [name for name, node in page.scopes.functions.items() if len(node.args.args) == 1]
    for node in page.loads(ast.Name, ast.Call, ast.Subscript, ast.BinOp, ast.Attribute, ast.GeneratorExp):
        if not _is_handed_on(page, node):
            continue
        for function, kinds in _TAKES.items():
            if _fits(page, node, function, kinds):
                yield page.replace("wrap", node, f"{function}({page.text(node)})")
        for function in functions:
            if page.function(node) is not page.scopes.functions[function] and not isinstance(node, ast.BinOp):
                yield page.replace("wrap-own", node, f"{function}({page.text(node)})")
        if isinstance(node, ast.Name | ast.Subscript) and page.kinds.may(node, SIZED):
            for method in methods:
                yield page.replace("wrap-method", node, f"{page.text(node)}.{method}()")


def _methods_of(page: SourceText) -> list[str]:
    """Methods without arguments that the program calls, of those that give a changed value."""
    called = (
        node.func.attr
        for node in page.loads(ast.Call)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args
    )
    return [method for method in dict.fromkeys(called) if method in _SEEN_METHODS]


def _is_handed_on(page: SourceText, node: ast.expr) -> bool:
    if isinstance(node, ast.Name) and node.id not in page.names(node):
        return False
    match page.parents[node]:
        case ast.Return() | ast.Assign() | ast.For() | ast.comprehension() | ast.AugAssign():
            return True
        case ast.Compare():
            return not isinstance(node, ast.BinOp)
        case ast.Call(args=args, func=function):
            return node in args and not (isinstance(function, ast.Name) and function.id in ("range", "len"))
    return False


def _fits(page: SourceText, node: ast.expr, function: str, kinds: frozenset[str]) -> bool:
    known, parent = page.kinds.of(node), page.parents[node]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
        return False
    if isinstance(parent, ast.For | ast.comprehension):  # what is looped over stays something to loop over
        return function in ("sorted", "set", "reversed", "list") and (not known or bool(known & kinds))
    if isinstance(parent, ast.Call) and function in ("sorted", "set", "list", "reversed"):
        return bool(known & kinds)
    return bool(known & kinds) if known else function in ("len", "abs", "int", "str", "sorted", "set", "list")


def unwraps(page: SourceText) -> Iterator[EditDraft]:
    """A call replaced by one of its arguments, a method call by its owner."""
    for node in page.loads(ast.Call):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.expr() as only], keywords=[]):
                operator = "unwrap" if name in _UNWRAPPED else "unwrap-own"
                yield page.replace(operator, node, page.text(only), precedence.of(only))
            case ast.Call(func=ast.Name(), args=args):
                for each in args:
                    yield page.replace("argument-for-call", node, page.text(each), precedence.of(each))
            case ast.Call(func=ast.Attribute(value=owner)) if not isinstance(page.parents[node], ast.Expr):
                if page.text(owner) != "math":
                    yield page.replace("unwrap-method", node, page.text(owner), precedence.of(owner))
                for each in node.args:
                    yield page.replace("argument-for-call", node, page.text(each), precedence.of(each))
