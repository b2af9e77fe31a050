"""What a name can mean where the locals do not say it: the program's own functions and classes, builtins, or nothing.

Answers come from syntax and compiled code; nothing is run.
"""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from types import CodeType

from envs.execution.decompose.program import Program
from envs.execution.state.value_grammar import Unsupported, holds_function, label_of, number
from envs.execution.syntax.bindings import deleted_names, doubtful_names, imported_names, module_names, unbound_names
from envs.execution.syntax.classes.own_classes import OwnClasses, own_classes
from envs.execution.syntax.library.library_caches import library_caches
from envs.execution.syntax.line_map import Key, LineMap
from envs.execution.syntax.program_structure import Function, nodes_of_program
from envs.execution.syntax.suspensions import is_steppable

_NESTED = re.compile(r"(\w+)@(\d+)\((.*)\)$", re.DOTALL)
_MOVER = re.compile(r"(?:map|filter)\(((?:#\d+\.|[^\W\d]\w*\.)?[^\W\d]\w*)")
_INSTANCE = re.compile(r"([^\W\d]\w*)\(")
_BOUND = re.compile(r"(?:#\d+|super\(.*\)|[^\W\d]\w*)\.([^\W\d]\w*)$", re.DOTALL)
_GENERATOR = 0x20
_ASYNCHRONOUS = 0x80 | 0x200
"""Code flags of generators, and of coroutines and asynchronous generators: calling them runs nothing yet."""
_ENDING = frozenset({"StopIteration", "IndexError", "GeneratorExit", "AttributeError", "BaseException"})
LAZY = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.BoolOp, ast.IfExp)
"""Expressions with parts that may not be evaluated, where they were left whole."""


@dataclass(frozen=True, slots=True)
class KnownName:
    """What a name stands for, or the exception that looking it up raises."""

    text: str | None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Callee:
    """A function of the program that a line calls."""

    key: Key
    call: ast.Call
    cells: tuple[str, ...] = ()
    given: str | None = None
    """Defaults as text, for nested functions, which hold their own."""
    before: tuple[str, ...] = ()
    """Values that stand before the arguments of the call: the object whose method it is."""


def own_globals(layout: LineMap, code: CodeType, key: Key) -> frozenset[str]:
    """Module variables that a function, or one nested in it, declares as such; a variable of its own hides one."""
    return layout.declared_global(key).difference(code.co_varnames, code.co_cellvars, code.co_freevars)


def _defined(node: ast.AST) -> Iterator[Function]:
    """The functions that a statement of the module defines, at its level."""
    if isinstance(node, Function):
        yield node
    elif isinstance(
        node, ast.If | ast.For | ast.While | ast.With | ast.Try | ast.ExceptHandler | ast.Match | ast.match_case
    ):
        for each in ast.iter_child_nodes(node):
            yield from _defined(each)


def _base_name(base: ast.expr, node: ast.ClassDef, places: Mapping[str, int]) -> str:
    """The name of a base; a builtin that a class of the program hides only later has its module before it."""
    text = ast.unparse(base)
    return f"builtins.{text}" if text in places and places[text] >= node.lineno and hasattr(builtins, text) else text


class NameLookup:
    """Looks names up for one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._layout = self.layout = program.layout
        self.temporaries = program.temporaries
        self._codes = program.codes()
        self._module = self._layout.tree
        self._generators: dict[Key, bool] = {}

    @property
    def module(self) -> ast.Module:
        """The program's syntax; callers must not change it."""
        return self._module

    @cached_property
    def module_names(self) -> frozenset[str]:
        """Everything bound at module level."""
        return module_names(self._module)

    @cached_property
    def imported_names(self) -> frozenset[str]:
        """Names bound by imports at module level: what they call is not the program."""
        return imported_names(self._module)

    @cached_property
    def own_names(self) -> frozenset[str]:
        """Names of the module that are the program's own."""
        builtin_again = {name for name in self._unbound if hasattr(builtins, name)} - self._functions.keys()
        return self.module_names - self.imported_names - builtin_again

    @cached_property
    def bases(self) -> dict[str, tuple[str, ...]]:
        """The program's classes and the names of their bases; inside classes, those with a name of their own."""
        classes = [node for node in self._module.body if isinstance(node, ast.ClassDef)]
        nested = [part for node in classes for part in node.body if isinstance(part, ast.ClassDef)]
        for node in nested:  # grows by the classes inside these
            nested += [part for part in node.body if isinstance(part, ast.ClassDef)]
        names = Counter(node.name for node in (*classes, *nested))
        known = [*classes, *(node for node in nested if names[node.name] == 1)]
        places = {node.name: node.lineno for node in known}
        return {
            node.name: tuple(_base_name(each, node, places) for each in node.bases) or ("object",) for node in known
        }

    def raised(self, text: str) -> str:
        """An exception that Python raises, by the name under which the program knows its class.

        It has its module where the program calls a class of its own so, and none where the program imports it.
        """
        module, dot, name = text.partition("(")[0].rpartition(".")
        if dot and name in self.imported_names:
            return text.removeprefix(f"{module}.")
        return f"builtins.{text}" if not dot and name in self.bases else text

    @cached_property
    def ends_otherwise(self) -> str:
        """A class of the program with the name of an exception by which Python ends loops; empty if there is none."""
        return next(iter(sorted(_ENDING.intersection(self.bases))), "")

    @cached_property
    def _functions(self) -> dict[str, Function]:
        """Functions of the module's level, also in an `if` or `try` of it; of one name the last."""
        found = {each.name: each for node in self._module.body for each in _defined(node)}
        return {name: each for name, each in found.items() if name not in self._hidden}

    @cached_property
    def _unbound(self) -> frozenset[str]:
        """Names that the module's top level binds and deletes again: no function finds them, but for builtins."""
        return unbound_names(self._module)

    @cached_property
    def _maybe_unbound(self) -> frozenset[str]:
        """Names of the module that only its run tells whether they are still there."""
        return doubtful_names(self._module) & self.module_names - self._unbound

    @cached_property
    def _hidden(self) -> frozenset[str]:
        """Deleted functions of the module whose name means the builtin again, as nothing kept them."""
        named = {name for name in self._unbound if hasattr(builtins, name)}
        if not named:
            return frozenset()
        outside = [node for node in self._module.body if not isinstance(node, Function | ast.ClassDef)]
        inside = [part for node in outside for part in ast.walk(node)]
        called = [part.func for part in inside if isinstance(part, ast.Call)]
        loads = Counter(part.id for part in inside if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
        calls = Counter(part.id for part in called if isinstance(part, ast.Name))
        return frozenset(name for name in named if loads[name] == calls[name])

    @cached_property
    def _doubtful(self) -> Set[str]:
        """Names that may mean another function than the last: an `if` or `try` defines it, or the module deletes it."""
        defined = [each for node in self._module.body for each in _defined(node)]
        times = Counter(each.name for each in defined)
        sure = {id(node) for node in self._module.body}
        last = [each for each in self._functions.values() if id(each) not in sure]
        deleted = {name for name in self._unbound if hasattr(builtins, name)}
        return deleted.union(each.name for each in last if times[each.name] > 1 or hasattr(builtins, each.name))

    @cached_property
    def classes(self) -> OwnClasses:
        """What syntax tells of the program's own classes."""
        return own_classes(self._module)

    @cached_property
    def _renames(self) -> bool:
        names = {getattr(node, "attr", getattr(node, "id", "")) for node in nodes_of_program(self._module)}
        return not names.isdisjoint({"wraps", "update_wrapper"})

    @cached_property
    def _cached(self) -> dict[str, int]:
        """Functions whose results the library keeps, which no frame shows, and their lines."""
        return {name: self.origin(line) for name, line in library_caches(self._module).items()}

    def origin(self, line: int) -> int:
        """The line of the program that a line of the decomposed one comes from."""
        return self._program.origin[line - 1]

    @cached_property
    def _method_names(self) -> frozenset[str]:
        return frozenset(name for each in self.classes.classes.values() for name in each.members)

    def outside(self, name: str, key: Key, shared: Mapping[str, str]) -> KnownName:
        """A name that is not among the locals."""
        if self._is_own(name, key):
            return KnownName(None, self.unbound(name, key))
        if name in shared:
            return KnownName(shared[name])
        if name in self._cached:
            raise Unsupported(f"{name!r}, whose results the library caches (line {self._cached[name]})")
        if name in self._maybe_unbound:
            raise Unsupported(f"{name!r}, which the module may delete")
        deleted = name in self._deleted or name in self._unbound
        if (name in self.module_names and not deleted) or hasattr(builtins, name):
            return KnownName(name)
        message = f"name '{name}' is not defined"
        return KnownName(None, f"NameError({message!r})")

    def unbound(self, name: str, key: Key) -> str:
        if name in self._codes[key].co_freevars:
            message = f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
            return f"NameError({message!r})"
        message = f"cannot access local variable '{name}' where it is not associated with a value"
        return f"UnboundLocalError({message!r})"

    def declared_global(self, key: Key) -> frozenset[str]:
        """Names that the function, or one nested in it, declares global and that are no variables of its own."""
        return own_globals(self._layout, self._codes[key], key)

    def is_global(self, name: str, key: Key) -> bool:
        """Whether binding the name in the function binds a module variable, itself or in a function it calls back."""
        return name in self.declared_global(key) or (name in self._module_variables and not self._is_own(name, key))

    def _is_own(self, name: str, key: Key) -> bool:
        code = self._codes[key]
        return name in code.co_varnames or name in code.co_cellvars or name in code.co_freevars

    @cached_property
    def _module_variables(self) -> frozenset[str]:
        """Data at module level, and names that some function declares global."""
        declared = {name for key in self._layout.functions for name in self._layout.declared_global(key)}
        return (self.module_names - self._functions.keys() - self.bases.keys() - self.imported_names) | declared

    @cached_property
    def _deleted(self) -> frozenset[str]:
        """Module variables that some function may delete: where a frame shows none of that name, there is none."""
        declared = {name for key in self._layout.functions for name in self._layout.declared_global(key)}
        data = self.module_names - self._functions.keys() - self.bases.keys() - self.imported_names
        return frozenset(deleted_names(nodes_of_program(self._module)) & declared & data)

    def free_variables(self, node: ast.FunctionDef) -> tuple[str, ...]:
        code = self._codes.get((node.name, node.lineno))
        return code.co_freevars if code else ()

    def is_plain(self, text: str) -> bool:
        """Whether a value refers to no object and runs no code of the program: a number, a string, a builtin."""
        return "#" not in text and "@" not in text and text not in self.own_names and not _INSTANCE.match(text)

    def calls_back(
        self, text: str, heap: Mapping[int, str], *, inert: bool = False, asked: frozenset[str] | None = None
    ) -> bool:
        """Whether a value can run code of the program when a line uses it.

        An `inert` line runs no operators, any other only those of `asked`; None stands for any.
        """
        if text in self.own_names or holds_function(text) or self._is_bound(text):
            return True
        label = label_of(text)
        if label is None:
            return False
        return (not inert and self._is_active(heap[label], asked=asked)) or holds_function(heap[label])

    def runs_program(self, text: str, *, inert: bool = False, asked: frozenset[str] | None = None) -> bool:
        """Whether using a value runs functions of the program: one of them, or an object whose class has operators.

        An `inert` line runs no operators, any other only those of `asked`; None stands for any.
        """
        if text in self.own_names or holds_function(text) or self.moves_program(text):
            return True
        return (not inert and self._is_active(text, asked=asked)) or self._is_bound(text)

    def _is_bound(self, text: str) -> bool:
        """Whether it is a method of the program, bound or looked up in its class."""
        match = _BOUND.match(text)
        return match is not None and match[1] in self._method_names

    def _is_active(self, text: str, *, asked: frozenset[str] | None = None) -> bool:
        """Whether it is an object of the program whose class has operators, which C code runs."""
        match = _INSTANCE.match(text)
        return bool(match and match[1] in self.classes and self.classes.runs_code(match[1], asked))

    def moves_program(self, text: str) -> bool:
        """Whether it is a `map` or `filter` with a function of the program, which runs when the iterator moves."""
        match = _MOVER.match(text)
        return match is not None and (match[1] in self.own_names or holds_function(text) or self._is_bound(match[1]))

    def function_name(self, text: str) -> str | None:
        """What a function of the program is called; None for any other value."""
        match = _NESTED.match(text)
        if match is not None:
            if self._renames:
                raise Unsupported("the name of a function that `wraps` may have replaced")
            return "<lambda>" if match[1] == "lambda" or match[1] in self.temporaries else match[1]
        owner, _, name = text.partition(".")
        if name and (known := self.classes.known(owner)) is not None and (member := known.members.get(name)):
            return name if member.kind == "method" else None
        return text if text in self._functions else None

    def is_function(self, text: str) -> bool:
        """Whether a value is a function of the program with lines of its own, also one looked up in a class."""
        owner, _, name = text.partition(".")
        if name and (known := self.classes.known(owner)) is not None and (member := known.members.get(name)):
            return member.kind in ("method", "static")
        match = _NESTED.match(text)
        return text in self._functions if match is None else match[1] != "lambda"

    def callee(self, node: ast.AST, read: Callable[[str], str]) -> Callee | None:
        """The program's function that a statement calls, if calling is all it does besides binding the result."""
        value = getattr(node, "value", None) if isinstance(node, ast.Assign | ast.Expr) else None
        if not isinstance(value, ast.Call):
            return None
        return self.named(value, read(value.func.id)) if isinstance(value.func, ast.Name) else None

    def named(self, call: ast.Call, text: str) -> Callee | None:
        """The program's function that a call enters, whose callee is the function with this text."""
        return self._enterable(self._named(call, text))

    def _named(self, call: ast.Call, text: str) -> Callee | None:
        if match := _NESTED.match(text):
            cells, _, given = match[3].partition("; ")
            name = "<lambda>" if match[1] == "lambda" else match[1]
            return Callee((name, number(match[2])), call, tuple(filter(None, cells.split(", "))), given)
        node = self._functions.get(text)
        if node is None:
            return None
        if text in self._doubtful:
            raise Unsupported(f"a call of {text!r}, which the module defines under a condition, or deletes")
        if node.decorator_list:
            line = self.origin(node.lineno)
            raise Unsupported(f"a call of {text!r}, which a decorator may have replaced (line {line})")
        return Callee((node.name, node.lineno), call)

    def _enterable(self, callee: Callee | None) -> Callee | None:
        if callee is None:
            return None
        code = self._codes.get(callee.key)
        if callee.key[0] == "<lambda>":
            return None  # its body is no line of its own
        if code is None:
            raise Unsupported(f"a call of {callee.key[0]!r}, whose definition is not in the program")
        if code.co_flags & _ASYNCHRONOUS:
            return None
        return callee if not code.co_flags & _GENERATOR or self.is_generator(callee.key) else None

    def check_entry(self, key: Key) -> None:
        """Raise Unsupported for a function whose call makes what no frame holds: its lines are no steps."""
        code = self._codes.get(key)
        if code is not None and code.co_flags & (_GENERATOR | _ASYNCHRONOUS) and not self.is_generator(key):
            line = self.origin(key[1])
            raise Unsupported(f"{key[0]!r}, a generator or coroutine whose state no frame holds (line {line})")

    def is_generator(self, key: Key) -> bool:
        """Whether calling the function makes a generator whose lines are steps."""
        if key not in self._generators:
            code, node = self._codes.get(key), self._layout.functions.get(key)
            lazy = code is not None and code.co_flags & _GENERATOR and not code.co_cellvars
            self._generators[key] = bool(lazy) and node is not None and is_steppable(node)
        return self._generators[key]
