"""Formats a walk: one line of text per step, and an episode as JSON. Changes nothing.

Texts of the program and of the model are shown by `visible_line`: the lines have colours of our own and are printed as
they are.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cwm_agent.debugger.step_position import Difference, StepPosition
from cwm_agent.debugger.step_walk import Walk
from envs.execution.state.frames import Outcome
from tasks.output.terminal_text import visible_line

_COLOURS = {"dim": "2", "bold": "1", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
VERSION = 1
SHOWN_CHARACTERS = 80
"""Most characters of a value in a line; `print` shows the whole value."""
SHOWN_STEPS = 40
"""Steps that `real` shows before a divergence or before the end; `real all` shows all."""


class Paint:
    """Adds terminal colours to text, where switched on."""

    def __init__(self, on: bool) -> None:
        self._on = on

    def __call__(self, text: str, colour: str) -> str:
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self._on else text


def here(walk: Walk, paint: Paint) -> str:
    """The current step, or how the run ended."""
    if walk.problem:
        return paint(f"imagination stopped: {visible_line(walk.problem)}", "red")
    if walk.outcome is not None:
        return paint(ended(walk.outcome), "bold")
    return row(len(walk.frames) - 1, walk.place, walk.marks[-1], paint)


def row(step: int, place: StepPosition, mark: str, paint: Paint) -> str:
    """One step as text: number, event, line, next operation, variables and origin."""
    head = f"{step:4d} {place.event:9s} {'line ' + str(place.line) if place.line else 'no line':>9s}  "
    value = f" -> {_cut(place.arg)}" if place.arg is not None else ""
    rows = "  ".join(f"{visible_line(name)}={_cut(text)}" for name, text in place.locals)
    code = "  " * (place.depth - 1) + visible_line(place.text.strip())
    return f"{paint(head, 'dim')}{paint(code, 'cyan')}{value}   {rows}  {paint(f'[{mark}]', 'dim')}".rstrip()


def _cut(value: str) -> str:
    value = visible_line(value)
    return value if len(value) <= SHOWN_CHARACTERS else f"{value[: SHOWN_CHARACTERS - 3]}..."


def ended(outcome: Outcome) -> str:
    """An outcome as text."""
    return visible_line(f"over: {outcome.ending} {outcome.value}".rstrip())


def variables(place: StepPosition, names: Sequence[str]) -> list[str]:
    """The named variables, or all of them, one per line."""
    known = dict(place.locals) | (dict(place.hidden) if names else {})
    if not names:
        lines = [f"{name} = {value}" for name, value in place.locals] or ["no variables here"]
    else:
        lines = [f"{name} = {known[name]}" if name in known else f"{name} has no value here" for name in names]
    return [visible_line(line) for line in lines]


def source(walk: Walk, written: Sequence[str], paint: Paint) -> list[str]:
    """The program as the user wrote it, with marks at the current line and the breakpoints."""
    line = walk.place.line
    return [
        f"{'*' if number in walk.breakpoints else ' '}{'>' if number == line else ' '}{number:4d}  "
        + paint(visible_line(text), "bold" if number == line else "dim")
        for number, text in enumerate(written, start=1)
    ]


def beside(
    walk: Walk,
    real: Sequence[Any],
    outcome: Outcome,
    *,
    difference: Difference | None,
    paint: Paint,
    whole: bool = False,
) -> list[str]:
    """Imagined and real steps, with a mark at the first difference; without `whole` only the steps around it."""
    middle = len(walk.frames) if difference is None else difference.step
    first = 0 if whole else max(0, middle - SHOWN_STEPS)
    last = len(walk.frames) if whole else middle + SHOWN_STEPS // 4
    lines = [paint(f" ... {first} steps equal to the real run; `real all` shows them", "dim")] if first else []
    for step, frame in enumerate(walk.frames[:last]):
        if step < first:
            continue
        differs = difference is not None and step == difference.step
        sign = "!" if differs else " "
        lines.append(sign + row(step, walk.world.place(frame), walk.marks[step], paint))
        if difference is not None and step >= difference.step and step < len(real):
            lines.append(paint(sign + row(step, walk.world.place(real[step]), "real", Paint(False)), "yellow"))
        if differs and difference is not None:
            kind = f"{difference.kind}: {visible_line(difference.detail)}" if difference.detail else difference.kind
            lines.append(paint(f"     ^ first divergence, step {difference.step} ({kind})", "red"))
    if last < len(walk.frames):
        lines.append(paint(f" ... {len(walk.frames) - last} more steps", "dim"))
    lines.append(f" the real run is {ended(outcome)} after {len(real)} frames; {len(walk.frames)} imagined")
    if difference is None:
        lines.append(_agreement(walk, outcome, paint))
    return lines


def _agreement(walk: Walk, outcome: Outcome, paint: Paint) -> str:
    if walk.outcome is not None and walk.outcome != outcome:
        return paint(f" first divergence at the outcome: imagined {ended(walk.outcome)}", "red")
    return paint(" no divergence so far", "green")


def episode(walk: Walk, about: dict[str, Any], difference: Difference | None, *, compared: bool) -> dict[str, Any]:
    """All steps of the walk, for a JSON file."""
    return {
        "version": VERSION,
        "kind": "debug",
        **about,
        "steps": [
            {"mark": mark, **asdict(walk.world.place(frame))}
            for frame, mark in zip(walk.frames, walk.marks, strict=True)
        ],
        "outcome": None if walk.outcome is None else asdict(walk.outcome),
        "problem": walk.problem,
        "tokens": walk.tokens,
        "compared_with_reality": compared,
        "divergence": None if difference is None else asdict(difference),
    }
