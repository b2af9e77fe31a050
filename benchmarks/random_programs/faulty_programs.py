"""Programs of our own with injected faults, visible tests and hidden ones, each by its number and a seed.

They are made of the templates that the embedded model is trained with; the faults are those that the edit policy learns
to undo.
"""

from collections.abc import Iterator, Sequence
from random import Random

from cwm_agent.training.policy.bug_injection import bugs_of
from cwm_agent.training.policy.policy_examples import with_bugs
from cwm_agent.training.program_writer.inputs import argument
from cwm_agent.training.program_writer.template import FAMILIES, FilledTemplate, fill
from envs.domains.evaluation import Evaluator
from envs.domains.task_tests import sandbox_test
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits
from tasks import BadTask, CallTest, RepairTask

HIDDEN = 24
"""Hidden tests of a program."""
VISIBLE = (1, 1, 2, 2, 3, 3, 4, 5, 6)
"""Numbers of visible tests: people write few."""
BUGS = (1, 1, 1, 1, 2)
"""Numbers of faults in a program."""
LIMITS = SandboxLimits(cpu_s=0.1)
"""Of a call while tests are made."""
LONGEST = 120
"""Characters of the longest result: people write short ones into tests."""


def faulty_program(number: int, seed: int, sandbox: Sandbox) -> RepairTask:
    """The faulty program of a number, at least one of its visible tests failing; the same for the same seed."""
    rng, templates = Random(f"{seed}:{number}"), [each for family in FAMILIES.values() for each in family]
    while True:
        task = _faulty(fill(rng.choice(templates), rng), f"faulty-{number}", rng, sandbox)
        if task is not None:
            return task


def _faulty(program: FilledTemplate, name: str, rng: Random, sandbox: Sandbox) -> RepairTask | None:
    """The program with faults; None where its results are no plain values or no visible test fails."""
    inputs = {", ".join(_arguments(program, rng)) for _ in range(2 * HIDDEN)}
    tests = list(_tests(program, sorted(inputs), sandbox))
    visible = rng.choice(VISIBLE)
    tests.sort(key=lambda test: len(test.arguments))
    shown = set(rng.sample(tests[: len(tests) // 2], min(visible, len(tests) // 2)))  # people write short ones
    tests = [*(test for test in tests if test in shown), *(test for test in tests if test not in shown)]
    source = _with_faults(program.source, rng) if program.source.isascii() else None
    if source is None or len(tests) < visible + HIDDEN // 2 or len({test.expected for test in tests}) < 3:
        return None
    try:
        task = RepairTask(
            name,
            source,
            program.entry,
            tuple(tests[:visible]),
            hidden=tuple(tests[visible : visible + HIDDEN]),
            reference=program.source,
        )
    except BadTask:
        return None
    return None if Evaluator(task, sandbox, limits=LIMITS).original.solved else task


def _arguments(program: FilledTemplate, rng: Random) -> Iterator[str]:
    for kind in program.parameters:
        yield argument(rng, kind.removesuffix("="))


def _tests(program: FilledTemplate, inputs: Sequence[str], sandbox: Sandbox) -> Iterator[CallTest]:
    """A test for each input on which the program returns a short plain value."""
    questions = [sandbox_test(CallTest(each, "None"), program.entry) for each in inputs]
    for at, answer in sandbox.iter_tests(program.source, questions, entry=program.entry, limits=LIMITS):
        if answer.outcome not in ("returned", "raised"):
            return  # a program that does not end: each such call costs the whole limit
        if answer.outcome == "returned" and len(answer.value) <= LONGEST:
            try:
                yield CallTest(inputs[at], answer.value)
            except BadTask:
                continue


def _with_faults(source: str, rng: Random) -> str | None:
    """The program with one or two faults in different places; None where it has no place for them."""
    for _ in range(rng.choice(BUGS)):
        found = bugs_of(source, rng)
        if not found:
            return None
        source = with_bugs(source, [rng.choice(found[rng.choice(sorted(found))])])
        try:
            compile(source, "<faulty>", "exec")
        except (SyntaxError, ValueError):
            return None
    return source
