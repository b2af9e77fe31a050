"""Whole runs as examples of the history view: source and call are the query, all frames after them the answer.

    swap_histories(seed)       swap programs of 2 to 20 commands over 5 to 8 variables, straight and branching
    branching_histories(seed)  swap programs that compare, short ones above all, so that much of the text is decisions
    program_histories(seed)    small general programs, as written and decomposed
    swap_cases(...)            swap programs of one length, for evaluation; training never draws their seeds

The programs run in this process; they are generated here and limited as in `short_runs.py`.
"""

import warnings
from collections.abc import Iterator
from random import Random

from cwm_agent.training.example import HELD_OUT_SEED, Example
from cwm_agent.training.steps import swap_sources
from cwm_agent.training.steps.program_examples import write_program
from cwm_agent.training.steps.short_runs import MAX_DIGITS, MAX_VALUE_TEXT, TooLarge, can_be_stopped, stopped_in_time
from cwm_agent.views.history.byte_marks import answer, question
from cwm_agent.views.history.history_state import standing_after
from envs.domains.permutation_commands import commands_of, place_names
from envs.execution.decompose.program import Program, decomposed, plain
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.tracer.history_recorder import record
from envs.execution.tracer.tracer import TraceLimits

SHORTEST, LONGEST = 2, 20
"""Range of the number of commands of a swap program in training."""
LONGEST_HISTORY = 4000
"""Bytes of an example; with special tokens it fits into a row of 4,096."""
DECOMPOSED = 0.2
"""Share of programs with branches that are decomposed; a straight program is its own decomposition."""
CALLS = 3
"""Calls of one program."""
_STEPS = 150
_LIMITS = TraceLimits(steps=_STEPS, characters=40_000, output=2_000)


def swap_histories(seed: int) -> Iterator[Example]:
    """An infinite stream of histories of swap programs."""
    rng = Random(seed)
    while True:
        items = rng.randint(5, 8)
        form, source = swap_program(rng, rng.randint(SHORTEST, LONGEST), items)
        level = "decomposed" if form != "straight" and rng.random() < DECOMPOSED else "plain"
        program = (decomposed if level == "decomposed" else plain)(source, "f")
        yield from _calls(program, rng, items, f"swaps {form} {level}")


def branching_histories(seed: int) -> Iterator[Example]:
    """An infinite stream of histories of swap programs with comparisons, of 1 to 20 commands over 2 to 8 variables."""
    rng = Random(seed)
    while True:
        items, commands = rng.randint(2, 8), min(rng.randint(1, LONGEST) for _ in range(2))
        write = swap_sources.mixed if items > 2 and rng.random() < 0.15 else swap_sources.branching
        source = write(rng, commands, items)[0]
        if rng.random() < 0.4:
            source = plan_source(rng, commands, items, conditional=True)
        level = "decomposed" if rng.random() < DECOMPOSED else "plain"
        yield from _calls(
            (decomposed if level == "decomposed" else plain)(source, "f"), rng, items, f"branching {level}"
        )


def _calls(program: Program, rng: Random, items: int, kind: str) -> Iterator[Example]:
    for _ in range(CALLS):
        example = history_example(program, record(program, swap_sources.values(rng, items), _LIMITS), kind)
        if example is not None:
            yield example


def swap_program(rng: Random, commands: int, items: int) -> tuple[str, str]:
    """The form of a random swap program, and its source."""
    form = rng.choices(("straight", "branching", "mixed"), (6, 3, 1))[0]
    if form == "mixed" or rng.random() < 0.4:
        write = {"straight": swap_sources.straight, "branching": swap_sources.branching, "mixed": swap_sources.mixed}[
            form
        ]
        return form, write(rng, commands, items)[0]
    return form, plan_source(rng, commands, items, conditional=form == "branching")


def plan_source(rng: Random, commands: int, items: int, *, conditional: bool, generators: str | None = None) -> str:
    """A random plan, written as the permutation environment writes it."""
    names = place_names(items)
    generators = generators or rng.choice(("swaps", "swaps", "swaps", "adjacent", "reversals"))
    chosen = rng.choices(commands_of(items, generators, conditional=conditional), k=commands)
    body = [f"    {line}" for command in chosen for line in command.lines(names)]
    shown = ", ".join(names)
    return "\n".join([f"def f({shown}):", *body, f"    return {shown}"]) + "\n"


def history_example(program: Program, found: History, kind: str) -> Example | None:
    """A whole run as an example; None if it was truncated or is too long."""
    if found.outcome.ending == "truncated" or len(found.frames) < 2:
        return None
    query = question(program, found.frames[0])
    frames = answer(found.frames[1:], standing_after(found.frames[:1]))
    return Example(b"", query, frames, kind) if len(query) + len(frames) <= LONGEST_HISTORY else None


def program_histories(seed: int) -> Iterator[Example]:
    """An infinite stream of histories of random small programs, including mutants."""
    seeds = Random(seed)
    while True:
        rng = Random(seeds.getrandbits(64))  # one per program, so that a timeout does not change later programs
        try:
            with stopped_in_time(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a mutant may compare with `is` or call a number
                examples = list(_program_examples(rng))
        except (ExecutionError, SyntaxError, RecursionError, MemoryError, ValueError, TooLarge):
            continue
        yield from examples


def _program_examples(rng: Random) -> Iterator[Example]:
    written = write_program(rng, calls=CALLS)
    if not can_be_stopped(written.source):
        return
    level = "decomposed" if rng.random() < DECOMPOSED else "plain"
    program = (decomposed if level == "decomposed" else plain)(written.source, written.entry)
    for arguments in written.calls:
        frames: list[HistoryFrame] = []

        def keep(frame: HistoryFrame, frames: list[HistoryFrame] = frames) -> None:
            frames.append(frame)
            if _too_large(frame):
                raise TooLarge

        found = record(program, arguments, _LIMITS, keep)
        example = history_example(program, History(tuple(frames), found.outcome), f"program {level}")
        if example is not None:
            yield example


def _too_large(frame: HistoryFrame) -> bool:
    texts = [text for _, text in frame.locals] + [frame.arg or ""]
    return any(len(text) > MAX_VALUE_TEXT or (len(text) > MAX_DIGITS and text.lstrip("-").isdigit()) for text in texts)


def swap_cases(
    swap_count: int, count: int, *, items: int = 5, seed: int = 0, conditional: bool = False
) -> list[tuple[Program, History]]:
    """Held-out swap programs of one length with their real histories."""
    rng = Random(HELD_OUT_SEED + seed)
    cases = []
    for _ in range(count):
        program = plain(plan_source(rng, swap_count, items, conditional=conditional, generators="swaps"), "f")
        arguments = ", ".join(map(str, rng.sample(range(items), items)))
        cases.append((program, record(program, arguments, TraceLimits(steps=2 * swap_count + 10))))
    return cases
