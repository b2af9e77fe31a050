"""Labelled examples from live Python: one line run on real values, or every step of a traced program.

The same rendering, views and rules as at run time make the text, so training and use cannot drift apart. Runs generated
programs in this process: only for code we made ourselves.
"""

import ast
import contextlib
import copy
import io
import math
import re
import string
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from cwm_agent.training.example import Example
from cwm_agent.views.local import local_view
from cwm_agent.views.local.effect_text import Asked
from cwm_agent.views.program import program_view as program_view
from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame, HeapText
from envs.execution.state.value_grammar import Unsupported, is_supported
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.stepper import Stepper
from envs.execution.syntax.bindings import reads_of, writes_of
from envs.execution.text.canonical_labels import MalformedText
from envs.execution.text.object_renderer import ObjectRenderer
from envs.execution.tracer.tracer import TraceLimits, trace

_SPACE: dict[str, object] = {
    "math": math,
    "string": string,
    "copy": copy,
    **{kind.__name__: kind for kind in (Counter, OrderedDict, defaultdict, deque)},
}
"""What lines may use besides the values they read, as if the program had imported it."""
_CONSTANT = re.compile(r"__([A-Z])\b")
_RENDERER = ObjectRenderer({}, "<line>")


@dataclass(frozen=True, slots=True)
class _Line:
    """A statement taken apart once, for all values it will be run on."""

    code: types.CodeType
    loop: tuple[str, str] | None
    """Target and iterator of a loop's header; its code is not run."""
    reads: tuple[str, ...]
    writes: frozenset[str]
    prints: bool


@lru_cache(maxsize=32_768)
def _line(statement: str) -> _Line:
    header = statement.startswith("for ")
    module = ast.parse(f"{statement} pass" if header else statement)
    node = module.body[0]
    code = compile(module, "<line>", "exec", dont_inherit=True)
    return _Line(code, _header(node), reads_of(node), writes_of(node), "print" in statement)


def _header(node: ast.stmt) -> tuple[str, str] | None:
    if not isinstance(node, ast.For):
        return None
    assert isinstance(node.iter, ast.Name)
    assert isinstance(node.target, ast.Name)
    return node.target.id, node.iter.id


def line_example(
    statement: str,
    values: dict[str, object],
    kind: str,
    most: int = 1024,
    constants: Mapping[str, object] | None = None,
) -> Example | None:
    """A local-view example: the statement run on these values; None where it cannot be written down or is too long.

    `values` are the names the statement reads; a loop header `for x in it:` reads its iterator. They are changed.
    `constants` are plain values for the names `__A`, `__B`, ... in the statement, which then shows them written out:
    the same example as if they stood there, but the statement is compiled once for all of them.
    """
    line = _line(statement)
    renderer = _RENDERER
    renderer.adopt(())
    rows, _, heap = renderer.render([values])
    before = dict(rows[0])
    reads = tuple([(name, before[name]) for name in line.reads if name in before])
    try:
        asked = local_view.ask(Question(statement, 1, "f", reads, heap))
        asked = _with_constants(asked, constants) if constants else asked
        error = _run(line, values, constants or {})
        after, texts, changed = renderer.render([values], [] if error is None else [error])
        written = line.writes if error is None else frozenset[str]()
        answer = local_view.answer(asked, _effect(before, dict(heap), dict(after[0]), changed, texts, written))
    except (Unsupported, MalformedText, KeyError):
        return None
    if len(asked.text) + len(answer) > most or ("?" in answer and not _sayable(answer)):
        return None
    return Example(b"", asked.text.encode(), answer.encode(), kind)


def _with_constants(asked: Asked, constants: Mapping[str, object]) -> Asked:
    """The question as if the constants stood in its line."""
    line = _CONSTANT.sub(lambda match: repr(constants[match[0]]), asked.statement)
    return replace(asked, text=line + asked.text[len(asked.statement) :], statement=line)


def _sayable(answer: str) -> bool:
    return is_supported(answer)


def _run(line: _Line, values: dict[str, object], constants: Mapping[str, object]) -> BaseException | None:
    quiet = contextlib.redirect_stdout(io.StringIO()) if line.prints else contextlib.nullcontext()
    values.update(constants)
    try:
        with quiet:
            if line.loop is None:
                exec(line.code, _SPACE, values)
            else:
                target, iterator = line.loop
                values[target] = next(values[iterator])  # type: ignore[call-overload]
    except Exception as error:
        return error.with_traceback(None)
    finally:
        for name in constants:
            del values[name]
    return None


def _effect(
    before: dict[str, str],
    heap: dict[int, str],
    after: dict[str, str],
    changed: HeapText,
    raised: list[str],
    written: frozenset[str],
) -> Effect:
    return Effect(
        tuple((name, text) for name, text in after.items() if name in written or before.get(name) != text),
        tuple(name for name in before if name not in after),
        tuple((label, text) for label, text in changed if heap.get(label) != text),
        raised[0] if raised else None,
    )


def program_examples(program: Program, arguments: str, kind: str, steps: int = 200) -> Iterator[tuple[str, Example]]:
    """Examples of both Markov views from a real run, as (view, example), for every step asked about."""
    stepper, statements = Stepper(program), ExactEffects(program)
    shown = program_view.context(program).encode()
    frames = trace(program, arguments, TraceLimits(steps=steps)).frames
    for frame, following in pairwise(frames):
        if frame.event != "line":
            continue
        try:
            yield from _step_examples(stepper, statements, frame, following, shown, kind)
        except (Unsupported, MalformedText):
            continue


def _step_examples(
    stepper: Stepper, statements: ExactEffects, frame: Frame, following: Frame, shown: bytes, kind: str
) -> Iterator[tuple[str, Example]]:
    question = stepper.ask(frame)
    effect = Effect()
    if isinstance(question, Question):
        floor = max((label for label, _ in frame.heap), default=0)
        effect = statements.effect(question, floor)
        if not question.globals:
            asked = local_view.ask(question)
            yield "local", Example(b"", asked.text.encode(), local_view.answer(asked, effect).encode(), kind)
    if following.event in ("line", "exception") and following.depth == frame.depth:
        asked = program_view.ask(stepper.program, frame)
        line = None if following.event == "exception" else following.line
        if line is None and effect.raised is None:
            return  # raised by rule
        said = program_view.answer(asked, program_view.Said(line, effect))
        yield "program", Example(shown, asked.text.encode(), said.encode(), kind)
