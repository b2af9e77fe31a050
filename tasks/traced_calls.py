"""Tests as calls that can be traced: the functions of tests stand behind the program. Runs nothing."""

from dataclasses import dataclass
from functools import lru_cache

from tasks.scripted_world import NO_WORLD, ScriptedWorld
from tasks.task import CHECK, CallTest, FunctionTest, Test, function_text


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
    if isinstance(test, CallTest):
        return TracedCall(source, entry, test.arguments, entry, test.world)
    if not isinstance(test, FunctionTest):
        return None
    text, names = _functions_behind(tests if test in tests else (test,))
    if test not in names:
        text, names = _functions_behind((test,))
    return TracedCall(f"{source.rstrip()}\n\n\n{text}", names[test], "", next(iter(names.values())), test.world)


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
