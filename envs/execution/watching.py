"""What must be looked at again after a line has run: which names it may bind, and whose objects it may change.

By syntax alone, once a program, so that the tracer writes down only what can be new. A function is *steady* where this
can be told line by line: decomposed, one plain statement a line, no variables shared with nested functions, no classes
in the program (their methods could run anywhere). Of any other function everything is looked at, every time.
"""

import ast
import builtins
import inspect
import types
from collections.abc import Iterator
from functools import lru_cache

from envs.execution.ghosts import ghosts_and_returns
from envs.execution.names import reads_of
from envs.execution.program import Program
from envs.execution.scenes import Watch, Watched, Watches
from envs.execution.structure import Function, nodes_of

_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)
_SUSPENDING = (ast.Await, ast.Yield, ast.YieldFrom)
_HARD = (ast.With, ast.AsyncWith, ast.Match, ast.AsyncFor, ast.TryStar, ast.ClassDef, ast.AsyncFunctionDef)
_CHANGES_NOTHING = (ast.If, ast.While, ast.Pass, ast.Break, ast.Continue, ast.Return, ast.Raise, ast.ExceptHandler)
_MAKES_ONLY = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.JoinedStr, ast.Attribute)
_DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict)
_ITERATING = (ast.In, ast.NotIn)

HARMLESS = frozenset(
    """abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float format
    frozenset hash hex id int isinstance issubclass iter len list map max min next oct ord pow print range repr
    reversed round set slice sorted str sum tuple type zip""".split()
    + [name for name, thing in vars(builtins).items() if isinstance(thing, type) and issubclass(thing, BaseException)]
)
"""Builtins that change nothing but what they are given, and iterators."""
_READING_METHODS = (
    {name for name in dir(str) if not name.startswith("_")}
    | {name for kind in (tuple, frozenset, bytes, int) for name in dir(kind) if not name.startswith("_")}
    | set("get keys values items most_common elements".split())
)
"""Methods that change no container, whichever builtin container they are called on."""


@lru_cache(maxsize=256)
def watches_of(program: Program) -> Watches:
    """What the tracer must know of each line and function of a program."""
    layout = program.layout
    calm = program.level != "plain" and "class " not in program.source
    functions: dict[types.CodeType, Watched] = {}
    for code in _all_codes(program):
        node = layout.functions.get((code.co_name, code.co_firstlineno))
        steady = calm and node is not None and _is_steady(node, code)
        functions[code] = _watched(program, code, _lines(program, node, code) if steady and node else {})
    by_identity = {id(code): watched for code, watched in functions.items()}
    declared = frozenset(name for key in layout.functions for name in layout.declared_global(key))
    return Watches(functions, by_identity, declared)


def _all_codes(program: Program) -> list[types.CodeType]:
    """Every piece of compiled code; `program.codes()` keeps one of those that share a name and a line."""
    found = list(program.codes().values())
    for code in found:  # grows while it is walked
        found += [inner for inner in code.co_consts if isinstance(inner, types.CodeType) and inner not in found]
    return found


def _watched(program: Program, code: types.CodeType, lines: dict[int, Watch]) -> Watched:
    shown = tuple(sorted(name for name in code.co_varnames if name not in program.temporaries))
    outside = Watch(0, bool(lines), shown, (), () if lines else None)
    stepwise = program.level != "plain"
    silent = program.layout.silent() if stepwise else frozenset[int]()
    ghosts, returns = ghosts_and_returns(code)
    table: dict[int, Watch] = {}
    for start, end, line in code.co_lines():
        if line is None or line in silent:
            continue
        watch = lines.get(line) or Watch(line, waits=_waits(program, line))
        lines[line] = watch
        table |= dict.fromkeys(range(start, end, 2), watch)
    return Watched(
        _arguments(code),
        outside,
        {at: watch for at, watch in table.items() if not (stepwise and at in ghosts)},
        returns,
    )


def _arguments(code: types.CodeType) -> tuple[str, ...]:
    starred = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return tuple(sorted(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + starred]))


def _waits(program: Program, line: int) -> tuple[int, ...]:
    return tuple(program.layout.waiting_places(line)) if program.level != "plain" else ()


def _is_steady(node: Function, code: types.CodeType) -> bool:
    if code.co_cellvars or code.co_freevars or node.decorator_list:
        return False
    lines: set[int] = set()
    for part in _steps(node):
        if isinstance(part, _HARD) or part.lineno in lines or _last_own_line(part) != part.lineno:
            return False
        lines.add(part.lineno)
        own = part.test if isinstance(part, ast.If | ast.While) else part
        if not isinstance(own, ast.For | ast.Try | ast.ExceptHandler | Function) and any(
            isinstance(inner, _SCOPES + _SUSPENDING) for inner in nodes_of(own)
        ):
            return False
    return True


def _steps(node: ast.AST) -> Iterator[ast.stmt | ast.ExceptHandler]:
    """Statements and handlers of a function, those of nested functions left out."""
    for name in ("body", "orelse", "handlers", "finalbody"):
        for part in getattr(node, name, ()):
            yield part
            if not isinstance(part, Function | ast.ClassDef):
                yield from _steps(part)


def _last_own_line(node: ast.stmt | ast.ExceptHandler) -> int:
    match node:
        case ast.If() | ast.While():
            return node.test.end_lineno or 0
        case ast.For():
            return node.iter.end_lineno or 0
        case ast.Try() | ast.ExceptHandler() | ast.FunctionDef():
            return node.lineno
        case _:
            return node.end_lineno or 0


def _lines(program: Program, node: Function, code: types.CodeType) -> dict[int, Watch]:
    temporaries = program.temporaries
    steps = list(_steps(node))
    caught = {step.name for step in steps if isinstance(step, ast.ExceptHandler) and step.name}
    variables = frozenset(code.co_varnames)
    found: dict[int, Watch] = {}
    names = sorted(variables)
    shown: dict[frozenset[str], tuple[str, ...]] = {}  # equal names are one object, which is told at a glance
    for step in steps:
        needed = program.live[step.lineno - 1]
        if needed not in shown:
            shown[needed] = tuple([name for name in names if name not in temporaries or name in needed])
        writes = sorted((_writes(step) | caught) & variables)  # leaving a handler unbinds its name
        touched = _touches(step)
        found[step.lineno] = Watch(
            step.lineno,
            True,
            shown[needed],
            tuple(writes),
            None if touched is None else tuple([name for name in touched if name in variables]),
            tuple([name for name in touched or () if name not in variables and name not in HARMLESS]),
            step.iter.id if isinstance(step, ast.For) and isinstance(step.iter, ast.Name) else None,
            _is_gentle(step),
            _waits(program, step.lineno),
        )
    return found


def _writes(step: ast.stmt | ast.ExceptHandler) -> set[str]:
    match step:
        case ast.If() | ast.While() | ast.Try() | ast.ExceptHandler():
            return set()
        case ast.FunctionDef():
            return {step.name}
        case ast.Import() | ast.ImportFrom():
            return {(alias.asname or alias.name).partition(".")[0] for alias in step.names}
        case ast.For():
            return _stored(step.target)
        case _:
            return _stored(step)


def _stored(node: ast.AST) -> set[str]:
    return {part.id for part in nodes_of(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}


def _touches(step: ast.stmt | ast.ExceptHandler) -> tuple[str, ...] | None:
    match step:
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef():
            return None
        case ast.Assign(targets=[ast.Name()], value=value) if _makes_only(value):
            return ()
        case _ if isinstance(step, _CHANGES_NOTHING):
            return ()
        case _:
            return reads_of(step)


def _makes_only(value: ast.expr) -> bool:
    """Whether an operation on builtin objects gives a value and changes none."""
    if isinstance(value, ast.Compare):
        return not isinstance(value.ops[0], _ITERATING)
    if isinstance(value, _DISPLAYS):
        parts = ast.iter_child_nodes(value)
        return all(isinstance(part, ast.Name | ast.Constant | ast.expr_context) for part in parts)
    return isinstance(value, _MAKES_ONLY)


def _is_gentle(step: ast.stmt | ast.ExceptHandler) -> bool:
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
