"""Training examples from random small programs that are really run: functions, several inputs each, and mutants.

    local_steps(seed)      single lines with the values they read, as programs come by them
    program_steps(seed)    steps of one program after another, with its numbered source as their context
    held_out_tasks(...)    programs with inputs for `verify`, from seeds that training never draws

What a program looks like is decided in `writing/` and `program_mutants.py`; here they are run within limits, and what
teaches is kept.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

from cwm_agent.training.example import HELD_OUT_SEED, Example
from cwm_agent.training.program_writer import inputs
from cwm_agent.training.program_writer.function_writer import compose
from cwm_agent.training.program_writer.template import FilledTemplate, fill
from cwm_agent.training.program_writer.templates import FAMILIES
from cwm_agent.training.steps.line_constructs import TRIVIAL
from cwm_agent.training.steps.program_mutants import edited, mutated
from cwm_agent.training.steps.short_runs import TooLarge, run_steps, stopped_in_time
from cwm_agent.training.steps.trace_examples import Examiner, TracedStep
from envs.execution.decompose.decomposition import DecomposeError
from envs.execution.decompose.program import decomposed
from envs.execution.state.value_grammar import ExecutionError

MUTANTS = 0.42
COMPOSED = 0.5
"""Shares of the programs that are changed by mutation, and that are composed freely rather than from a template."""
EDITED = 0.5
"""Share of the changes that repair would try itself."""
RAISING_KEPT = 0.3
"""Share kept of the runs of sound programs that end in an exception; of mutants all are kept."""
COMMON_KEPT = 0.25
"""Share kept of the steps of kinds that abound."""
MOST_STEPS = 50
"""Steps of one program that the local view is given, so that long runs do not drown short ones."""
REMEMBERED = 100_000
"""Questions remembered, so that none is given twice within about so many."""
LONGEST = 700
"""Bytes of question and answer together beyond which a step is left out."""
_FAMILY_WEIGHTS = {
    "numbers": 4,
    "strings": 5,
    "sequences": 6,
    "mappings": 3,
    "control": 4,
    "recursion": 2,
    "grids": 2,
    "tables": 3,
}


@dataclass(frozen=True, slots=True)
class WrittenProgram:
    """A random program ready to be run."""

    source: str
    entry: str
    calls: tuple[str, ...]
    """Arguments as source, one row a call."""
    mutant: bool


def write_program(rng: Random, calls: int = 5) -> WrittenProgram:
    """A random program with arguments for a few calls; SyntaxError where a mutation broke it."""
    draft = _draft(rng)
    mutant = rng.random() < MUTANTS
    if mutant:
        draft = replace(draft, source=_changed(draft.source, rng))
    return WrittenProgram(draft.source, draft.entry, tuple(_arguments(draft, rng) for _ in range(calls)), mutant)


def _changed(source: str, rng: Random) -> str:
    return edited(source, rng) if rng.random() < EDITED else mutated(source, rng, rng.choice((1, 1, 1, 2)))


def _draft(rng: Random) -> FilledTemplate:
    if rng.random() < COMPOSED:
        return compose(rng)
    family = rng.choices(list(_FAMILY_WEIGHTS), list(_FAMILY_WEIGHTS.values()))[0]
    return fill(rng.choice(FAMILIES[family]), rng)


def _arguments(draft: FilledTemplate, rng: Random) -> str:
    """Arguments for one call; parameters with a default are left out now and then."""
    given: list[str] = []
    for kind in draft.parameters:
        if kind.endswith("=") and rng.random() < 0.5:
            break
        given.append(inputs.argument(rng, kind.rstrip("=")))
    return ", ".join(given)


def local_steps(seed: int) -> Iterator[Example]:
    """Local-view examples from programs without end; common shapes and questions asked before are thinned out."""
    counts: Counter[str] = Counter()
    known: set[bytes] = set()
    for rng, _, examiner, runs in _examined(seed):
        if len(known) > REMEMBERED:
            known.clear()
        for step in _interleaved(runs, rng)[:MOST_STEPS]:
            if _common(step, counts) and rng.random() > COMMON_KEPT:
                continue
            example = examiner.local_example(step)
            if (
                example is not None
                and example.query not in known
                and len(example.query) + len(example.answer) <= LONGEST
            ):
                known.add(example.query)
                counts[step.kind] += 1
                yield example


def program_steps(seed: int, most: int = 2600) -> Iterator[Example]:
    """Program-view examples without end, those of one program together; programs above `most` bytes are left out."""
    for rng, _, examiner, runs in _examined(seed):
        if len(examiner.shown) > most:
            continue
        steps = [step for run in runs for step in run]
        wanted = rng.randint(20, 60)
        chosen = (
            steps if len(steps) <= wanted else [steps[place] for place in sorted(rng.sample(range(len(steps)), wanted))]
        )
        yield from program_examples(examiner, chosen)


def program_examples(examiner: Examiner, steps: list[TracedStep], most: int = LONGEST) -> Iterator[Example]:
    """Steps in the program view, each question once, all with the same context."""
    seen: set[bytes] = set()
    for step in steps:
        example = examiner.program_example(step)
        if example is not None and example.query not in seen and len(example.query) + len(example.answer) <= most:
            seen.add(example.query)
            yield example


def _examined(seed: int) -> Iterator[tuple[Random, WrittenProgram, Examiner, list[list[TracedStep]]]]:
    """Programs that run, with the steps of their calls; whatever cannot be run is passed over."""
    seeds = Random(seed)
    while True:
        rng = Random(seeds.getrandbits(64))  # its own, so that a program cut by the clock changes nothing after it
        try:
            with stopped_in_time(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a mutant may compare with `is` or call a number
                written = write_program(rng)
                examiner = Examiner(decomposed(written.source, written.entry))
                runs = list(_runs(written, examiner, rng))
        except (ExecutionError, DecomposeError, SyntaxError, RecursionError, MemoryError, ValueError, TooLarge):
            continue
        if runs:
            yield rng, written, examiner, runs


def _runs(written: WrittenProgram, examiner: Examiner, rng: Random) -> Iterator[list[TracedStep]]:
    for arguments in written.calls:
        run = run_steps(examiner, arguments, _limit(rng))
        if run is not None and (not run.raised or written.mutant or rng.random() < RAISING_KEPT):
            yield run.steps


def _limit(rng: Random) -> int:
    """Steps of a run: most programs end long before; endless ones are cut, and tables want long ones."""
    return rng.choices((90, 200, 600), (85, 13, 2))[0]


def _interleaved(runs: list[list[TracedStep]], rng: Random) -> list[TracedStep]:
    steps = [step for run in runs for step in run if not step.by_rule]
    rng.shuffle(steps)
    return steps


def _common(step: TracedStep, counts: Counter[str]) -> bool:
    """Whether examples of its kind abound: always for the plainest, else by what was given so far."""
    return step.kind in TRIVIAL or counts[step.kind] > 20 + 0.03 * counts.total()


def held_out_tasks(count: int, seed: int = 0) -> list[dict[str, str]]:
    """Programs with one call each that returns or raises, for `verify`; training never draws their seeds."""
    return list(_tasks(count, HELD_OUT_SEED + seed, "heldout", lambda written: not written.mutant))


def mutant_tasks(count: int, seed: int = 0) -> list[dict[str, str]]:
    """The same with mutants only."""
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
