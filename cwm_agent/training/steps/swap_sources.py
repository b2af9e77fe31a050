"""Swap programs: the simplest programs whose state must be tracked, of 1 to 200 lines; knows no training run.

    straight     a, b = b, a          one line after another
    branching    if a > b: a, b = b, a
    mixed        both, sometimes with rotations and plain assignments
    moves        for i, j in moves: xs[i], xs[j] = xs[j], xs[i]

The entry is `f`; its arguments are the values. Most values are a permutation of 1..n, some are letters or words.
"""

from collections.abc import Callable, Iterator
from random import Random

from cwm_agent.training.example import HELD_OUT_SEED, Example
from cwm_agent.training.steps.short_runs import run_steps
from cwm_agent.training.steps.trace_examples import Examiner, TracedStep
from envs.execution.decompose.program import decomposed
from envs.execution.state.value_grammar import ExecutionError

LONGEST_PROGRAM = 3600
"""Bytes of numbered source: with one step it fits into a row of 4,096."""
_ALPHABETS = ("abcdefgh", "abcdefgh", "xyzuvwst", "pqrstuvw", "ABCDEFGH")
_WORDS = ("red", "green", "blue", "one", "two", "six", "cat", "dog", "owl", "fox")


def straight(rng: Random, swaps: int, items: int) -> tuple[str, list[str]]:
    """A straight program with that many swaps, and its variables."""
    names = variables(rng, items)
    return _function(names, [_swap(*rng.sample(names, 2)) for _ in range(swaps)], rng), names


def branching(rng: Random, swaps: int, items: int) -> tuple[str, list[str]]:
    """A program of swaps, each under a comparison of the same two variables or others."""
    names = variables(rng, items)
    return _function(names, [line for _ in range(swaps) for line in _guarded(rng, names)], rng), names


def mixed(rng: Random, swaps: int, items: int) -> tuple[str, list[str]]:
    """A program of plain and conditional swaps, rotations of three, and moves through a temporary variable."""
    names = variables(rng, items)
    lines: list[str] = []
    for _ in range(swaps):
        draw = rng.random()
        if draw < 0.5:
            lines.append(_swap(*rng.sample(names, 2)))
        elif draw < 0.75:
            lines += _guarded(rng, names)
        elif draw < 0.9:
            first, second, third = rng.sample(names, 3)
            lines.append(f"{first}, {second}, {third} = {second}, {third}, {first}")
        else:
            first, second = rng.sample(names, 2)
            lines += [f"spare = {first}", f"{first} = {second}", f"{second} = spare"]
    return _function(names, lines, rng), names


def _guarded(rng: Random, names: list[str]) -> list[str]:
    first, second = rng.sample(names, 2)
    left, right = (first, second) if rng.random() < 0.7 else rng.sample(names, 2)
    lines = [f"if {left} {rng.choice('<>>')} {right}:", f"    {_swap(first, second)}"]
    if rng.random() < 0.2:
        lines += ["else:", f"    {_swap(*rng.sample(names, 2))}"]
    return lines


def _swap(first: str, second: str) -> str:
    return f"{first}, {second} = {second}, {first}"


def _function(names: list[str], lines: list[str], rng: Random) -> str:
    shown = ", ".join(names)
    returned = shown if rng.random() < 0.6 else f"[{shown}]"
    return "\n".join([f"def f({shown}):", *(f"    {line}" for line in lines), f"    return {returned}"]) + "\n"


def variables(rng: Random, items: int) -> list[str]:
    """Names of that many variables: letters in order, shuffled, or with numbers."""
    if rng.random() < 0.1:
        return [f"x{number}" for number in range(1, items + 1)]
    alphabet = rng.choice(_ALPHABETS)[:items]
    return list(alphabet) if rng.random() < 0.8 else rng.sample(alphabet, items)


def values(rng: Random, items: int) -> str:
    """Arguments; mostly a permutation."""
    draw = rng.random()
    if draw < 0.7:
        start = rng.choice((0, 1, 1))
        return ", ".join(map(str, rng.sample(range(start, start + items), items)))
    if draw < 0.85:
        return ", ".join(str(rng.randint(0, 99)) for _ in range(items))
    pool = list(_WORDS) if rng.random() < 0.5 else list("abcdefghij")
    return ", ".join(map(repr, rng.sample(pool, items)))


def moves(rng: Random, swaps: int, items: int) -> tuple[str, list[str]]:
    """A loop over a list of moves; the call passes the values as a list and the moves."""
    xs, each = rng.choice(("xs", "items", "state", "arr")), rng.choice(("moves", "swaps", "steps"))
    first, second = rng.choice((("i", "j"), ("a", "b"), ("p", "q")))
    guard = f"        if {xs}[{first}] > {xs}[{second}]:\n    " if rng.random() < 0.4 else ""
    body = f"{guard}        {xs}[{first}], {xs}[{second}] = {xs}[{second}], {xs}[{first}]\n"
    source = f"def f({xs}, {each}):\n    for {first}, {second} in {each}:\n{body}    return {xs}\n"
    return source, [xs, each]


def _move_call(rng: Random, swaps: int, items: int) -> str:
    pairs = [tuple(rng.sample(range(items), 2)) for _ in range(swaps)]
    return f"[{values(rng, items)}], {pairs}"


_FORMS: tuple[tuple[Callable[[Random, int, int], tuple[str, list[str]]], int], ...] = (
    (straight, 5), (branching, 3), (mixed, 2), (moves, 1),
)  # fmt: skip


def swap_count(rng: Random) -> int:
    """A number of commands from 1 to 200, short and long equally often."""
    return rng.choice(
        (rng.randint(1, 12), rng.randint(8, 40), rng.randint(8, 40), rng.randint(30, 100), rng.randint(90, 200))
    )


def swap_steps(seed: int) -> Iterator[Example]:
    """An infinite stream of program-view examples of swap programs, program by program, with some local ones."""
    rng = Random(seed)
    while True:
        try:
            yield from _examples(rng)
        except (ExecutionError, RecursionError, MemoryError, ValueError):
            continue


def _examples(rng: Random) -> Iterator[Example]:
    form = rng.choices([form for form, _ in _FORMS], [weight for _, weight in _FORMS])[0]
    swaps, items = swap_count(rng), rng.randint(3, 8)
    swaps = min(swaps, 16) if form is moves else swaps
    source, _ = form(rng, swaps, items)
    if len(source) > LONGEST_PROGRAM:
        return
    examiner = Examiner(decomposed(source, "f"))
    if len(examiner.context) > LONGEST_PROGRAM:
        return
    calls = [_move_call(rng, swaps, items) if form is moves else values(rng, items) for _ in range(2)]
    steps = [step for call in calls if (run := run_steps(examiner, call, 700)) for step in run.steps]
    wanted = rng.randint(20, 60)
    chosen = (
        steps if len(steps) <= wanted else [steps[place] for place in sorted(rng.sample(range(len(steps)), wanted))]
    )
    found = (_named(examiner.program_example(step), form) for step in chosen)
    yield from (example for example in found if example is not None)
    if rng.random() < 0.2:
        yield from _local(examiner, rng.sample(steps, min(4, len(steps))))


def _named(example: Example | None, form: Callable[..., object]) -> Example | None:
    if example is None:
        return None
    return Example(example.context, example.query, example.answer, f"swaps {form.__name__}: {example.kind}")


def _local(examiner: Examiner, steps: list[TracedStep]) -> Iterator[Example]:
    for step in steps:
        example = examiner.local_example(step)
        if example is not None:
            yield example


def swap_tasks(n_swaps: int, count: int, seed: int = 0, *, items: int = 5) -> list[dict[str, str]]:
    """Straight programs of `n_swaps` swaps with one call each, for `verify`; training never draws their seeds."""
    rng = Random(HELD_OUT_SEED + seed)
    tasks = []
    for number in range(count):
        source, _ = straight(rng, n_swaps, items)
        call = ", ".join(map(str, rng.sample(range(1, items + 1), items)))
        tasks.append({"id": f"swaps{n_swaps}_{seed}_{number}", "code": source, "input": call, "entry": "f"})
    return tasks
