"""What functions of the program may change where they leave no pages: methods that operators run, keys, constructors.

By syntax alone, once a function. Whatever function such a one calls is judged on its own. Knows no value.
"""

import ast
import builtins
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from envs.execution.syntax.program_structure import Function
from envs.execution.tracer.mutation_facts import makes_only


@dataclass(frozen=True, slots=True)
class HiddenEffect:
    """What running a function may change."""

    changes: Literal["nothing", "itself", "anything"]
    """No object; its first argument, whose attributes it sets; or any object."""
    first: str | None = None
    """The name of its first argument."""
    calls: frozenset[str] = frozenset()
    """Names from outside that it calls; unless they are functions or classes of the program, it may change anything."""


ANYTHING = HiddenEffect("anything")
_READING = frozenset(
    """abs ascii bin bool callable chr complex divmod float format getattr hasattr hash hex id int isinstance issubclass
    len oct ord pow print range repr round slice str type""".split()
    + [name for name, thing in vars(builtins).items() if isinstance(thing, type) and issubclass(thing, BaseException)]
)
"""Builtins that change nothing, not even an iterator."""
_READING_METHODS = frozenset(
    """get keys values items upper lower strip lstrip rstrip split startswith endswith find replace isdigit isalpha
    isspace title""".split()
)
"""Methods of builtin objects that change nothing, not even an iterator."""
_HARMLESS = (ast.If, ast.While, ast.Pass, ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Try, ast.ExceptHandler)


def effect_of(
    node: Function, steps: Iterable[ast.stmt | ast.ExceptHandler], own: frozenset[str], imports: bool
) -> HiddenEffect:
    """What running a decomposed function may change.

    `own` are the variables that it shares with nobody. A program that imports may hold objects of which nothing is
    known, not even whether reading an item changes them.
    """
    arguments = [*node.args.posonlyargs, *node.args.args]
    first = arguments[0].arg if arguments and arguments[0].arg in own else None
    changes: Literal["nothing", "itself"] = "nothing"
    calls: set[str] = set()
    for step in steps:
        match step:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if name not in own or name == first or not _only_reads(value, own, calls, imports):
                    return ANYTHING
            case ast.Expr(value=value):
                if not _only_reads(value, own, calls, imports):
                    return ANYTHING
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name))], value=ast.Name() | ast.Constant()):
                if name != first:
                    return ANYTHING
                changes = "itself"
            case _ if not isinstance(step, _HARMLESS) or getattr(step, "name", None) is not None:
                return ANYTHING
    return HiddenEffect(changes, first, frozenset(calls))


def _only_reads(value: ast.expr, own: frozenset[str], calls: set[str], imports: bool) -> bool:
    match value:
        case ast.Call(func=ast.Name(id=name)):
            if name not in _READING:
                calls.add(name)
            return name not in own and _plainly_given(value)
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _READING_METHODS and _plainly_given(value) and not imports
        case ast.Subscript():
            return not imports
        case _:
            return makes_only(value)


def only_reads(name: str, step: ast.stmt | ast.ExceptHandler) -> bool:
    """Whether a statement that calls a builtin of this name changes nothing, not even an iterator."""
    call = step.value if isinstance(step, ast.Assign | ast.Expr) else None
    return name in _READING and isinstance(call, ast.Call) and _plainly_given(call)


def _plainly_given(call: ast.Call) -> bool:
    """Whether no argument is spread, which would move an iterator."""
    names = all(keyword.arg is not None for keyword in call.keywords)
    return names and not any(isinstance(each, ast.Starred) for each in call.args)
