"""Random programs and their examples: they run, their labels are real, and the seed fixes them."""

import ast
from collections import Counter
from collections.abc import Callable
from itertools import islice, pairwise
from random import Random

import pytest
from rerun_steps import program_examples

from cwm_agent.training.example import Example, Source
from cwm_agent.training.program_writer import inputs
from cwm_agent.training.program_writer.function_writer import compose
from cwm_agent.training.program_writer.template import FAMILIES, fill
from cwm_agent.training.steps.program_examples import (
    held_out_tasks,
    local_steps,
    mutant_tasks,
    program_steps,
    write_program,
)
from cwm_agent.training.steps.program_mutants import edited, mutated
from cwm_agent.training.steps.short_runs import TooLarge, run_steps, stopped_in_time
from cwm_agent.training.steps.swap_sources import branching, mixed, straight, swap_steps, swap_tasks
from cwm_agent.training.steps.trace_examples import Examiner
from envs.editing.edit_generation import uncompiled_edits
from envs.execution.decompose.program import decomposed

Writer = Callable[[Random, int, int], tuple[str, list[str]]]
Maker = Callable[[int], list[dict[str, str]]]
SOURCES = [local_steps, program_steps, swap_steps]


@pytest.mark.parametrize("source", SOURCES)
def test_a_seed_fixes_the_examples(source: Source) -> None:
    """The same seed gives the same examples, another seed gives others."""
    first, again, other = (list(islice(source(seed), 60)) for seed in (11, 11, 12))
    assert first == again
    assert first != other


def test_local_examples_have_different_queries_and_are_short() -> None:
    examples = list(islice(local_steps(3), 400))
    assert len({example.query for example in examples}) == len(examples)
    assert max(len(example.query) + len(example.answer) for example in examples) <= 700
    assert all(example.context == b"" for example in examples)


def test_no_construct_dominates_the_others() -> None:
    """The commonest kind is a small part of the local examples, and there are many kinds."""
    counts = Counter(example.kind for example in islice(local_steps(4), 800))
    assert counts.most_common(1)[0][1] < 0.2 * 800
    assert len(counts) > 60


def test_examples_of_one_program_share_one_context_object() -> None:
    """Packing stores a context once, so it must be the same object from step to step."""
    examples = list(islice(program_steps(5), 200))
    switches = sum(one.context is not two.context for one, two in pairwise(examples))
    assert switches + 1 == len({example.context for example in examples})
    assert all(len(example.context) <= 1500 for example in examples)


@pytest.mark.parametrize("seed", range(6))
def test_effects_from_the_trace_equal_those_of_running_the_line_again(seed: int) -> None:
    """Two independent ways to label a step agree, byte for byte."""
    checked = 0
    rng = Random(seed)
    for _ in range(4):
        written = write_program(rng, calls=1)
        examiner = Examiner(decomposed(written.source, written.entry))
        run = run_steps(examiner, written.calls[0], 90)
        if run is None or not run.ended:
            continue
        expected = [(view, one) for view, one in program_examples(examiner.program, written.calls[0], "", steps=90)]
        answers = {(view, one.query): one.answer for view, one in expected}
        for step in run.steps:
            for view, example in (("local", examiner.local_example(step)), ("program", examiner.program_example(step))):
                if example is not None and (view, example.query) in answers:
                    assert example.answer == answers[view, example.query], written.source
                    checked += 1
    assert checked


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_each_template_gives_programs_that_compile(family: str) -> None:
    """With any filling of its slots, a template compiles, and its parameters have inputs."""
    for template in FAMILIES[family]:
        for seed in range(5):
            program = fill(template, Random(seed))
            compile(program.source, "<template>", "exec")
            assert f"def {program.entry}(" in program.source
            assert all(kind.rstrip("=") in inputs.MAKERS for kind in program.parameters)


def test_composed_functions_compile() -> None:
    for seed in range(150):
        program = compose(Random(seed))
        assert compile(program.source, "<composed>", "exec").co_consts


def test_mutants_differ_from_their_program_most_of_the_time() -> None:
    """One change leaves a program that parses; some changes (a reordered sum) may cancel out in the text."""
    changed = 0
    for seed in range(60):
        source = compose(Random(seed)).source
        mutant = mutated(source, Random(seed))
        ast.parse(mutant)
        changed += ast.dump(ast.parse(mutant)) != ast.dump(ast.parse(source))
    assert changed > 45


def test_some_mutants_are_edits_of_the_repair_agent() -> None:
    """Each is an edit of the program, or a mutation where an edit might not terminate."""
    changed = 0
    for seed in range(12):
        source = compose(Random(seed)).source
        found = edited(source, Random(seed))
        assert found == edited(source, Random(seed))
        if "**" not in source:
            changed += found in {edit.apply(source) for edit in uncompiled_edits(source)}
    assert changed > 6


def test_an_edit_never_adds_a_power() -> None:
    source = "def f(a, b):\n    return a * b\n"
    assert any("**" in edit.after for edit in uncompiled_edits(source))
    assert not [seed for seed in range(60) if "**" in edited(source, Random(seed))]


@pytest.mark.parametrize("source", [
    pytest.param("def f(n):\n    while True:\n        n += 1\n    return n\n", id="non-terminating"),
    pytest.param("def f(n):\n    s = 'ab'\n    while True:\n        s = s * 50\n    return s\n", id="growing string"),
    pytest.param("def f(n):\n    x = 9\n    while True:\n        x = x * x\n    return x\n", id="growing number"),
    pytest.param("def f(n):\n    xs = [1]\n    while n:\n        xs = xs + xs\n    return xs\n", id="growing list"),
    pytest.param("def f(n):\n    return f(n + 1)\n", id="infinite recursion"),
])  # fmt: skip
def test_runs_that_do_not_terminate_or_grow_are_truncated(source: str) -> None:
    run = run_steps(Examiner(decomposed(source, "f")), "5", 90)
    assert run is not None
    assert not run.ended
    assert len(run.steps) <= 90


@pytest.mark.parametrize("body", [
    pytest.param("while n:\n  try:\n   n += 1\n  except:\n   n = 3", id="catches all"),
    pytest.param("try:\n  n += 1\n finally:\n  while n:\n   n += 1", id="finally loops"),
    pytest.param("try:\n  n += 1\n finally:\n  return n", id="finally returns"),
])  # fmt: skip
def test_programs_that_could_continue_when_stopped_are_not_run(body: str) -> None:
    assert run_steps(Examiner(decomposed(f"def f(n):\n {body}\n", "f")), "5", 90) is None


def test_a_timer_stops_code_that_the_tracer_cannot_stop() -> None:
    def forever() -> None:
        with stopped_in_time(0.05):
            while True:
                pass

    with pytest.raises(TooLarge):
        forever()


@pytest.mark.parametrize("write", [straight, branching, mixed])
def test_swap_programs_only_move_values(write: Writer) -> None:
    """The returned values are a permutation of the arguments."""
    for seed in range(10):
        source, names = write(Random(seed), 12, 5)
        namespace: dict[str, object] = {}
        exec(source, namespace)
        result = namespace["f"](*range(5))  # type: ignore[operator]
        assert sorted(result) == [0, 1, 2, 3, 4]
        assert len(names) == 5


def test_swap_sources_hold_long_programs_and_both_views() -> None:
    examples = list(islice(swap_steps(2), 700))
    assert any(example.context.count(b"\n") > 90 for example in examples)
    assert {bool(example.context) for example in examples} == {True, False}


@pytest.mark.parametrize("make", [held_out_tasks, mutant_tasks])
def test_tasks_end_in_a_value_or_an_exception_and_stay_the_same(make: Maker) -> None:
    tasks = make(5)
    assert tasks == make(5)
    assert len({task["id"] for task in tasks}) == 5
    for task in tasks:
        run = run_steps(Examiner(decomposed(task["code"], task["entry"])), task["input"], 200)
        assert run is not None
        assert run.ended


def test_swap_tasks_have_the_requested_number_of_swaps() -> None:
    (task,) = swap_tasks(64, 1)
    assert task["code"].count(" = ") == 64
    assert task == swap_tasks(64, 1)[0]


def test_sources_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Many processes run them at once, so they must not write to the terminal."""
    examples: list[Example] = list(islice(local_steps(8), 150))
    assert examples
    assert capfd.readouterr() == ("", "")
