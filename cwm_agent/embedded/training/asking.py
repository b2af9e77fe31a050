"""Labelled examples from live Python: one line run on real values, or every step of a traced program.

The same rendering, views and rules as at run time make the text, so training and use cannot drift apart. Runs generated
programs in this process: only for code we made ourselves.
"""

import ast
import contextlib
import io
from collections.abc import Iterator

from cwm_agent.embedded.training.examples import Example
from cwm_agent.views import local
from cwm_agent.views import program as program_view
from envs.execution.effects import Effect, Question
from envs.execution.frames import Frame, HeapText
from envs.execution.names import reads_of, writes_of
from envs.execution.pages import MalformedText
from envs.execution.program import Program
from envs.execution.rendering import Renderer
from envs.execution.statements import Statements
from envs.execution.stepper import Stepper
from envs.execution.tracer import Limits, trace
from envs.execution.values import Unsupported

_BUILTINS: dict[str, object] = {}


def line_example(statement: str, values: dict[str, object], kind: str, most: int = 1024) -> Example | None:
    """A local-view example: the statement run on these values; None where it cannot be written down or is too long.

    `values` are the names the statement reads; a loop header `for x in it:` reads its iterator. They are changed.
    """
    renderer = Renderer(_BUILTINS, "<line>")
    header = statement.startswith("for ")
    node = ast.parse(f"{statement} pass" if header else statement).body[0]
    reads = [name for name in reads_of(node) if name in values]
    rows, _, heap = renderer.page([values])
    before = dict(rows[0])
    question = Question(statement, 1, "f", tuple((name, before[name]) for name in reads), heap)
    try:
        asked = local.ask(question)
        error = _run(node, values)
        after, texts, changed = renderer.page([values], [] if error is None else [error])
        written = writes_of(node) if error is None else frozenset[str]()
        answer = local.answer(asked, _effect(before, dict(heap), dict(after[0]), changed, texts, written))
    except (Unsupported, MalformedText, KeyError):
        return None
    if "?" in answer and "?" not in asked.text and not _sayable(answer):
        return None
    return Example(b"", asked.text.encode(), answer.encode(), kind) if len(asked.text) + len(answer) <= most else None


def _sayable(answer: str) -> bool:
    return not any("=?" in row or row.startswith("!?") for row in answer.split("\n"))


def _run(node: ast.stmt, values: dict[str, object]) -> BaseException | None:
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            if isinstance(node, ast.For):
                assert isinstance(node.iter, ast.Name)
                assert isinstance(node.target, ast.Name)
                values[node.target.id] = next(values[node.iter.id])  # type: ignore[call-overload]
            else:
                exec(compile(ast.Module([node], []), "<line>", "exec"), {}, values)
        except Exception as error:
            return error.with_traceback(None)
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
    """Examples of both Markov views from a real run: `("local", ...)` and `("program", ...)` for every step asked about."""
    stepper, statements = Stepper(program), Statements(program)
    shown = program_view.context(program).encode()
    frames = trace(program, arguments, Limits(steps=steps)).frames
    for frame, following in zip(frames, frames[1:], strict=False):
        if frame.event != "line":
            continue
        try:
            yield from _step_examples(stepper, statements, frame, following, shown, kind)
        except (Unsupported, MalformedText):
            continue


def _step_examples(
    stepper: Stepper, statements: Statements, frame: Frame, following: Frame, shown: bytes, kind: str
) -> Iterator[tuple[str, Example]]:
    question = stepper.ask(frame)
    effect = Effect()
    if isinstance(question, Question):
        floor = max((label for label, _ in frame.heap), default=0)
        effect = statements.effect(question, floor)
        if not question.globals:
            asked = local.ask(question)
            yield "local", Example(b"", asked.text.encode(), local.answer(asked, effect).encode(), kind)
    if following.event in ("line", "exception") and following.depth == frame.depth:
        asked = program_view.ask(stepper.program, frame)
        line = None if following.event == "exception" else following.line
        if line is None and effect.raised is None:
            return  # raised by rule
        said = program_view.answer(asked, program_view.Said(line, effect))
        yield "program", Example(shown, asked.text.encode(), said.encode(), kind)
