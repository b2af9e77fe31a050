"""Arguments to parameters, over text: Python itself binds stand-ins for the values, so its rules and messages hold.

Only a function with the same parameters and an empty body is run, never the program's.
"""

import ast
import builtins
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from envs.execution.decompose.program import Program
from envs.execution.state.value_grammar import SIZE_LIMIT, ImpossibleState, Unsupported, label_of
from envs.execution.stepper.name_lookup import Callee
from envs.execution.stepper.values.value_rules import split_items
from envs.execution.syntax.constant_values import constant_values
from envs.execution.syntax.line_map import Key
from envs.execution.syntax.program_structure import Function


class CallScope(Protocol):
    """What a call can see besides its arguments."""

    heap: dict[int, str]
    globals: dict[str, str]


class _Text(str):
    """A value's text standing in for the value."""

    __slots__ = ()


Read = Callable[[ast.expr], str]
_NAMED = re.compile(r"([^\W\d]\w*)=(.*)", re.DOTALL)
"""A default of a nested function's parameter that is given by its name alone."""


@dataclass(frozen=True, slots=True)
class _Signature:
    """A function's name and parameters; which of them have defaults, not what these are."""

    name: str
    positional_only: tuple[str, ...]
    positional: tuple[str, ...]
    starred: str | None
    named: tuple[str, ...]
    named_optional: tuple[bool, ...]
    double_starred: str | None
    optional: int

    @classmethod
    def of(cls, node: Function) -> "_Signature":
        given = node.args
        return cls(
            node.name,
            tuple(each.arg for each in given.posonlyargs),
            tuple(each.arg for each in given.args),
            given.vararg.arg if given.vararg else None,
            named=tuple(each.arg for each in given.kwonlyargs),
            named_optional=tuple(each is not None for each in given.kw_defaults),
            double_starred=given.kwarg.arg if given.kwarg else None,
            optional=len(given.defaults),
        )


@lru_cache(maxsize=256)
def _stub_code(signature: _Signature) -> types.CodeType:
    """The code of a function that takes the same arguments and gives back what they bind."""
    stub = function_of(signature.name, _bare(signature), ast.parse("return locals()").body)
    module = compile(ast.fix_missing_locations(ast.Module([stub], [])), "<stub>", "exec", dont_inherit=True)
    return next(code for code in module.co_consts if isinstance(code, types.CodeType))


class ArgumentBinding:
    """Binds calls of one program's functions."""

    def __init__(self, program: Program) -> None:
        self._functions = program.layout.functions
        self._tree = program.layout.tree
        self._codes = program.codes()
        self._stubs: dict[Key, types.FunctionType] = {}

    def bind(self, callee: Callee, read: Read, scope: CallScope) -> dict[str, str] | str:
        """The callee's locals as text, or the text of the TypeError that the call raises."""
        stub = self._stub(callee.key)
        node = self._functions[callee.key]
        stub.__defaults__ = tuple(map(_Text, self._defaults(callee, node, scope))) or None
        stub.__kwdefaults__ = {name: _Text(text) for name, text in self._keyword_defaults(callee, node, scope)} or None
        positional, named = _arguments(callee, read, scope)
        try:
            values = stub(*positional, **named)
        except TypeError as error:
            return f"TypeError({str(error)!r})"
        code = self._codes[callee.key]
        shared = [name for name in code.co_freevars if name != "__class__"]  # which no frame shows
        if len(callee.cells) != len(shared):
            raise ImpossibleState(
                f"{callee.key[0]} with {len(callee.cells)} shared variables, where it has {len(shared)}"
            )
        cells = dict(zip(shared, callee.cells, strict=True))
        return {name: _text(value) for name, value in values.items()} | cells

    def _stub(self, key: Key) -> types.FunctionType:
        if key not in self._stubs:
            stub = types.FunctionType(_stub_code(_Signature.of(self._functions[key])), {"__builtins__": builtins})
            stub.__qualname__ = self._codes[key].co_qualname
            self._stubs[key] = stub
        return self._stubs[key]

    def _defaults(self, callee: Callee, node: Function, scope: CallScope) -> list[str]:
        if callee.given is not None:
            return [each for each in split_items(f"({callee.given})") if not _NAMED.match(each)]
        names = [each.arg for each in [*node.args.posonlyargs, *node.args.args]][-len(node.args.defaults) :]
        whole = self._codes[callee.key].co_qualname
        shared = [scope.globals.get(f"{whole}.{name}") for name in names]
        defaults = node.args.defaults
        return [text or self._constant(value) for text, value in zip(shared[: len(defaults)], defaults, strict=True)]

    def _keyword_defaults(self, callee: Callee, node: Function, scope: CallScope) -> list[tuple[str, str]]:
        if callee.given is not None:
            named = filter(None, map(_NAMED.match, split_items(f"({callee.given})")))
            return [(match[1], match[2]) for match in named]
        pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        whole = self._codes[callee.key].co_qualname
        return [
            (name.arg, scope.globals.get(f"{whole}.{name.arg}") or self._constant(value))
            for name, value in pairs
            if value is not None
        ]

    def _constant(self, expression: ast.expr) -> str:
        """The text of a default that no frame shows."""
        try:
            return repr(ast.literal_eval(expression))
        except ValueError:
            text = constant_values(self._tree).text(expression)
        if text is None:
            raise Unsupported(f"the default {ast.unparse(expression)!r}, which is not in the frame")
        return text


def bound_fields(
    name: str, fields: Mapping[str, str | None], callee: Callee, read: Read, *, scope: CallScope, by_name: bool = False
) -> object:
    """The values of a generated constructor's parameters by name, or the text of the TypeError that the call raises.

    `fields` are its parameters in order, with the text of their defaults; `by_name` says that no place gives them.
    """
    defaults = {field: _Text(text) for field, text in fields.items() if text is not None}
    signature = _Signature(
        "__init__",
        (),
        ("self",) if by_name else ("self", *fields),
        None,
        named=tuple(fields) if by_name else (),
        named_optional=tuple(field in defaults for field in fields) if by_name else (),
        double_starred=None,
        optional=0 if by_name else len(defaults),
    )
    stub = types.FunctionType(_stub_code(signature), {"__builtins__": builtins})
    stub.__qualname__ = name
    stub.__kwdefaults__ = dict(defaults) if by_name else None
    stub.__defaults__ = None if by_name else tuple(defaults.values()) or None
    positional, named = _arguments(callee, read, scope)
    try:
        values = stub(_Text(), *positional, **named)
    except TypeError as error:
        return f"TypeError({str(error)!r})"
    return {field: str(values[field]) for field in fields}


def positional_arguments(call: ast.Call, read: Read, heap: Mapping[int, str]) -> list[str]:
    """The texts of a call's positional arguments, the items of starred ones among them."""
    found: list[str] = []
    for argument in call.args:
        found += _sequence(read(argument.value), heap) if isinstance(argument, ast.Starred) else [read(argument)]
    return found


def _arguments(callee: Callee, read: Read, scope: CallScope) -> tuple[list[_Text], dict[str, _Text]]:
    positional = [_Text(text) for text in (*callee.before, *positional_arguments(callee.call, read, scope.heap))]
    named: dict[str, _Text] = {}
    for keyword in callee.call.keywords:
        text = read(keyword.value)
        pairs = _mapping(text, scope.heap) if keyword.arg is None else {keyword.arg: text}
        named |= {name: _Text(value) for name, value in pairs.items()}
    return positional, named


def _content(text: str, heap: Mapping[int, str]) -> str:
    """A value's text, with an object's content in place of its label."""
    label = label_of(text)
    if label is not None and label not in heap:
        raise ImpossibleState(f"reference #{label} to an object that is not there")
    return text if label is None else heap[label]


def _sequence(text: str, heap: Mapping[int, str]) -> list[str]:
    content = _content(text, heap)
    if content.startswith("range("):
        items = range(*map(int, split_items(content[len("range") :])))
        if len(items) <= SIZE_LIMIT:
            return [str(item) for item in items]
    if content[0] in "'\"":
        return [repr(character) for character in ast.literal_eval(content)]
    if not content.startswith(("[", "(")):
        raise Unsupported(f"a starred argument of the kind {content[:20]}")
    return split_items(content)


def _mapping(text: str, heap: Mapping[int, str]) -> dict[str, str]:
    content = _content(text, heap)
    if not content.startswith("{"):
        raise Unsupported(f"a double-starred argument of the kind {content[:20]}")
    pairs = [
        re.match(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"): (.*)$""", item, re.DOTALL) for item in split_items(content)
    ]
    if None in pairs:
        raise Unsupported("double-starred arguments whose keys are no strings")
    return {ast.literal_eval(pair[1]): pair[2] for pair in pairs if pair}


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name!r}: {text}' for name, text in value.items())}}}"
    return str(value)


def _bare(signature: _Signature) -> ast.arguments:
    """The parameters without annotations; defaults are placeholders, replaced at each call."""
    none = ast.Constant(None)
    return ast.arguments(
        posonlyargs=[ast.arg(name) for name in signature.positional_only],
        args=[ast.arg(name) for name in signature.positional],
        vararg=ast.arg(signature.starred) if signature.starred else None,
        kwonlyargs=[ast.arg(name) for name in signature.named],
        kw_defaults=[none if optional else None for optional in signature.named_optional],
        kwarg=ast.arg(signature.double_starred) if signature.double_starred else None,
        defaults=[none] * signature.optional,
    )


def function_of(name: str, arguments: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    """A function's syntax; later Pythons want one field more, and parsing gives whatever they want."""
    made = ast.parse("def f(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.name, made.args, made.body = name, arguments, body
    return made
