"""Measures the cost of tracing, and checks that frames are Markov.

    python -m benchmarks.execution [--cruxeval F] [--humanevalfix F] [--json OUT]
    python -m benchmarks.execution --only-check --constructs 2000 --first-seed 100000

Tracing is compared with a bare `sys.settrace` function that takes the repr of every local, on the same decomposed
programs: generated ones, all calls of the dev split of the shipped repair tasks, and the first hundred calls of a
CRUXEval file, in separate tables. The Markov check steps every program from its first frame and compares its frames
with the real trace. Programs run in this process: use trusted data only.
"""

import argparse
import contextlib
import io
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any, TypeVar

from benchmarks.random_programs.construct_programs import construct_arguments, construct_program
from benchmarks.random_programs.object_programs import object_arguments, object_program
from benchmarks.random_programs.operator_programs import operator_arguments, operator_program
from benchmarks.random_programs.program_generator import arguments as random_arguments
from benchmarks.random_programs.program_generator import program as random_program
from envs.execution.decompose.program import FILENAME, Program, decomposed
from envs.execution.state.effects import Question
from envs.execution.state.frames import Outcome, Trace
from envs.execution.state.value_grammar import ExecutionError, Unsupported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.tracer import TraceLimits, evaluated, trace
from tasks import CallTest, RepairTask, Task, TraceTask, load

T = TypeVar("T")
STEPS = 2_000


def calls_of(path: Path) -> Iterator[tuple[str, str, str]]:
    """Source, entry and arguments of every call in a task file; of repair tasks the buggy and the right program."""
    return _calls(load(path).tasks)


def repair_calls() -> Iterator[tuple[str, str, str]]:
    """The same for the shipped repair tasks of the dev split."""
    return _calls(load("repair").of_split("dev").tasks)


def _calls(tasks: Iterable[Task]) -> Iterator[tuple[str, str, str]]:
    for task in tasks:
        if isinstance(task, TraceTask):
            yield task.source, task.entry, task.arguments
        elif isinstance(task, RepairTask):
            calls = [test.arguments for test in task.tests if isinstance(test, CallTest)]
            for source in filter(None, (task.source, task.reference)):
                yield from ((source, task.entry, call) for call in calls)


def generated(count: int, first: int = 0) -> Iterator[tuple[str, str, str]]:
    """Programs of the fuzzing generator, each with its first call."""
    for seed in range(first, first + count):
        yield random_program(seed), "f", random_arguments(seed)[0]


def generated_objects(count: int, first: int = 0) -> Iterator[tuple[str, str, str]]:
    """Programs with classes and generators of their own, each with its call."""
    for seed in range(first, first + count):
        yield object_program(seed), "f", object_arguments(seed)


def generated_constructs(count: int, first: int = 0) -> Iterator[tuple[str, str, str]]:
    """Programs with library values, lazy iterators and the other constructs of docs/constructs.md."""
    for seed in range(first, first + count):
        yield construct_program(seed), "f", construct_arguments(seed)


def generated_operators(count: int, first: int = 0) -> Iterator[tuple[str, str, str]]:
    """Programs whose builtins run operators and functions of the program."""
    for seed in range(first, first + count):
        yield operator_program(seed), "f", operator_arguments(seed)


def markov(program: Program, real: Trace) -> str:
    """`same`, or the reason why stepping diverges from the real trace."""
    stepper, statements = Stepper(program), ExactEffects(program)
    frame = real.frames[0]
    try:
        for expected in [*real.frames[1:], real.outcome]:
            if isinstance(expected, Outcome) and expected.ending == "truncated":
                return "same"
            step = stepper.ask(frame)
            if isinstance(step, Question):
                step = stepper.tell(frame, statements.effect(step, max((label for label, _ in frame.heap), default=0)))
            if step != expected:
                return f"differs after {program.lines[frame.line - 1].strip()[:60]!r}"
            if not isinstance(step, Outcome):
                frame = step
    except Unsupported as error:
        return f"unsupported: {error}"
    return "same"


def check(calls: Iterator[tuple[str, str, str]]) -> dict[str, Any]:
    """Counts of the Markov check over many calls."""
    causes: Counter[str] = Counter()
    for source, entry, arguments in calls:
        try:
            program = decomposed(source, entry)
            real = trace(program, arguments, TraceLimits(steps=STEPS))
        except ExecutionError as error:
            causes[f"not run: {error}"[:80]] += 1
            continue
        causes["too long" if real.outcome.ending == "truncated" else markov(program, real)] += 1
    judged = sum(causes.values()) - causes["too long"]
    return {"calls": judged, "same": causes["same"] / max(1, judged), "causes": dict(causes.most_common())}


def untraced(program: Program, arguments: str) -> None:
    """A run without a trace function: the work that both sides of the timing do besides tracing."""
    namespace = program.namespace()
    values, names = evaluated(arguments, namespace)
    with contextlib.suppress(Exception):
        namespace[program.entry](*values, **names)  # type: ignore[operator]


def bare(program: Program, arguments: str) -> None:
    """A run under a trace function that takes the repr of every local at every event.

    A repr may fail, for example of an object whose `__init__` has not finished. The failure is ignored, since Python
    removes a trace function that raises, and ends the program with its exception.
    """
    namespace = program.namespace()
    values, names = evaluated(arguments, namespace)

    def follow(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != FILENAME:
            return None
        for value in frame.f_locals.values():
            try:
                repr(value)
            except Exception:  # noqa: S110  # see above
                pass
        return follow

    _run_under(follow, lambda: namespace[program.entry](*values, **names), program.entry)  # type: ignore[operator]


def events(program: Program, arguments: str) -> int:
    """The number of events that the bare trace function receives."""
    namespace = program.namespace()
    values, names = evaluated(arguments, namespace)
    seen = 0

    def follow(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal seen
        if frame.f_code.co_filename != FILENAME:
            return None
        seen += 1
        return follow

    _run_under(follow, lambda: namespace[program.entry](*values, **names), program.entry)  # type: ignore[operator]
    return seen


def _run_under(follow: Callable[..., Any], call: Callable[[], object], entry: str) -> None:
    """Make a call under a trace function; raises where the trace function failed."""
    sys.settrace(follow)
    try:
        call()
    except Exception:  # noqa: S110  # programs may raise; only their time matters here
        pass
    finally:
        whole = sys.gettrace() is follow
        sys.settrace(None)
    if not whole:
        raise RuntimeError(f"The bare trace function failed in a call of {entry!r}: it did not see the whole run.")


def timing(calls: Iterable[tuple[str, str, str]], rounds: int = 15) -> dict[str, float]:
    """Seconds of tracing and of the bare trace function, and steps per second; both include `set_up_s`.

    Both sides get the same decomposed program, run its module, evaluate the arguments and make the call. They
    alternate call by call, and the fastest round of each call counts, so that other load on the machine has little
    effect. A trace is complete when tracing ends. `ratio` is of the sums, which a few long calls dominate;
    `ratio_of_a_call` is the median over the calls. Truncated calls are not timed, since the bare function would not
    stop.
    """
    programs = [(decomposed(source, entry), arguments) for source, entry, arguments in calls]
    traces = [trace(program, arguments) for program, arguments in programs]
    programs = [each for each, real in zip(programs, traces, strict=True) if real.outcome.ending != "truncated"]
    steps = sum(len(real) for real in traces if real.outcome.ending != "truncated")
    sides: dict[str, Callable[[Program, str], object]] = {"trace_s": trace, "bare_s": bare, "set_up_s": untraced}
    seconds = dict.fromkeys(sides, 0.0)
    ratios = []
    for program, arguments in programs:
        best = {name: float("inf") for name in sides}
        for _ in range(rounds):
            for name, side in sides.items():
                best[name] = min(best[name], _timed(side, program, arguments))
        seconds = {name: seconds[name] + best[name] for name in sides}
        ratios.append(best["trace_s"] / best["bare_s"])
    ours, plain = seconds["trace_s"], seconds["bare_s"]
    return {
        "calls": len(programs),
        "cut_off": len(traces) - len(programs),
        "steps": steps,
        "bare_events": sum(events(program, arguments) for program, arguments in programs),
        **seconds,
        "ratio": ours / plain,
        "ratio_of_a_call": median(ratios),
        "steps_per_s": steps / ours,
    }


def _timed(run: Callable[[Program, str], object], program: Program, arguments: str) -> float:
    began = time.perf_counter()
    run(program, arguments)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.execution", description=__doc__)
    parser.add_argument("--cruxeval", type=Path)
    parser.add_argument("--humanevalfix", type=Path)
    parser.add_argument("--programs", type=int, default=200, help="generated programs (default 200)")
    parser.add_argument("--objects", type=int, default=200, help="generated programs with classes (default 200)")
    parser.add_argument("--constructs", type=int, default=200, help="generated programs with library values (200)")
    parser.add_argument("--operators", type=int, default=200, help="generated programs with operators (default 200)")
    parser.add_argument("--first-seed", type=int, default=0, help="seed of the first generated program (default 0)")
    parser.add_argument("--only-check", action="store_true", help="check that frames are Markov, and time nothing")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    # Time comes first: what thousands of programs leave behind in this process weighs on both sides, but not alike.
    found: dict[str, Any] = {}
    if not options.only_check:
        found["timing"] = {name: _quietly(timing, calls) for name, calls in _populations(options.cruxeval).items()}
        _print_table(found["timing"])
    found["generated"] = check(generated(options.programs, options.first_seed))
    found["objects"] = check(generated_objects(options.objects, options.first_seed))
    found["constructs"] = check(generated_constructs(options.constructs, options.first_seed))
    found["operators"] = check(generated_operators(options.operators, options.first_seed))
    for name in ("cruxeval", "humanevalfix"):
        if path := getattr(options, name):
            found[name] = check(calls_of(path))
    print(json.dumps(found, indent=2))
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")


def _populations(cruxeval: Path | None) -> dict[str, list[tuple[str, str, str]]]:
    """The calls to time, by origin; of files given by the user only the first ones."""
    found = {"generated": list(generated(40)), "repair_dev": list(repair_calls())}
    if cruxeval:
        found["cruxeval"] = list(calls_of(cruxeval))[:100]
    return found


def _quietly(measure: Callable[[list[tuple[str, str, str]]], T], calls: list[tuple[str, str, str]]) -> T:
    """Discard the output of programs, so that the timing includes no terminal."""
    with contextlib.redirect_stdout(io.StringIO()):
        return measure(calls)


def _print_table(timed: dict[str, dict[str, float]]) -> None:
    print("tracing / bare trace function")
    print(f"{'':12}{'calls':>6}{'steps':>8}{'events':>8}{'sum':>7}{'median':>8}{'steps/s':>9}")
    for name, each in timed.items():
        counts = f"{each['calls']:6.0f}{each['steps']:8.0f}{each['bare_events']:8.0f}"
        print(f"{name:12}{counts}{each['ratio']:7.2f}{each['ratio_of_a_call']:8.2f}{each['steps_per_s']:9.0f}")


if __name__ == "__main__":
    main()
