"""Tests as calls that can be traced: the functions of tests stand behind the program. Runs nothing."""

import ast
from dataclasses import dataclass
from functools import lru_cache

from tasks.errors import NotPlain
from tasks.reading.program_text import parse_expression
from tasks.scripted_world import NO_WORLD, ScriptedWorld
from tasks.task import CHECK, CallTest, FunctionTest, Test, TraceTask, function_text


@dataclass(frozen=True, slots=True)
class TracedCall:
    """The call that a test makes, of a program with the functions of tests behind it."""

    source: str
    entry: str
    arguments: str
    first: str
    """A function that all calls of this source can be named by, so that the source is decomposed once for them."""
    world: ScriptedWorld = NO_WORLD


def traced_call(source: str, entry: str, test: Test, tests: tuple[Test, ...] = ()) -> TracedCall | None:
    """The call that a test makes; None for a test that is only code.

    With all `tests` of a task, their functions stand behind the program together: one program serves all of them.
    """
    test = _with_function(entry, test)
    if isinstance(test, CallTest):
        return TracedCall(source, entry, test.arguments, entry, test.world)
    if not isinstance(test, FunctionTest):
        return None
    text, names = _functions_behind(_with_functions(entry, tests) or (test,))
    if test not in names:
        text, names = _functions_behind((test,))
    return TracedCall(_followed_by(source, text), names[test], "", next(iter(names.values())), test.world)


def written_call(source: str, entry: str, arguments: str, world: ScriptedWorld = NO_WORLD) -> TracedCall:
    """A call as it is written; one with a lambda or a name in it stands in a function behind the program."""
    if are_literals(arguments):
        return TracedCall(source, entry, arguments, entry, world)
    try:
        text = function_text("", _returned(entry, arguments))
    except NotPlain:  # Python cannot write a sum of a thousand terms
        return TracedCall(source, entry, arguments, entry, world)
    return TracedCall(_followed_by(source, text), CHECK, "", CHECK, world)


def traced_task(task: TraceTask) -> TracedCall:
    """The call of a trace task, whose first frame a real run tells: only a lambda needs a function around the call."""
    if not brings_lambda(task.arguments):
        return TracedCall(task.source, task.entry, task.arguments, task.entry, task.world)
    return written_call(task.source, task.entry, task.arguments, task.world)


@lru_cache(1024)
def brings_lambda(arguments: str) -> bool:
    """Whether a lambda is written in the arguments of a call."""
    return any(isinstance(node, ast.Lambda) for node in ast.walk(parse_expression(f"f({arguments}\n)")))


@lru_cache(1024)
def are_literals(arguments: str) -> bool:
    """Whether the arguments of a call can be read without running anything."""
    call = parse_expression(f"f({arguments}\n)")
    assert isinstance(call, ast.Call)
    try:
        for value in [*call.args, *(keyword.value for keyword in call.keywords)]:
            ast.literal_eval(value)
    except (ValueError, TypeError, MemoryError, RecursionError):
        return False
    return True


def _returned(entry: str, arguments: str) -> str:
    return f"return {entry}({arguments}\n)"


@lru_cache(1024)
def _with_function(entry: str, test: Test) -> Test:
    """The test; a call whose arguments are no literals becomes a function, since a first frame cannot hold them."""
    if not isinstance(test, CallTest) or are_literals(test.arguments):
        return test
    made = FunctionTest(_returned(entry, test.arguments), test.expected, test.comparison, world=test.world)
    try:
        return made if made.function else test
    except NotPlain:
        return test


@lru_cache(256)
def _with_functions(entry: str, tests: tuple[Test, ...]) -> tuple[Test, ...]:
    """The tests of a task together: asked for each of them, of which there may be thousands."""
    return tuple(_with_function(entry, each) for each in tests)


def _followed_by(source: str, text: str) -> str:
    return f"{source.rstrip()}\n\n\n{text}"


@lru_cache(256)
def _functions_behind(tests: tuple[Test, ...]) -> tuple[str, dict[FunctionTest, str]]:
    """The functions of tests as source, and the name of each; tests with another set-up than the first are left out."""
    functions = [test for test in dict.fromkeys(tests) if isinstance(test, FunctionTest)]
    setup = next((test.setup for test in functions if test.setup), "")
    fitting = [test for test in functions if test.setup in ("", setup)]
    if len(fitting) == 1:
        return fitting[0].function, {fitting[0]: CHECK}
    names = {test: f"{CHECK[:-2]}_{number}__" for number, test in enumerate(fitting, start=1)}
    texts = [function_text("", test.code).replace(CHECK, name, 1) for test, name in names.items()]
    return "\n\n".join([*filter(None, [setup]), *texts]), names
