"""The program view: the numbered program and the present state; the answer is the next line and what changed.

    f 5                    the function and the line about to run
    n=3                    its variables, objects behind their labels
    xs=#1[4, 5]
    ->
    6                      the line that runs next, in the same function
    _1=True                the effect, as in `answers.py`; an effect that raises says no line

Markov and of constant cost. Calls, returns and handlers are taken by rule, so they are never asked about.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from cwm_agent.views.answers import Asked, MalformedAnswer, effect_rows, read_effect
from cwm_agent.views.showing import ValueWriter
from envs.execution.effects import Effect
from envs.execution.frames import Frame
from envs.execution.program import Program
from envs.execution.values import Unsupported, is_supported

_NUMBER = re.compile(r"[0-9]{1,9}$")


@dataclass(frozen=True, slots=True)
class Said:
    """An answer: where to go (None if the line raises) and what changes."""

    line: int | None
    effect: Effect


@lru_cache(maxsize=1024)
def context(program: Program) -> str:
    """The program as shown: every line with its number."""
    return "\n".join(f"{number} {line}" for number, line in enumerate(program.lines, start=1))


def ask(program: Program, frame: Frame) -> Asked:
    """The question what follows a frame."""
    writer = ValueWriter(dict(frame.heap))
    variables = (*frame.globals, *frame.locals)
    rows = [f"{name}={writer.value(text)}" for name, text in variables]
    text = "\n".join([f"{frame.function} {frame.line}", *rows])
    if not is_supported(text):
        raise Unsupported("a value that cannot be written down")
    statement = program.lines[frame.line - 1].strip()
    names = tuple((name, name) for name, _ in variables)
    loop = statement.startswith("for ")
    return Asked(text, names, writer.order, context(program), loop, statement, variables, frame.heap)


def answer(asked: Asked, said: Said) -> str:
    """An answer as the model should say it."""
    rows = effect_rows(asked, said.effect)
    return "\n".join(rows if said.line is None else [str(said.line), *rows])


def said(asked: Asked, text: str) -> Said:
    """What an answer says; MalformedAnswer with the reason where it says nothing."""
    first, *rows = text.split("\n")
    if _NUMBER.match(first):
        return Said(int(first), read_effect(asked, rows, own_names=True))
    effect = read_effect(asked, [first, *rows], own_names=True)
    if effect.raised is None:
        raise MalformedAnswer("an answer without a next line")
    return Said(None, effect)
