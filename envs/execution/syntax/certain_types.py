"""Names whose type is certain from the text alone: every value they are ever given is a str, a list, a dict or a set.

Used where knowing the type saves a line: looking up `append` on a certain list cannot fail and has no effect, so the
method need not be kept before its arguments are evaluated. Anything not plain to see is left out.
"""

import ast
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from envs.execution.syntax.bindings import binds, parameters
from envs.execution.syntax.name_scopes import FunctionNode, ProgramScopes

Kinds = Mapping[str, type]
_MADE = MappingProxyType({"list": list, "sorted": list, "str": str, "repr": str, "chr": str, "dict": dict, "set": set})
_TEXT_TO_TEXT = frozenset(
    {"upper", "lower", "swapcase", "title", "capitalize", "casefold", "strip", "lstrip", "rstrip", "replace", "join"}
    | {"format", "ljust", "rjust", "center", "zfill", "removeprefix", "removesuffix", "expandtabs", "translate"}
)
_ASSIGNMENTS = frozenset({ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign})
_NO_BINDING = frozenset({ast.Constant, ast.Call, ast.BinOp, ast.Attribute, ast.Compare, ast.Subscript, ast.Assign})
_TEXT_TO_LIST = frozenset({"split", "rsplit", "splitlines"})


def certain_kinds(node: FunctionNode, inside: Sequence[ast.AST], program: ProgramScopes) -> Kinds:
    """Own names of a function that always hold a value of one builtin type while they are bound."""
    given = _given(inside)
    foreign = set(parameters(node.args)) | program.volatile
    values = {name: found for name, found in given.items() if name not in foreign and None not in found}
    kinds: dict[str, type] = {}
    for _ in range(2):  # a name that is only given other names is found in the second round
        for name, found in values.items():
            seen = [kind for value in found if value is not None and (kind := kind_of(value, kinds, program))]
            if name not in kinds and seen:
                kinds[name] = seen[0]
    while wrong := [n for n in kinds if any(kind_of(v, kinds, program) is not kinds[n] for v in values[n] if v)]:
        for name in wrong:
            del kinds[name]
    return kinds


def _given(inside: Sequence[ast.AST]) -> dict[str, list[ast.expr | None]]:
    """Every value that each name is given, None for one that the text does not show."""
    given: dict[str, list[ast.expr | None]] = {}
    shown: set[int] = set()
    for inner in inside:
        if type(inner) in _ASSIGNMENTS:
            for target, value in _plain_assignments(inner):
                shown.add(id(target))
                given.setdefault(target.id, []).append(value)
    for inner in inside:
        if type(inner) not in _NO_BINDING:
            for name in _hidden_bindings(inner, shown):
                given.setdefault(name, []).append(None)
    return given


def _plain_assignments(node: ast.AST) -> list[tuple[ast.Name, ast.expr]]:
    match node:
        case ast.Assign():
            return [(target, node.value) for target in node.targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
            return [(target, value)]
        case ast.NamedExpr():
            return [(node.target, node.value)]
        case ast.AugAssign(target=ast.Name() as target):
            return [(target, ast.BinOp(ast.Name(target.id, ast.Load()), node.op, node.value))]
        case _:
            return []


def _hidden_bindings(node: ast.AST, shown: set[int]) -> list[str]:
    """Names that a node binds to a value that the text does not show; `shown` are the targets of plain assignments."""
    if isinstance(node, ast.Name):
        return [node.id] if isinstance(node.ctx, ast.Store) and id(node) not in shown else []
    return binds(node)


def kind_of(node: ast.expr, kinds: Kinds, program: ProgramScopes) -> type | None:
    """The builtin type that the expression's value surely has; None when that is not plain to see."""
    match node:
        case ast.List() | ast.ListComp():
            return list
        case ast.Dict() | ast.DictComp():
            return dict
        case ast.Set() | ast.SetComp():
            return set
        case ast.JoinedStr() | ast.Constant(value=str()):
            return str
        case ast.Name():
            return kinds.get(node.id)
        case ast.Call(func=ast.Name(id=name)) if program.builtin(name):
            return _MADE.get(name)
        case ast.Call(func=ast.Attribute(value=receiver, attr=method)):
            return _method_result(kind_of(receiver, kinds, program), method)
        case ast.Subscript(value=value, slice=index):
            return _part(kind_of(value, kinds, program), index)
        case ast.BinOp() if not program.classes:  # an operand's class could decide the result
            return _operated(node, kinds, program)
        case _:
            return None


def _method_result(kind: type | None, method: str) -> type | None:
    if kind is str and method in _TEXT_TO_TEXT:
        return str
    if kind is str and method in _TEXT_TO_LIST:
        return list
    return kind if kind in (list, dict, set) and method == "copy" else None


def _part(kind: type | None, index: ast.expr) -> type | None:
    if kind is list and isinstance(index, ast.Slice):
        return list
    return str if kind is str else None


def _operated(node: ast.BinOp, kinds: Kinds, program: ProgramScopes) -> type | None:
    left = kind_of(node.left, kinds, program)
    if isinstance(node.op, ast.Add | ast.Mult) and left in (str, list):
        return left
    return str if isinstance(node.op, ast.Mod) and left is str else None
