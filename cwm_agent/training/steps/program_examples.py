"""Examples from random small programs that really run: functions with several inputs each, and mutants of them.

    local_steps(seed)             single lines with the values they read, as they occur in programs
    program_steps(seed)           steps of one program after another, with its numbered source as their context
    object_steps(seed)            the same two of programs with classes, generators and library values
    object_program_steps(seed)
    deep_steps(seed)              single lines 300 to 2,000 steps deep into a run over long inputs
    held_out_tasks(...)           programs with inputs for `verify`, from seeds that training never draws

`program_writer/` and `program_mutants.py` decide what a program looks like; this module runs programs within limits and
chooses the steps to learn from.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from cwm_agent.training.example import HELD_OUT_SEED, Example
from cwm_agent.training.program_writer import inputs
from cwm_agent.training.program_writer.function_writer import compose
from cwm_agent.training.program_writer.template import (
    CLASSES,
    FAMILIES,
    GENERATORS,
    LIBRARY,
    NESTED,
    FilledTemplate,
    fill,
)
from cwm_agent.training.steps.line_constructs import TRIVIAL
from cwm_agent.training.steps.program_mutants import edited, mutated
from cwm_agent.training.steps.short_runs import TooLarge, run_steps, stopped_in_time
from cwm_agent.training.steps.trace_examples import Examiner, TracedStep
from envs.execution.decompose.decomposition import DecomposeError
from envs.execution.decompose.program import decomposed
from envs.execution.state.value_grammar import ExecutionError

EDITED = 0.5
"""Share of mutations that are edits of the repair agent."""
RAISING_KEPT = 0.3
"""Share of runs that raise and are kept; of mutants all are kept."""
COMMON_KEPT = 0.25
"""Share of steps of very common kinds that are kept."""
MAX_STEPS = 50
MAX_DEEP_STEPS = 400
"""Local-view steps of one program, so that long runs do not dominate; deep runs are rare, and take long to trace."""
MAX_SEEN = 100_000
"""Queries that are stored, so that none is repeated within about that many."""
MAX_BYTES = 700
"""Bytes of query and answer together; longer steps are left out."""
DEEP = 300
DEEPEST = 2_000
"""Steps after which a run is deep, and where it is truncated."""


@dataclass(frozen=True, slots=True)
class ProgramMix:
    """Which programs a source draws."""

    weights: Mapping[str, float]
    """Weight of each family of templates."""
    composed: float = 0.0
    """Share of programs that are composed from idioms, not from a template."""
    mutants: float = 0.42
    """Share of programs that are mutated."""
    long_inputs: bool = False


PLAIN_MIX = ProgramMix(
    {
        "numbers": 4,
        "strings": 5,
        "sequences": 6,
        "mappings": 3,
        "control": 4,
        "recursion": 2,
        "grids": 2,
        "tables": 3,
    },
    composed=0.5,
)
OBJECT_MIX = ProgramMix({name: len(FAMILIES[name]) for name in (*CLASSES, *GENERATORS, *NESTED, *LIBRARY)}, mutants=0.3)
"""Every template of these families equally often."""
DEEP_MIX = ProgramMix({**PLAIN_MIX.weights, **OBJECT_MIX.weights}, composed=0.3, mutants=0.2, long_inputs=True)


@dataclass(frozen=True, slots=True)
class WrittenProgram:
    """A random program with calls."""

    source: str
    entry: str
    calls: tuple[str, ...]
    """Arguments of each call, as source text."""
    mutant: bool


Examined = tuple[Random, WrittenProgram, Examiner, list[list[TracedStep]]]
"""A program with its random numbers, and the steps of each of its calls."""


def write_program(rng: Random, calls: int = 5, mix: ProgramMix = PLAIN_MIX) -> WrittenProgram:
    """A random program with arguments for a few calls; SyntaxError if a mutation broke it."""
    function = _random_function(rng, mix)
    mutant = rng.random() < mix.mutants
    if mutant:
        function = replace(function, source=_mutant(function.source, rng))
    argument = inputs.long_argument if mix.long_inputs else inputs.argument
    arguments = tuple(_arguments(function, rng, argument) for _ in range(calls))
    return WrittenProgram(function.source, function.entry, arguments, mutant)


def _mutant(source: str, rng: Random) -> str:
    return edited(source, rng) if rng.random() < EDITED else mutated(source, rng, rng.choice((1, 1, 1, 2)))


def _random_function(rng: Random, mix: ProgramMix) -> FilledTemplate:
    if mix.composed and rng.random() < mix.composed:
        return compose(rng)
    family = rng.choices(list(mix.weights), list(mix.weights.values()))[0]
    return fill(rng.choice(FAMILIES[family]), rng)


def _arguments(function: FilledTemplate, rng: Random, argument: Callable[[Random, str], str]) -> str:
    """Arguments for one call; parameters with a default are sometimes left out."""
    given: list[str] = []
    for kind in function.parameters:
        if kind.endswith("=") and rng.random() < 0.5:
            break
        given.append(argument(rng, kind.rstrip("=")))
    return ", ".join(given)


def local_steps(seed: int) -> Iterator[Example]:
    """An infinite stream of local-view examples from programs, with fewer common kinds and no recent query twice."""
    return _local_examples(_examined(seed))


def object_steps(seed: int) -> Iterator[Example]:
    """The same from programs with classes, generators and library values."""
    return _local_examples(_examined(seed, OBJECT_MIX), 2 * MAX_STEPS)


def deep_steps(seed: int) -> Iterator[Example]:
    """The same from the steps after the first 300 of runs over long inputs."""
    programs = (
        (rng, written, examiner, [run[DEEP:] for run in runs if len(run) > DEEP])
        for rng, written, examiner, runs in _examined(seed, DEEP_MIX, calls=1)
    )
    return _local_examples(programs, MAX_DEEP_STEPS)


def _local_examples(programs: Iterator[Examined], most: int = MAX_STEPS) -> Iterator[Example]:
    counts: Counter[str] = Counter()
    seen: set[bytes] = set()
    for rng, _, examiner, runs in programs:
        if len(seen) > MAX_SEEN:
            seen.clear()
        for step in _shuffled(runs, rng)[:most]:
            if _common(step, counts) and rng.random() > COMMON_KEPT:
                continue
            example = examiner.local_example(step)
            if (
                example is not None
                and example.query not in seen
                and len(example.query) + len(example.answer) <= MAX_BYTES
            ):
                seen.add(example.query)
                counts[step.kind] += 1
                yield example


def program_steps(seed: int, most: int = 2600) -> Iterator[Example]:
    """An infinite stream of program-view examples, program by program; programs above `most` bytes are left out."""
    return _chosen_steps(_examined(seed), most)


def object_program_steps(seed: int, most: int = 2600) -> Iterator[Example]:
    """The same from programs with classes, generators and library values."""
    return _chosen_steps(_examined(seed, OBJECT_MIX), most)


def _chosen_steps(programs: Iterator[Examined], most: int) -> Iterator[Example]:
    for rng, _, examiner, runs in programs:
        if len(examiner.context) > most:
            continue
        steps = [step for run in runs for step in run]
        wanted = rng.randint(20, 60)
        if len(steps) > wanted:
            steps = [steps[index] for index in sorted(rng.sample(range(len(steps)), wanted))]
        yield from program_examples(examiner, steps)


def program_examples(examiner: Examiner, steps: list[TracedStep], most: int = MAX_BYTES) -> Iterator[Example]:
    """Steps in the program view, each query once, all with the same context."""
    seen: set[bytes] = set()
    for step in steps:
        example = examiner.program_example(step)
        if example is not None and example.query not in seen and len(example.query) + len(example.answer) <= most:
            seen.add(example.query)
            yield example


def _examined(seed: int, mix: ProgramMix = PLAIN_MIX, calls: int = 5) -> Iterator[Examined]:
    """An infinite stream of programs with the steps of their calls; programs that cannot run are skipped."""
    seeds = Random(seed)
    while True:
        rng = Random(seeds.getrandbits(64))  # one per program, so that a timeout does not change later programs
        try:
            with stopped_in_time(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a mutant may compare with `is` or call a number
                written = write_program(rng, calls, mix)
                examiner = Examiner(decomposed(written.source, written.entry))
                runs = list(_runs(written, examiner, rng, DEEPEST if mix.long_inputs else None))
        except (ExecutionError, DecomposeError, SyntaxError, RecursionError, MemoryError, ValueError, TooLarge):
            continue
        if runs:
            yield rng, written, examiner, runs


def _runs(written: WrittenProgram, examiner: Examiner, rng: Random, limit: int | None) -> Iterator[list[TracedStep]]:
    for arguments in written.calls:
        run = run_steps(examiner, arguments, limit or _limit(rng))
        if run is not None and (not run.raised or written.mutant or rng.random() < RAISING_KEPT):
            yield run.steps


def _limit(rng: Random) -> int:
    """Step limit of a run: most programs end early, tables need many steps, non-terminating runs are truncated."""
    return rng.choices((90, 200, 600), (85, 13, 2))[0]


def _shuffled(runs: list[list[TracedStep]], rng: Random) -> list[TracedStep]:
    steps = [step for run in runs for step in run if not step.by_rule]
    rng.shuffle(steps)
    return steps


def _common(step: TracedStep, counts: Counter[str]) -> bool:
    """Whether its kind is common: always for trivial kinds, otherwise by the examples so far."""
    return step.kind in TRIVIAL or counts[step.kind] > 20 + 0.03 * counts.total()


def held_out_tasks(count: int, seed: int = 0) -> list[dict[str, str]]:
    """Programs with one call each that returns or raises, for `verify`; training never draws their seeds."""
    return list(_tasks(count, HELD_OUT_SEED + seed, "heldout", lambda written: not written.mutant))


def mutant_tasks(count: int, seed: int = 0) -> list[dict[str, str]]:
    """Mutants with one call each that returns or raises, for `verify`; training never draws their seeds."""
    return list(_tasks(count, HELD_OUT_SEED + seed, "mutant", lambda written: written.mutant))


def _tasks(count: int, seed: int, name: str, wanted: Callable[[WrittenProgram], bool]) -> Iterator[dict[str, str]]:
    made = 0
    for _, written, examiner, _runs in _examined(seed):
        ended = [arguments for arguments in written.calls if (run := run_steps(examiner, arguments, 200)) and run.ended]
        if not wanted(written) or not ended:
            continue
        yield {
            "id": f"{name}_{seed - HELD_OUT_SEED}_{made}",
            "code": written.source,
            "input": ended[0],
            "entry": written.entry,
        }
        made += 1
        if made == count:
            return
