"""Whether a cached function may be given equal arguments of several types, which the library keeps apart.

A cache of one argument takes an int or a text as its key, anything else as a tuple: `1` and `1.0` are two keys, `1.0`
and `True` one. A dict merges all three. What the entry is given from outside counts as of one type. Knows only syntax.
"""

import ast
from collections.abc import Sequence

_NUMBERS = frozenset(
    "float complex bool Fraction Decimal IntEnum IntFlag StrEnum math cmath random statistics time json "
    "fractions decimal operator".split()
)
"""Names that give numbers of other types than int; modules that do."""
_ASKING = frozenset("isinstance issubclass any all callable hasattr startswith endswith".split())
_OPTIONS = frozenset("reverse strict flush frozen order slots kw_only".split())
_ENDS = (ast.If, ast.While, ast.Assert, ast.Return, ast.Expr, ast.FormattedValue, ast.BinOp, ast.Compare, ast.UnaryOp)
_PARTS = (ast.BoolOp, ast.IfExp, ast.Tuple, ast.List, ast.ListComp)
"""Where a truth value goes no further, and what holds one."""


def may_mix_types(name: str, nodes: Sequence[ast.AST]) -> bool:
    """Whether calls of the function may give an int and a number of another type that equals it."""
    calls = sum(isinstance(node, ast.Call | ast.Attribute) and _subject(node) == name for node in nodes)
    named = sum(isinstance(node, ast.Name) and node.id == name for node in nodes)
    truths = {node.targets[0].id for node in nodes if _is_flag(node)}  # type: ignore[attr-defined]
    truths |= {node.name for node in nodes if isinstance(node, ast.FunctionDef) and _returns_truth(node)}
    return named > calls or any(_is_number(node) or _passes(node, truths) for node in nodes)


def _subject(node: ast.Call | ast.Attribute) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node.value)


def _is_number(node: ast.AST) -> bool:
    """Whether a node may give a number that is neither an int nor a truth value, or is a class of such values."""
    match node:
        case ast.Constant(value=float() | complex()) | ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
            return True
        case ast.BinOp(op=ast.Pow(), right=ast.UnaryOp()):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name.partition(".")[0] in _NUMBERS
        case ast.ClassDef(bases=bases):
            return any(ast.unparse(base) in ("int", "str") for base in bases)
    return False


def _is_flag(node: ast.AST) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name()], value=value):
            return _is_truth(value, set())
    return False


def _returns_truth(node: ast.FunctionDef) -> bool:
    found = [each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value is not None]
    return any(_is_truth(each, set()) for each in found)


def _is_truth(node: ast.AST, known: set[str]) -> bool:
    """Whether an expression may give a truth value, or a container that holds one."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Constant(value=bool()):
            return True
        case ast.IfExp(body=one, orelse=other):
            return _is_truth(one, known) or _is_truth(other, known)
        case ast.Name(id=name):
            return name in known
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in known or name in _ASKING or name.startswith("is")
    return isinstance(node, _PARTS) and any(_is_truth(each, known) for each in ast.iter_child_nodes(node))


def _passes(node: ast.AST, known: set[str]) -> bool:
    """Whether a node gives a truth value on to where it may become an argument."""
    if isinstance(node, (*_ENDS, *_PARTS)) or _is_flag(node):
        return False
    if isinstance(node, ast.comprehension):
        return _is_truth(node.iter, known)
    if isinstance(node, ast.keyword) and node.arg in _OPTIONS:
        return False
    if isinstance(node, ast.Call):
        return any(_is_truth(each, known) for each in node.args)
    return any(_is_truth(each, known) for each in ast.iter_child_nodes(node))
