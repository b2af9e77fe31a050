"""Verifies task files: decomposes the programs, runs them once, then imagines them under each guide."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from cwm_agent import defaults
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.jobs.placement import HERE, Placement
from cwm_agent.oracles.protocol import MarkovView
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.verification.rollout_tally import Observer, RolloutTally, roll
from cwm_agent.verification.step_accuracy import Case, count_steps
from cwm_agent.verification.verify_jobs import VerifiedChunk, VerifyWork, in_order, parts
from envs.domains.evaluation import Evaluator
from envs.execution.decompose.program import decomposed
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import TraceLimits
from tasks import CallTest, FunctionTest, RepairTask, TraceTask, load
from tasks.output.terminal_text import print_text
from tasks.traced_calls import TracedCall, traced_call, traced_task

Rows = Literal["all", "even", "odd"]
Programs = Literal["buggy", "reference"]
"""Which program of a repair task is verified."""
Figures = dict[str, Any]


CHUNK = 8
"""Tasks that a worker verifies together."""


class NothingToVerify(ValueError):
    """A path without a task that the command can verify; the message says what to change."""


def verify_file(
    path: str | Path,
    *,
    oracle: str = defaults.ORACLE,
    view: MarkovView = defaults.VIEW,
    guides: Sequence[str] = (defaults.GUIDE,),
    limit: int | None = None,
    steps: int = defaults.ROLLOUT_STEPS,
    rows: Rows = "all",
    programs: Programs = "buggy",
    show_wrong: int = 0,
    observer: Observer | None = None,
    placement: Placement = HERE,
) -> list[Figures]:
    """Return the figures of one file, one entry for each guide."""
    found = VerifiedChunk([RolloutTally(view, parse_guide(guide), steps, observer=observer) for guide in guides])
    tasks = tasks_of(path, rows, programs)
    if placement.is_here:
        with opened(oracle) as (asked, reality, sandbox):
            cases = file_cases(tasks, reality, sandbox, steps, limit=limit)
            count_steps(cases, asked, view, found.counts)
            for tally in found.tallies:
                roll(cases, [tally], asked)
        found.hits, found.asked, found.name = asked.hits, asked.asked, asked.name
    else:
        run = partial(_chunk_cases, steps=steps)
        work = VerifyWork(oracle, view, tuple(guides), steps, run, observes=observer is not None)
        for chunk in in_order(work, parts(limited(tasks, limit), CHUNK), placement):
            found.add(chunk)
    for question, answer in list(found.counts.wrong)[:show_wrong]:
        print_text(f"asked\n{question}\nsaid\n{answer}\n")
    head = {
        "file": str(path),
        "rows": rows,
        "program": programs,
        "oracle": found.name,
        "view": view,
        "remembered": found.hit_rate,
    }
    return [{**head, "guide": tally.guide.name, **asdict(tally.measured(found.counts))} for tally in found.tallies]


LimitedTask = tuple[RepairTask | TraceTask, int | None]
"""A task, and the number of its calls to verify; None for all."""


def limited(tasks: Sequence[RepairTask | TraceTask], limit: int | None) -> list[LimitedTask]:
    """The tasks that hold the first calls of a file, each with the number of its calls."""
    found: list[LimitedTask] = []
    for task in tasks:
        if limit is not None and limit <= 0:
            break
        found.append((task, limit))
        if limit is not None:
            limit -= 1 if isinstance(task, TraceTask) else sum(isinstance(test, CallTest) for test in task.tests)
    return found


def _chunk_cases(chunk: Sequence[LimitedTask], reality: Reality, sandbox: Sandbox, *, steps: int) -> list[Case]:
    return [case for task, limit in chunk for case in file_cases([task], reality, sandbox, steps, limit=limit)]


@contextmanager
def opened(oracle: str) -> Iterator[tuple[CachedOracle, Reality, Sandbox]]:
    """Open an oracle by its name, with an answer cache, and the reality and sandbox that run programs."""
    with Sandbox() as sandbox:
        reality = Reality(sandbox)
        yield CachedOracle(oracle_named(oracle, lambda: reality)), reality, sandbox
        reality.close()


def tasks_of(path: str | Path, rows: Rows, programs: Programs = "buggy") -> list[RepairTask | TraceTask]:
    """Return the tasks of a file that can be verified; `rows` may limit them to even or odd numbers in their id.

    With the programs `reference` a repair task is replaced by its repaired program, and left out if that is unknown.
    """
    loaded = load(path)
    if not loaded.tasks:
        problems = "; ".join(str(problem) for problem in loaded.problems[:3]) or "it holds no task"
        raise NothingToVerify(f"Nothing to verify in {path}: {problems}.")
    chosen = [task for task in loaded.tasks if rows == "all" or _number(task.id) % 2 == (rows == "odd")]
    known = [task for task in chosen if isinstance(task, RepairTask | TraceTask)]
    if programs == "buggy":
        return known
    found = [_repaired(task) for task in known if isinstance(task, TraceTask) or task.reference is not None]
    if not found:
        raise NothingToVerify(f"No task of {path} knows its repaired program. Leave --programs reference out.")
    return found


def _repaired(task: RepairTask | TraceTask) -> RepairTask | TraceTask:
    if isinstance(task, TraceTask):
        return task
    assert task.reference is not None
    return replace(task, source=task.reference)


def _number(task_id: str) -> int:
    digits = re.findall(r"\d+", task_id.partition("#")[0])
    return int(digits[-1]) if digits else 0


def file_cases(
    tasks: Iterable[RepairTask | TraceTask], reality: Reality, sandbox: Sandbox, steps: int, *, limit: int | None
) -> list[Case]:
    """Run the calls of some tasks; those of a repair task have the verdicts of their tests."""
    cases: list[Case] = []
    for task in tasks:
        if limit is not None and len(cases) >= limit:
            break
        if isinstance(task, TraceTask):
            cases.append(real_case(task.id, traced_task(task), reality=reality, steps=steps))
        else:
            marks = Evaluator(task, sandbox).original.marks
            cases += test_cases(task.id, task.source, task, marks, reality=reality, steps=steps)
    return cases[:limit]


def test_cases(
    name: str, source: str, task: RepairTask, marks: Sequence[bool | None], *, reality: Reality, steps: int
) -> Iterator[Case]:
    """Yield the tests of a task that an oracle can imagine, calls and functions, on one of its programs."""
    pairs = zip(task.tests, marks, strict=True)
    tests = [(test, mark) for test, mark in pairs if isinstance(test, CallTest | FunctionTest)]
    for number, (test, mark) in enumerate(tests, start=1):
        call = traced_call(source, task.entry, test, task.tests)
        assert call is not None
        found = real_case(f"{name}#{number}", call, reality=reality, steps=steps)
        yield Case(
            id=found.id,
            program=found.program,
            real=found.real,
            problem=found.problem,
            test=test,
            passes=mark,
            steps=steps,
        )


def real_case(name: str, call: TracedCall, *, reality: Reality, steps: int) -> Case:
    """Decompose and run a program on a call; one that cannot be run is returned with its problem."""
    try:
        program = decomposed(call.source, call.entry)
        limits = TraceLimits(steps=steps)
        return Case(name, program, reality.trace(program, call.arguments, limits, call.world.record()))
    except ExecutionError as error:
        return Case(name, None, None, str(error))
