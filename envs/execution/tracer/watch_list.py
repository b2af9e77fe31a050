"""What must be looked at again after a line has run: which names it may bind, and whose objects it may change.

By syntax alone, once a program, so that the tracer writes down only what can be new. A function is *steady* where this
can be told line by line: decomposed, one plain statement a line. Of any other function everything is looked at, every
time. Methods that an operator runs are not told by syntax: the tracer notices that they ran.
"""

import ast
import inspect
import re
import types
from collections.abc import Iterator
from functools import lru_cache

from envs.execution.decompose.program import Program
from envs.execution.syntax.program_structure import Function, nodes_of
from envs.execution.tracer.binding_notes import noted, noting_code
from envs.execution.tracer.callees import callee_of
from envs.execution.tracer.ghost_lines import ghosts_and_returns
from envs.execution.tracer.hidden_effects import ANYTHING, HiddenEffect, effect_of, only_reads
from envs.execution.tracer.line_transitions import FunctionWatch, LineWatch, ProgramWatch
from envs.execution.tracer.mutation_facts import HARMLESS, got_by, is_gentle, set_by, touches_of

_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)
_SUSPENDING = (ast.Await, ast.Yield, ast.YieldFrom)
_HARD = (ast.With, ast.AsyncWith, ast.Match, ast.AsyncFor, ast.TryStar, ast.ClassDef, ast.AsyncFunctionDef)
_NO_HANDLERS: frozenset[tuple[int, str]] = frozenset()
_PRIVATE = re.compile(r"_+[^_].*__.")
"""Names of variables that belong to a class (`_Box__x`), and perhaps a few others."""


@lru_cache(maxsize=256)
def watches_of(program: Program) -> ProgramWatch:
    """What the tracer must know of each line and function of a program."""
    layout = program.layout
    noting = noting_code(program)
    declared = frozenset(name for key in layout.functions for name in layout.declared_global(key))
    silent = layout.silent() if program.level != "plain" else frozenset[int]()
    return ProgramWatch(
        lambda code: _watched(program, code, noting is not None, silent), declared, "class " in program.source, noting
    )


def _watched(program: Program, code: types.CodeType, calm: bool, silent: frozenset[int]) -> FunctionWatch:
    node = program.layout.functions.get((code.co_name, code.co_firstlineno))
    steady = calm and isinstance(node, ast.FunctionDef) and _is_steady(node, code, program.temporaries)
    lines = _lines(program, node, code) if steady and node else {}
    shown = tuple(sorted(name for name in _variables(code) if name not in program.temporaries))
    ghosts, returns = (
        ghosts_and_returns(code) if program.level != "plain" else (frozenset(), ghosts_and_returns(code)[1])
    )
    table: dict[int, LineWatch] = {}
    for start, end, line in code.co_lines():
        if line is None or line in silent:
            continue
        if line not in lines:
            lines[line] = LineWatch(line, callee=_callee(program, line), waits=_waits(program, line))
        table |= dict.fromkeys(range(start, end, 2), lines[line])
    return FunctionWatch(
        tuple(sorted({*_arguments(code), *code.co_freevars})),
        frozenset(code.co_freevars),
        LineWatch(0, steady, shown, touches=() if steady else None),
        {at: watch for at, watch in table.items() if at not in ghosts} if ghosts else table,
        returns,
        _effect(program, node, code) if steady and node else ANYTHING,
    )


def _callee(program: Program, line: int) -> ast.expr | None:
    place = program.layout.places.get(line)
    return callee_of(place.node) if place else None


def _effect(program: Program, node: Function, code: types.CodeType) -> HiddenEffect:
    own = frozenset(code.co_varnames).difference(code.co_cellvars)
    return effect_of(node, _steps(node), own, "import" in program.source)


def _variables(code: types.CodeType) -> frozenset[str]:
    return frozenset(code.co_varnames + code.co_cellvars + code.co_freevars)


def _arguments(code: types.CodeType) -> tuple[str, ...]:
    starred = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + starred]


def _waits(program: Program, line: int) -> tuple[int, ...]:
    return tuple(program.layout.waiting_places(line)) if program.level != "plain" else ()


def _is_steady(node: Function, code: types.CodeType, temporaries: frozenset[str]) -> bool:
    if node.decorator_list or not temporaries.isdisjoint(code.co_cellvars + code.co_freevars):
        return False
    if any(map(_PRIVATE.match, _variables(code))):  # the source spells them otherwise
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


def _lines(program: Program, node: Function, code: types.CodeType) -> dict[int, LineWatch]:
    temporaries = program.temporaries
    steps = list(_steps(node))
    caught = _caught(node)
    variables = _variables(code)
    found: dict[int, LineWatch] = {}
    lasting = [name for name in variables if name not in temporaries]
    shown: dict[frozenset[str], tuple[str, ...]] = {}  # equal names are one object, which is told at a glance
    for step in steps:
        needed = program.live[step.lineno - 1]
        if needed not in shown:
            shown[needed] = tuple(sorted([*lasting, *(needed & temporaries & variables)]))
        writes, handlers = _writes(step), caught.get(step.lineno, _NO_HANDLERS)
        own = variables.issuperset(writes | {name for _, name in handlers})
        callee = callee_of(step)
        touched = touches_of(step) if own else None  # it may bind a module variable
        if touched and isinstance(callee, ast.Name) and callee.id not in variables and only_reads(callee.id, step):
            touched = ()
        found[step.lineno] = LineWatch(
            step.lineno,
            True,
            shown[needed],
            tuple(sorted(writes & variables)),
            noted(step),
            _body(step),
            handlers,
            None if touched is None else tuple([name for name in touched if name in variables]),
            tuple([name for name in touched or () if name not in variables and name not in HARMLESS]),
            step.iter.id if isinstance(step, ast.For) and isinstance(step.iter, ast.Name) else None,
            got_by(step) if touched else None,
            set_by(step) if touched else None,
            callee.value.id if isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name) else None,
            callee.id if isinstance(callee, ast.Name) else None,
            callee,
            step.name if isinstance(step, ast.FunctionDef) else None,
            bool(touched) and is_gentle(step),
            _waits(program, step.lineno),
        )
    return found


def _caught(node: ast.AST) -> dict[int, frozenset[tuple[int, str]]]:
    """By line, the handlers around it with their names."""
    found: dict[int, frozenset[tuple[int, str]]] = {}
    for step in _steps(node):
        if isinstance(step, ast.ExceptHandler) and step.name:
            for inner in _steps(step):
                found[inner.lineno] = found.get(inner.lineno, _NO_HANDLERS) | {(step.lineno, step.name)}
    return found


def _body(step: ast.stmt | ast.ExceptHandler) -> range | None:
    if isinstance(step, ast.For | ast.ExceptHandler):
        return range(step.body[0].lineno, (step.body[-1].end_lineno or 0) + 1)
    return None


def _writes(step: ast.stmt | ast.ExceptHandler) -> set[str]:
    match step:
        case ast.If() | ast.While() | ast.Try():
            return set()
        case ast.ExceptHandler():
            return {step.name} if step.name else set()
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
