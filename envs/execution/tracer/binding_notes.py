"""Programs compiled so that each line leaves a note of what it bound; exists because asking a frame for its variables
makes Python copy all of them to a dictionary and back, which takes longer than all else that the tracer does.

A line that binds names is followed, on the same line, by a store of what they hold now: `x = y + 1` notes the sum.
Python reports no further event for it, and no program can spell the name of the note. Knows no value and no page.
"""

import ast
import re
import types
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from envs.execution.decompose.program import FILENAME, Program, run_module

_NAME = "@note"
N = TypeVar("N", bound=ast.AST)
_BEHIND_ONES_BACK = re.compile(
    r"\b(?:globals|vars|exec|eval|__dict__|__globals__|__closure__|cell_contents|__defaults__|__kwdefaults__|__code__"
    r"|__del__|weakref|getrefcount|_getframe|inspect|locals)\b"
)
"""Words of programs that may bind names without saying so, or look at how they are run."""
Note = list[Any]
"""Holds one thing: what the last line that binds names bound, a tuple in the order of `noted` if it binds several."""
_HOLDING = (
    *(ast.For, ast.While, ast.If, ast.Try, ast.TryStar, ast.With, ast.Match, ast.FunctionDef, ast.ClassDef),
    *(ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef),
)


def noted(step: ast.stmt | ast.ExceptHandler) -> tuple[str, ...]:
    """Names whose values a statement leaves a note of, in order; a loop and a handler do as their body is entered."""
    match step:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return (name,)
        case ast.Assign(targets=[ast.Tuple(elts=parts)] | [ast.List(elts=parts)]):
            inner = [part.value if isinstance(part, ast.Starred) else part for part in parts]
            names = [part.id for part in inner if isinstance(part, ast.Name)]
            return tuple(names) if len(names) == len(inner) else ()
        case ast.AugAssign(target=ast.Name(id=name)) | ast.For(target=ast.Name(id=name)):
            return (name,)
        case ast.FunctionDef(name=name):
            return (name,)
        case ast.ExceptHandler(name=str(name)):
            return (name,)
        case _:
            return ()


def noting_namespace(code: types.CodeType) -> dict[str, object]:
    """The module's variables after running its top level, with a note that its functions fill in."""
    note: Note = [None]
    namespace: dict[str, object] = {"__name__": "program", _NAME: note}
    run_module(code, namespace)
    return namespace


def note_of(namespace: Mapping[str, object]) -> Note:
    """The note that functions of this module fill in; one that stays empty if they fill in none."""
    note = namespace.get(_NAME)
    return note if isinstance(note, list) else [None]


@lru_cache(maxsize=256)
def noting_code(program: Program) -> types.CodeType | None:
    """The compiled module, its functions leaving notes; None where they cannot.

    That is so where a program may look at how it is run or bind names without saying so, and where Python can compile
    its text but not its tree.
    """
    if program.level == "plain" or _BEHIND_ONES_BACK.search(program.source) is not None:
        return None
    tree = _copy(program.layout.tree)
    holding: list[ast.AST] = [tree]
    for node in holding:  # grows while it is walked
        for part in ("body", "orelse", "finalbody"):
            if block := getattr(node, part, None):
                inside = [_copy(step) if isinstance(step, _HOLDING) else step for step in block]
                holding += [step for step in inside if isinstance(step, _HOLDING)]
                setattr(node, part, inside if isinstance(node, ast.Module | ast.ClassDef) else _noting(inside))
        for part in ("handlers", "cases"):
            if block := getattr(node, part, None):
                inside = [_copy(step) for step in block]
                holding += inside
                setattr(node, part, inside)
        if isinstance(node, ast.For | ast.ExceptHandler) and (names := noted(node)):
            node.body = [_store(node, names), *node.body]
    try:
        return compile(tree, FILENAME, "exec", dont_inherit=True)
    except (ValueError, RecursionError, MemoryError):
        return None


def _copy(node: N) -> N:
    """A node of its own, with the parts of another."""
    new: N = type(node).__new__(type(node))
    new.__dict__.update(node.__dict__)
    return new


def _noting(block: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for step in block:
        names = noted(step)
        if isinstance(step, ast.Assign) and isinstance(step.targets[0], ast.Name) and names:
            step = _copy(step)
            step.targets = [*step.targets, _place(step)]
            names = ()
        found.append(step)
        if names and not isinstance(step, ast.For):
            found.append(_store(step, names))
    return found


def _place(step: ast.stmt | ast.ExceptHandler) -> ast.Subscript:
    where = {"lineno": step.lineno, "col_offset": 0, "end_lineno": step.lineno, "end_col_offset": 0}
    first = ast.Constant(0, None, **where)
    return ast.Subscript(ast.Name(_NAME, ast.Load(), **where), first, ast.Store(), **where)


def _store(step: ast.stmt | ast.ExceptHandler, names: tuple[str, ...]) -> ast.Assign:
    line, end = step.lineno, step.lineno
    where = {"lineno": line, "col_offset": 0, "end_lineno": end, "end_col_offset": 0}
    values: list[ast.expr] = [ast.Name(name, ast.Load(), **where) for name in names]
    value = values[0] if len(values) == 1 else ast.Tuple(values, ast.Load(), **where)
    return ast.Assign([_place(step)], value, lineno=line, col_offset=0, end_lineno=end, end_col_offset=0)
