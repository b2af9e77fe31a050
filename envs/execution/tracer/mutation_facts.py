"""Whose objects a line may change, by its text; exists for the tracer, which writes down only what can be new.

Functions of the program that a line calls are no matter here, they run line by line themselves or are noticed by the
tracer. Knows no value and no name's place.
"""

import ast
import builtins

from envs.execution.stepper.name_lookup import reads_of
from envs.execution.syntax.program_structure import nodes_of

_CHANGES_NOTHING = (ast.If, ast.While, ast.Pass, ast.Break, ast.Continue, ast.Return, ast.Raise, ast.ExceptHandler)
_MAKES_ONLY = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.JoinedStr, ast.Attribute)
_DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict)
_ITERATING = (ast.In, ast.NotIn)

HARMLESS = frozenset(
    """abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float format
    frozenset getattr hasattr hash hex id int isinstance issubclass iter len list map max min next oct ord pow print
    range repr reversed round set slice sorted str sum tuple type zip""".split()
    + [name for name, thing in vars(builtins).items() if isinstance(thing, type) and issubclass(thing, BaseException)]
)
"""Builtins that change nothing but what they are given, and iterators."""
_READING_METHODS = (
    {name for name in dir(str) if not name.startswith("_")}
    | {name for kind in (tuple, frozenset, bytes, int) for name in dir(kind) if not name.startswith("_")}
    | set("get keys values items most_common elements".split())
)
"""Methods that change no container, whichever builtin container they are called on."""
_CHANGING_ONE = frozenset({"append", "insert", "pop", "clear", "reverse"})
"""Methods of lists that change the list and move no iterator."""


def touches_of(step: ast.stmt | ast.ExceptHandler) -> tuple[str, ...] | None:
    """Names whose objects running it may change; None: it may change anything."""
    match step:
        case ast.Import() | ast.ImportFrom():
            return None
        case ast.FunctionDef():
            return () if _only_defines(step) else None
        case ast.Assign(targets=[ast.Name()], value=value) if makes_only(value):
            return ()
        case _ if isinstance(step, _CHANGES_NOTHING):
            return ()
        case _:
            return reads_of(step)


def _only_defines(step: ast.FunctionDef) -> bool:
    """Whether making the function runs nothing."""
    given = [*step.args.defaults, *filter(None, step.args.kw_defaults)]
    noted = [each.annotation for each in nodes_of(step.args) if isinstance(each, ast.arg)]
    plain = all(isinstance(part, ast.Name | ast.Constant) for part in [*given, *filter(None, [*noted, step.returns])])
    return plain and not step.decorator_list


def got_by(step: ast.stmt | ast.ExceptHandler) -> str | None:
    """The name of which it reads an item, or which it takes apart."""
    match step:
        case ast.Assign(targets=[ast.Name()], value=ast.Subscript(value=ast.Name(id=name))):
            return name
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Name(id=name)):
            return name if all(isinstance(part, ast.Name | ast.Starred) for part in parts) else None
        case _:
            return None


def set_by(step: ast.stmt | ast.ExceptHandler) -> str | None:
    """The name that alone changes, if it is a list."""
    match step:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=at)]) if not isinstance(at, ast.Slice):
            return name if not isinstance(step.value, ast.Starred) else None
        case (
            ast.Assign(value=ast.Call(func=ast.Attribute(ast.Name(id=name), attr), args=args, keywords=[]))
            | ast.Expr(value=ast.Call(func=ast.Attribute(ast.Name(id=name), attr), args=args, keywords=[]))
        ) if attr in _CHANGING_ONE:
            return None if any(isinstance(each, ast.Starred) for each in args) else name
        case _:
            return None


def makes_only(value: ast.expr) -> bool:
    """Whether an operation on builtin objects gives a value and changes none."""
    if isinstance(value, ast.Compare):
        return not isinstance(value.ops[0], _ITERATING)
    if isinstance(value, _DISPLAYS):
        parts = ast.iter_child_nodes(value)
        return all(isinstance(part, ast.Name | ast.Constant | ast.expr_context) for part in parts)
    return isinstance(value, _MAKES_ONLY)


def is_gentle(step: ast.stmt | ast.ExceptHandler) -> bool:
    """Whether the line only reads containers: an item, a test, a call that is known to change none."""
    if isinstance(step, ast.For):
        return True
    if not (isinstance(step, ast.Assign) and isinstance(step.targets[0], ast.Name)) and not isinstance(step, ast.Expr):
        return False
    match step.value:
        case ast.Call(func=ast.Name(id=name)):
            return name in HARMLESS
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _READING_METHODS
        case ast.Subscript() | ast.Compare():
            return True
        case _:
            return False
