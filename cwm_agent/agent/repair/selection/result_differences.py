"""Results of programs on inputs that no test has, and the shortest input on which two programs differ.

The inputs are those of the tests with changes that keep every type, and others where the settings ask for them. Two
programs differ where both return and a test of the task's kind would tell their results apart, or where one returns and
the other raises.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from envs.domains.inputs.argument_types import ArgumentTypes
from envs.domains.inputs.function_variation import varied_functions
from envs.domains.inputs.input_variation import varied_inputs
from envs.domains.inputs.typed_inputs import typed_inputs
from envs.domains.task_tests import sandbox_test
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits
from tasks.comparison import EQUAL, Comparison
from tasks.errors import BadTask
from tasks.task import CallTest, CodeTest, FunctionTest, RepairTask

INPUTS = 64
"""Inputs that programs are compared on."""
MOST_STOPPED = 3
"""Calls that a limit stopped after which the others are not run: each of them costs the whole limit."""
LONGEST_SHOWN = 200
"""Characters of a result that are kept for a report."""


@dataclass(frozen=True, slots=True)
class CallEnd:
    """How one call really ended."""

    ending: str
    """`returned`, `raised`, or the limit that stopped it."""
    value: str

    def __str__(self) -> str:
        shown = self.value if len(self.value) <= LONGEST_SHOWN else self.value[:LONGEST_SHOWN] + "..."
        return shown if self.ending == "returned" else f"{self.ending} {shown}".strip()


@dataclass(frozen=True, slots=True)
class ResultDifference:
    """The shortest input on which a patch differs from another one that passes all tests."""

    arguments: str
    """Of the call of the entry; empty where the input is the body of a function."""
    result: str
    """Of the patch that was chosen."""
    other_result: str
    other_patch: tuple[str, ...] = ()
    code: str = ""
    """The body of a function that returns the result, where the tests build objects or take several steps."""


@dataclass(frozen=True, slots=True)
class VariedCalls:
    """Calls of a task's entry with varied arguments, and its tests of several steps with varied constants."""

    entry: str
    inputs: tuple[str, ...] = ()
    """Argument texts, the shortest first."""
    comparison: Comparison = EQUAL
    functions: tuple[FunctionTest, ...] = ()
    """Tests of several steps, the shortest first; what they expect says nothing."""

    @classmethod
    def of_task(cls, task: RepairTask, seed: int, *, types: ArgumentTypes = (), count: int = INPUTS) -> "VariedCalls":
        """The calls that the visible tests of a task allow; none where they have no plain arguments.

        With `types`, as many calls again with arguments of these types.
        """
        seen = [test for test in task.tests if not isinstance(test, CodeTest)]
        comparison = next((test.comparison for test in seen if test.comparison.kind != "truth"), EQUAL)
        functions = [test for test in seen if isinstance(test, FunctionTest)]
        return cls(
            task.entry, comparison=comparison, functions=varied_functions(functions, Random(seed), count)
        ).extended([*varied_inputs(seen, Random(seed), count), *typed_inputs(types, count, seed)])

    @property
    def questions(self) -> tuple[CallTest | FunctionTest, ...]:
        """All calls as tests, whose expected results say nothing."""
        return (*(CallTest(each, "None", self.comparison) for each in self.inputs), *self.functions)

    def extended(self, inputs: Iterable[str]) -> "VariedCalls":
        """These calls and others, the shortest first."""
        return replace(self, inputs=tuple(sorted({*self.inputs, *inputs}, key=lambda text: (len(text), text))))

    def ends(self, source: str, sandbox: Sandbox, limits: SandboxLimits) -> tuple[CallEnd, ...]:
        """How each call of a program ends, in the sandbox: one real execution."""
        checks = [sandbox_test(each, self.entry) for each in self.questions]
        found = [CallEnd("not run", "")] * len(checks)
        stopped = 0
        for number, verdict in sandbox.iter_tests(source, checks, entry=self.entry, limits=limits):
            found[number] = CallEnd(verdict.outcome, verdict.value)
            stopped += verdict.outcome not in ("returned", "raised")
            if stopped == MOST_STOPPED:
                break
        return tuple(found)

    def difference(
        self, ends: Sequence[CallEnd], others: Sequence[CallEnd], other_patch: tuple[str, ...] = ()
    ) -> ResultDifference | None:
        """The shortest input on which two programs differ, one on which both return if there is any; None for none."""
        pairs = list(zip(self.questions, ends, others, strict=True))
        for both_return in (True, False):
            for test, one, other in pairs:
                if _both_return(one, other) == both_return and not self.same(one, other):
                    arguments, code = (test.arguments, "") if isinstance(test, CallTest) else ("", test.code)
                    return ResultDifference(arguments, str(one), str(other), other_patch, code=code)
        return None

    def same(self, one: CallEnd, other: CallEnd) -> bool:
        """Whether two ends of a call count as the same; what a limit stopped is the same as anything."""
        if _both_return(one, other):
            return one.value == other.value or self._accepts(one.value, other.value)
        return "returned" not in (one.ending, other.ending) or {one.ending, other.ending} != {"returned", "raised"}

    def _accepts(self, value: str, other: str) -> bool:
        try:
            return CallTest("", value, self.comparison).accepts_text(other)
        except BadTask:  # no plain value, such as an object or a function: its text says nothing
            return True


def _both_return(one: CallEnd, other: CallEnd) -> bool:
    return one.ending == other.ending == "returned"
