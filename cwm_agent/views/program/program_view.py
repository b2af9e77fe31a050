"""The program view: the numbered program and the present state; the answer is the next line and its effect.

    f 5 _1 = n in xs       the function and the line about to run
    n=3                    the values it reads, as in the local view; objects behind their labels
    xs=#1[4, 5]
    k=7                    then the other variables
    ->
    6                      the line that runs next, in the same function
    _1=False               the effect, as in `effect_text.py`; an effect that raises names no line

Each line of the program has its jump targets behind it (`12     if _4: ->38`, `jump_targets.py`). The view is Markov,
and a question has constant cost. Rules take calls, returns and handlers, so no question is about these.
"""

import re
from dataclasses import dataclass

from cwm_agent.views.local.effect_text import MalformedAnswer, ShownQuestion, answer_rows, read_effect
from cwm_agent.views.local.value_display import ValueWriter, is_driven, iterator
from cwm_agent.views.local.value_windows import asked_place
from cwm_agent.views.program.jump_targets import jumps
from envs.bounded_cache import MIB, bounded_cache
from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import Unsupported, holds_function, is_supported, label_of

_NUMBER = re.compile(r"[0-9]{1,9}$")
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class ProgramAnswer:
    """An answer: the next line (None if the line raises) and the effect."""

    line: int | None
    effect: Effect


@bounded_cache(8 * MIB, per_character=4)
def context(program: Program) -> str:
    """Return the program as shown: every line with its number and its jump targets, if any."""
    far = jumps(program)
    return "\n".join(f"{number} {line}{far.get(number, '')}" for number, line in enumerate(program.lines, start=1))


def ask(program: Program, frame: Frame) -> ShownQuestion:
    """Return the question what follows a frame."""
    statement = program.lines[frame.line - 1].strip()
    variables = (*frame.globals, *frame.locals)
    loop = statement.startswith("for ")
    turns = label_of(dict(variables).get(statement.rpartition(" in ")[2].rstrip(":"), "")) if loop else None
    driven = turns is not None and is_driven(turns, dict(frame.heap))
    rows, labels = _rows(statement, dict(variables), dict(frame.heap), loop)
    text = "\n".join([f"{frame.function} {frame.line} {statement}", *rows])
    if not is_supported(text):
        raise Unsupported("a value that cannot be written down")
    names = tuple((name, name) for name, _ in variables)
    return ShownQuestion(
        text=text,
        names=names,
        labels=labels,
        context=context(program),
        loop=loop and not driven,
        statement=statement,
        values=variables,
        contents=frame.heap,
    )


def _rows(
    statement: str, variables: dict[str, str], heap: dict[int, str], loop: bool
) -> tuple[list[str], tuple[int, ...]]:
    """Return the state as rows, the names of the line first and in its order, and the labels in order of appearance."""
    writer = ValueWriter(heap, statement, deep=True)
    target, place = asked_place(statement, variables) or ("", None)
    read = [name for name in dict.fromkeys(_WORD.findall(statement)) if name in variables]
    # Nothing of the program can run inside such a line, so the view shows only the names in it.
    alone = not any(map(holds_function, (*variables.values(), *heap.values())))
    rows = []
    for name in read:
        text = variables[name]
        shown = iterator(text, heap) if alone and loop and statement.endswith(f" in {name}:") else text
        rows.append(f"{name}={writer.value(shown, place if name == target else None)}")
    rest = [(name, text) for name, text in variables.items() if name not in read]
    rows += [f"{name}={writer.unread(text, brief=alone)}" for name, text in rest]
    return rows, writer.order


def answer(asked: ShownQuestion, given: ProgramAnswer) -> str:
    """Return an answer as the model should write it."""
    rows = answer_rows(asked, given.effect)
    return "\n".join(rows if given.line is None else [str(given.line), *rows])


def read_answer(asked: ShownQuestion, text: str) -> ProgramAnswer:
    """Return the parsed answer; raise MalformedAnswer with the reason if it cannot be parsed."""
    first, *rows = text.split("\n")
    if _NUMBER.match(first):
        return ProgramAnswer(int(first), read_effect(asked, rows, own_names=True))
    effect = read_effect(asked, [first, *rows], own_names=True)
    if effect.raised is None:
        raise MalformedAnswer("an answer without a next line")
    return ProgramAnswer(None, effect)
