"""The frozen task types: a program to repair, a call to trace, a permutation to sort.

A task holds everything that is known about a problem before a run. The constructors check their fields (BadTask names
the field) and run nothing; `envs` finds out whether tests pass. Knows no file format.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from tasks.comparison import EQUAL, Comparison
from tasks.errors import BadSource, BadTask, NotPlain, did_you_mean
from tasks.permutations import COMMANDS, Generators, distance_between
from tasks.reading.program_text import parse, parse_expression, unparsed
from tasks.result_text import read_result
from tasks.scripted_world import NO_WORLD, ScriptedWorld
from tasks.value import read_value

Split = Literal["dev", "test"]
Style = Literal["straight", "branching"]
MAX_PLACES = 1_000
"""Most items of an arrangement: the exact distance takes time that grows with their square."""


CHECK = "__check__"
"""The reserved name of the function that a FunctionTest becomes."""


class _Expecting:
    """What tests with an expected result have in common."""

    __slots__ = ()
    expected: str
    comparison: Comparison

    def accepts(self, actual: object) -> bool:
        """Whether a result passes this test: a plain value, or what `read_result` made of its text."""
        return self.comparison.holds(read_value(self.expected), actual)

    def accepts_text(self, actual: str) -> bool:
        """Whether a result, as text, passes this test; a result that is no plain value passes only a truth test."""
        try:
            return self.accepts(read_result(actual))
        except NotPlain:
            return self.comparison.kind == "truth" and self.expected == "True"


@dataclass(frozen=True, slots=True)
class CallTest(_Expecting):
    """One call of the entry function with its expected result; an oracle can imagine it."""

    arguments: str
    """The source text between the parentheses of the call."""
    expected: str
    """The expected result as the text of a plain value, see tasks.value."""
    comparison: Comparison = EQUAL
    world: ScriptedWorld = NO_WORLD
    """What `random`, `input`, clocks and files give the program."""

    def __post_init__(self) -> None:
        check_arguments(self.arguments)
        check_plain("expected", self.expected)


@dataclass(frozen=True, slots=True)
class FunctionTest(_Expecting):
    """Statements that use the program and return a result, with the expected one; an oracle can imagine them.

    They are the body of a function without parameters that is added behind the program, where no edit reaches it:
    tests that build objects, call methods, or take several steps before they look at a value.
    """

    code: str
    """The body of the function; it returns the result."""
    expected: str
    """The expected result as the text of a plain value, see tasks.value."""
    comparison: Comparison = EQUAL
    setup: str = ""
    """Statements of the module that stand before the function: imports, helpers, classes of the tests."""
    world: ScriptedWorld = NO_WORLD
    """What `random`, `input`, clocks and files give the program."""

    def __post_init__(self) -> None:
        try:
            statements = list(ast.walk(parse(self.code)))
            parse(self.setup)
        except BadSource as error:
            raise BadTask("code", f"does not parse: {error}") from error
        if not any(isinstance(part, ast.Return) for part in statements):
            raise BadTask("code", "returns nothing that could be compared; end it with `return`")
        check_plain("expected", self.expected)

    @property
    def function(self) -> str:
        """The function as Python source, behind the statements that it needs."""
        return function_text(self.setup, self.code)


@dataclass(frozen=True, slots=True)
class CodeTest:
    """Statements that run after the program; the test passes if nothing is raised. An oracle cannot imagine it."""

    code: str

    def __post_init__(self) -> None:
        try:
            if not parse(self.code).body:
                raise BadTask("code", "has no statement, so it always passes; remove it")
        except BadSource as error:
            raise BadTask("code", f"does not parse: {error}") from error


Test = CallTest | FunctionTest | CodeTest


def shown_test(test: Test, entry: str) -> str:
    """The test as a reader would write it: a call or a function with its expected result, or code."""
    if isinstance(test, CallTest):
        return f"{entry}({test.arguments}) == {test.expected}"
    if isinstance(test, FunctionTest):
        return f"{test.function.rstrip()}\n{CHECK}() == {test.expected}"
    return test.code


@lru_cache(1024)
def function_text(setup: str, body: str) -> str:
    """The source of a function `CHECK` with this body, behind a set-up."""
    module = parse(f"{setup}\ndef {CHECK}(): pass")
    function = module.body[-1]
    assert isinstance(function, ast.FunctionDef)
    function.body = parse(body).body
    return unparsed(module) + "\n"


@dataclass(frozen=True, slots=True)
class RepairTask:
    """A buggy program with tests, at least one of which it fails."""

    id: str
    source: str
    entry: str
    """The function that the tests call, a method as `Class.method`, or a class."""
    tests: tuple[Test, ...]
    """Visible tests: planner and agent may run and imagine them."""
    hidden: tuple[Test, ...] = ()
    """Hidden tests: never shown to planner or agent; they tell a right patch from one that overfits."""
    reference: str | None = None
    known_patch: tuple[str, ...] | None = None
    """Edits that repair the source, one line each; () = a search of all edits found none; None = not searched."""
    origin: str = "unknown"
    licence: str = "unknown"
    tier: str | None = None
    split: Split | None = None

    def __post_init__(self) -> None:
        check_id(self.id)
        check_program("source", self.source, self.entry)
        if self.reference is not None:
            check_program("reference", self.reference, self.entry)
        if not self.tests:
            raise BadTask("tests", "a repair task needs at least one visible test")
        _check_choice("split", self.split, get_args(Split))
        if self.tier is not None and not self.tier.isprintable():
            raise BadTask("tier", f"{self.tier!r} has characters that cannot be printed")

    def traces(self) -> tuple["TraceTask", ...]:
        """The visible calls as trace tasks of the buggy program; their real results are not known."""
        calls = [test for test in self.tests if isinstance(test, CallTest)]
        return tuple(
            TraceTask(
                f"{self.id}#{number}",
                self.source,
                self.entry,
                call.arguments,
                origin=self.origin,
                licence=self.licence,
                world=call.world,
            )
            for number, call in enumerate(calls, start=1)
        )


@dataclass(frozen=True, slots=True)
class TraceTask:
    """A program and one call of it, to imagine step by step."""

    id: str
    source: str
    entry: str
    arguments: str
    expected: str | None = None
    """The result of the call as text; None if it is not known."""
    origin: str = "unknown"
    licence: str = "unknown"
    world: ScriptedWorld = NO_WORLD
    """What `random`, `input`, clocks and files give the program."""

    def __post_init__(self) -> None:
        check_id(self.id)
        check_program("source", self.source, self.entry)
        check_arguments(self.arguments)


@dataclass(frozen=True, slots=True)
class PermutationTask:
    """A start and a goal arrangement; the goal is to be reached by as few commands as possible."""

    id: str
    start: tuple[int, ...]
    goal: tuple[int, ...]
    generators: Generators
    """The commands: a name, or custom moves that give for each place the place its item comes from."""
    distance: int
    """Exact smallest number of commands from start to goal."""
    style: Style = "straight"
    """Whether a plan is a straight-line program or a program of conditional swaps."""

    def __post_init__(self) -> None:
        check_id(self.id)
        if max(len(self.start), len(self.goal)) > MAX_PLACES:
            raise BadTask("start", f"has {len(self.start)} items; at most {MAX_PLACES} are ordered")
        if len(set(self.start)) != len(self.start) or len(self.start) < 2:
            raise BadTask("start", f"must have two or more different items, got {self.start}")
        if sorted(self.start) != sorted(self.goal):
            raise BadTask("goal", f"{self.goal} is no arrangement of {self.start}")
        _check_choice("style", self.style, get_args(Style))
        self._check_generators()
        real = distance_between(self.start, self.goal, self.generators)
        if self.distance < 0:
            raise BadTask("distance", f"must be 0 or more, got {self.distance}")
        if real is not None and real != self.distance:
            raise BadTask("distance", f"is {self.distance}, but the exact distance is {real}")

    def _check_generators(self) -> None:
        if isinstance(self.generators, str):
            _check_choice("generators", self.generators, COMMANDS)
            return
        places = list(range(len(self.start)))
        for move in self.generators:
            if sorted(move) != places:
                raise BadTask("generators", f"{move} is no permutation of the places {places}")


Task = RepairTask | TraceTask | PermutationTask


def check_id(name: str) -> None:
    """Raises BadTask if a name has unprintable characters or blanks around it."""
    if not name or not name.isprintable() or name != name.strip():
        raise BadTask("id", f"{name!r} is no valid id; use printable characters without surrounding blanks")


def check_program(field: str, source: str, entry: str) -> None:
    """Raises BadTask if the source does not parse or does not define the entry at top level, or in a class there."""
    try:
        module = parse(source)
        names = [*defined_names(module), *method_names(module)]
    except BadSource as error:
        raise BadTask(field, f"does not parse: {error}") from error
    if entry not in names:
        raise BadTask("entry", f"{entry!r} is not defined in {field}. {did_you_mean(entry, names)}")


def check_arguments(arguments: str) -> None:
    """Raises BadTask if the text cannot stand between the parentheses of a call."""
    try:
        call = parse_expression(f"f({arguments}\n)")
    except BadSource as error:
        raise BadTask("arguments", f"{arguments!r} does not parse as arguments of a call: {error}") from error
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise BadTask("arguments", f"{arguments!r} closes the parenthesis of the call")


def check_plain(field: str, text: str) -> None:
    """Raises BadTask if the text is no plain value."""
    try:
        read_value(text)
    except NotPlain as error:
        raise BadTask(field, f"{error}; write this test as code") from error


def defined_names(module: ast.Module) -> list[str]:
    """The names that a module binds at top level by def, class or assignment, in order."""
    names: list[str] = []
    for statement in module.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
            case ast.Assign(targets=targets):
                names += [target.id for target in targets if isinstance(target, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                names.append(name)
    return names


def method_names(module: ast.Module) -> list[str]:
    """The methods of the classes of a module as `Class.method`, in order."""
    return [
        f"{statement.name}.{part.name}"
        for statement in module.body
        if isinstance(statement, ast.ClassDef)
        for part in statement.body
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _check_choice(field: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise BadTask(field, f"{value!r} is not known. {did_you_mean(value, known)}")
