"""Attributes that no frame holds: what an exception was raised from, what a program sets on functions and exceptions,
how many lines a `csv` reader has read.

A frame writes an exception as its class and arguments, and a function as its name; a line that asks for more, or sets
it, has no answer in the frame. Knows a line and the texts of its values.
"""

import ast
import types
from collections.abc import Callable

from envs.execution.state.value_grammar import Unsupported

_OF_FUNCTIONS = frozenset(dir(types.FunctionType))
_NAMES = frozenset({"__name__", "__qualname__", "__doc__"})
"""What rules say of a function by its definition; the decomposer sets the name of a lambda to a constant."""
_CALLED_BY = frozenset({"__defaults__", "__kwdefaults__", "__code__"})
"""What a call of a function goes by: rules read it in the definition, and defaults that a run tells at its start."""
_OF_EXCEPTIONS = frozenset(
    {"__cause__", "__context__", "__suppress_context__", "__traceback__", "__notes__", "add_note"}
)

_LOOKED_UP = {
    **dict.fromkeys(("NameError", "UnboundLocalError"), ("name",)),
    "AttributeError": ("name", "obj"),
    **dict.fromkeys(("ImportError", "ModuleNotFoundError"), ("name", "path", "name_from")),
}
"""What exceptions know of the name that was not found, beside their arguments."""
_LINES_READ = "line_num"


def check_attributes(node: ast.AST, read: Callable[[ast.Name], str], is_function: Callable[[str], bool]) -> None:
    """Raise Unsupported where a line asks for, or sets, an attribute that no frame holds."""
    _check_getattr(node)
    match node:
        case ast.Assign(value=ast.Attribute(ast.Name() as owner, attr)):
            stores = False
        case ast.Assign(value=ast.Call(func=ast.Attribute(ast.Name() as owner, attr))):
            stores = False
        case ast.Expr(value=ast.Attribute(ast.Name() as owner, attr)):
            stores = False
        case ast.Expr(value=ast.Call(func=ast.Attribute(ast.Name() as owner, attr))):
            stores = False
        case ast.Assign(targets=[ast.Attribute(ast.Name() as owner, attr)]):
            stores = True
        case ast.Delete(targets=[ast.Attribute(ast.Name() as owner, attr)]) if attr in _CALLED_BY:
            if is_function(read(owner)):
                raise Unsupported(f"the attribute {attr!r} of a function, which no frame holds")
            return
        case _:
            return
    assert isinstance(node, ast.Assign | ast.Expr)
    if attr == _LINES_READ and read(owner).startswith("#"):
        raise Unsupported("how many lines a reader has read, which no frame holds")
    if attr in _OF_EXCEPTIONS:
        raise Unsupported(f"{attr} of an exception, which no frame holds")
    text = read(owner)
    if attr in _LOOKED_UP.get(text.partition("(")[0], ()):
        raise Unsupported(f"{attr} of an exception, which no frame holds")
    named = stores and attr in _NAMES and not isinstance(node.value, ast.Constant)
    changed = attr == "__kwdefaults__" or (stores and attr in _CALLED_BY)
    if is_function(text) and (named or changed or attr not in _OF_FUNCTIONS):
        raise Unsupported(f"the attribute {attr!r} of a function, which no frame holds")
    if stores and attr == "args":
        raise Unsupported("args of an exception that a line replaces")


def _check_getattr(node: ast.AST) -> None:
    """Raise Unsupported where `getattr` asks for what no frame holds of an exception."""
    match node:
        case ast.Assign(value=ast.Call(func=ast.Name("getattr"), args=[_, ast.Constant(attr), *_])):
            if attr in _OF_EXCEPTIONS:
                raise Unsupported(f"{attr} of an exception, which no frame holds")
