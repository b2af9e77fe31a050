"""Whether a cached function may be given equal arguments of several types, which the library keeps apart.

A cache of one argument takes an int or a text as its key, anything else as a tuple: `1` and `1.0` are two keys, `1.0`
and `True` one. A dict merges all three. Looks for numbers and truth values that could reach a call; what the entry is
given from outside counts as of one type. Knows only syntax.
"""

import ast
from collections.abc import Sequence

_NUMBERS = frozenset(
    "float complex bool Fraction Decimal IntEnum IntFlag StrEnum math cmath random statistics time json "
    "fractions decimal operator".split()
)
"""Names that give numbers of other types than int; modules that do."""
_ASKING = frozenset("isinstance issubclass any all callable hasattr startswith endswith".split())
_OPTIONS = frozenset("reverse strict flush frozen order slots kw_only unsafe_hash eq".split())
"""Keywords of the library that take truth values."""


def may_mix_types(name: str, nodes: Sequence[ast.AST]) -> bool:
    """Whether calls of the function may give an int and a number of another type that equals it."""
    calls = sum(isinstance(node, ast.Call) and ast.unparse(node.func) == name for node in nodes)
    named = sum(isinstance(node, ast.Name) and node.id == name for node in nodes)
    asked = sum(isinstance(node, ast.Attribute) and ast.unparse(node.value) == name for node in nodes)
    return named > calls + asked or any(map(_is_number, nodes)) or _passes_truths(nodes)


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


def _passes_truths(nodes: Sequence[ast.AST]) -> bool:
    """Whether a truth value is used for more than tests: it is passed, kept in an object, or yielded."""
    truths = set[str]()
    """Variables and functions that give truth values."""
    while True:
        known = len(truths)
        for node in nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_truth(value, truths):
                    truths.add(name)
                case ast.FunctionDef(name=name) if any(_is_truth(value, truths) for value in _returned(node)):
                    truths.add(name)
        if len(truths) == known:
            return any(_passes(node, truths) for node in nodes)


def _returned(node: ast.FunctionDef) -> list[ast.expr]:
    return [each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value is not None]


def _is_truth(node: ast.AST, truths: set[str]) -> bool:
    """Whether an expression may give a truth value, or a container that holds one."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Constant(value=bool()):
            return True
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_is_truth(part, truths) for part in parts)
        case ast.IfExp(body=one, orelse=other):
            return _is_truth(one, truths) or _is_truth(other, truths)
        case ast.ListComp(elt=item):
            return _is_truth(item, truths)
        case ast.Name(id=name):
            return name in truths
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in truths or name in _ASKING or name.startswith("is")
    return False


def _passes(node: ast.AST, truths: set[str]) -> bool:
    """Whether a node gives a truth value on to where it may become an argument."""
    match node:
        case ast.If() | ast.While() | ast.IfExp() | ast.Assert() | ast.Return() | ast.Expr() | ast.FormattedValue():
            return False
        case ast.BoolOp() | ast.UnaryOp() | ast.BinOp() | ast.Compare() | ast.Tuple() | ast.List() | ast.ListComp():
            return False
        case ast.Assign(targets=[ast.Name()]) | ast.AugAssign() | ast.match_case():
            return False
        case ast.comprehension(iter=source):
            return _is_truth(source, truths)
        case ast.keyword(arg=str(option)) if option in _OPTIONS:
            return False
        case ast.Call(args=args):
            return any(_is_truth(each, truths) for each in args)
        case ast.expr() | ast.stmt() | ast.keyword() | ast.arguments():
            return any(_is_truth(each, truths) for each in ast.iter_child_nodes(node))
    return False
