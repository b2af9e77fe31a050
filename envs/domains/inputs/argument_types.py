"""The types of a function's parameters, as annotations of built-in types: from its source, else from its tests.

Parses programs and runs none of them. An annotation counts where it names built-in types alone; otherwise the arguments
of the tests say the type.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence

from tasks.errors import NotPlain
from tasks.reading.constant_folding import fold
from tasks.reading.program_text import parse
from tasks.task import CallTest, RepairTask

SCALARS = ("int", "float", "bool", "str", "bytes", "None")
CONTAINERS = ("list", "tuple", "dict", "set", "frozenset")
_OLD_NAMES = {"List": "list", "Tuple": "tuple", "Dict": "dict", "Set": "set", "FrozenSet": "frozenset"}
"""Names of `typing`, and the types that took their place."""
MOST_ALTERNATIVES = 3
"""Types that the arguments of one parameter may have; a parameter with more has no type."""

ArgumentTypes = tuple[tuple[str, str], ...]
"""(name, annotation) of each parameter that the tests give a value to, in the order of the signature."""


def argument_types(task: RepairTask) -> ArgumentTypes:
    """The types of the parameters of a task's entry; empty where one is unknown or the entry is no plain function."""
    parameters = _parameters(task.source, task.entry)
    if parameters is None:
        return ()
    values: dict[str, list[object]] = {}
    for test in task.tests:
        bound = _bound(test, list(parameters)) if isinstance(test, CallTest) else None
        for name, value in (bound or {}).items():
            values.setdefault(name, []).append(value)
    found = [(name, known or type_of(values[name])) for name, known in parameters.items() if name in values]
    return tuple((name, known) for name, known in found if known) if all(known for _, known in found) else ()


def type_of(values: Sequence[object]) -> str | None:
    """The annotation that fits all these values; None where there is no simple one."""
    kinds = {type(value): None for value in values}
    if set(kinds) == {int, float}:
        return "float"
    if not 1 <= len(kinds) <= MOST_ALTERNATIVES:
        return None
    found = [_type_of_kind(kind, [value for value in values if type(value) is kind]) for kind in kinds]
    return " | ".join(sorted(each for each in found if each)) if all(found) else None


def _type_of_kind(kind: type, values: Sequence[object]) -> str | None:
    """The annotation of values that all have one type."""
    if kind is type(None):
        return "None"
    if kind.__name__ in SCALARS:
        return kind.__name__
    if kind is tuple:
        return _tuple_type([value for value in values if isinstance(value, tuple)])
    if kind is dict:
        rows = [value for value in values if isinstance(value, dict)]
        parts = [_item_type(each for row in rows for each in row), _item_type(v for row in rows for v in row.values())]
        return f"dict[{', '.join(map(str, parts))}]" if all(parts) else None
    if kind in (list, set, frozenset):
        inner = _item_type(each for value in values for each in value)  # type: ignore[attr-defined]
        return f"{kind.__name__}[{inner}]" if inner else None
    return None


def _tuple_type(values: Sequence[tuple[object, ...]]) -> str | None:
    lengths = {len(value) for value in values}
    if lengths == {0} or len(lengths) > 1:
        inner = _item_type(each for value in values for each in value)
        return f"tuple[{inner}, ...]" if inner else None
    columns = [type_of(column) for column in zip(*values, strict=True)]
    return f"tuple[{', '.join(map(str, columns))}]" if all(columns) else None


def _item_type(items: Iterable[object]) -> str | None:
    """The type of a container's items; `int` where no container has any."""
    listed = list(items)
    return type_of(listed) if listed else "int"


def _parameters(source: str, entry: str) -> Mapping[str, str | None] | None:
    """Each parameter with its annotation, where that names built-in types; None for what is no plain function."""
    functions = [each for each in parse(source).body if isinstance(each, ast.FunctionDef) and each.name == entry]
    if not functions or functions[-1].args.vararg or functions[-1].args.kwarg or functions[-1].decorator_list:
        return None
    given = functions[-1].args
    return {each.arg: _plain(each.annotation) for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def _plain(node: ast.expr | None) -> str | None:
    """An annotation in today's names of the built-in types; None where it names anything else."""
    match node:
        case ast.Constant(value=None):
            return "None"
        case ast.Name(id=name) if name in SCALARS:
            return name
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _joined(" | ", [left, right])
        case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
            alternative = _plain(inner)
            return alternative and f"{alternative} | None"
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if _OLD_NAMES.get(name, name) in CONTAINERS:
            items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            joined = _joined(", ", items)
            return joined and f"{_OLD_NAMES.get(name, name)}[{joined}]"
    return None


def _joined(separator: str, nodes: Sequence[ast.expr]) -> str | None:
    parts = ["..." if isinstance(each, ast.Constant) and each.value is ... else _plain(each) for each in nodes]
    return separator.join(map(str, parts)) if all(parts) else None


def _bound(test: CallTest, names: Sequence[str]) -> dict[str, object] | None:
    """The plain value that a test gives to each parameter; None where one is not plain or fits no parameter."""
    [statement] = parse(f"f({test.arguments}\n)").body
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or len(call.args) > len(names):
        return None
    nodes = [*zip(names, call.args, strict=False), *((each.arg or "", each.value) for each in call.keywords)]
    try:
        return {name: fold(node) for name, node in nodes} if all(name in names for name, _ in nodes) else None
    except NotPlain:
        return None
