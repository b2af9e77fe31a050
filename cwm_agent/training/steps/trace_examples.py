"""Examples of the local and the program view from real runs of one program, with effects read from the trace.

A frame and the next one show what a line did, so no line runs twice: that is several times faster than rebuilding the
values of every step. Where two frames do not show it completely (an object or temporary that is gone a line later,
`del`, a module variable), `ExactEffects` runs the line again. Runs programs in this process; for programs from
elsewhere give `reruns=False`, which leaves such steps out.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from cwm_agent.training.example import Example
from cwm_agent.training.steps.line_constructs import ConstructKinds, construct
from cwm_agent.views.local import local_view
from cwm_agent.views.program import program_view as program_view
from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import Unsupported, label_of, references
from envs.execution.stepper.exact_effects import ExactEffects
from envs.execution.stepper.stepper import Stepper
from envs.execution.syntax.bindings import writes_of
from envs.execution.syntax.line_map import Node
from envs.execution.text.canonical_labels import MalformedText
from envs.execution.text.generator_text import HeldGenerator

_PURE_CALLS = frozenset(
    "len sorted sum min max list tuple set dict str repr any all enumerate zip range reversed iter abs bool isinstance "
    "join copy count index "
    "get keys values items split map filter frozenset format fromkeys union intersection difference issubset".split()
)
"""Calls that change no list, dict or set."""
_PURE = (
    ast.BinOp,
    ast.Compare,
    ast.Subscript,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.UnaryOp,
    ast.JoinedStr,
    ast.Name,
)
_STAND_IN = HeldGenerator.__name__
"""A message that names it comes from a line that was run again with a rebuilt generator: no real answer."""
_BY_RULE = (
    ast.If,
    ast.While,
    ast.ExceptHandler,
    ast.Return,
    ast.Break,
    ast.Continue,
    ast.Raise,
    ast.FunctionDef,
    ast.Pass,
)


@dataclass(frozen=True, slots=True)
class TracedStep:
    """One real step: the frame before, the frame after, and the construct of its line."""

    frame: Frame
    following: Frame
    kind: str
    by_rule: bool
    """Whether a rule computes the step, so that the local view has no query for it."""


@dataclass(slots=True)
class Examiner:
    """Makes examples from the steps of one program; compiles only what a run needs."""

    program: Program
    context: bytes = b""
    """Numbered source for the program view."""
    reruns: bool = True
    """Whether a line may run again in this process, where two frames do not show what it did; False runs nothing."""
    _stepper: Stepper = field(init=False)
    _statements: ExactEffects | None = field(init=False, default=None)
    _writes: dict[int, frozenset[str]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._stepper = Stepper(self.program)
        self.context = program_view.context(self.program).encode()

    def steps(self, frames: Sequence[Frame]) -> list[TracedStep]:
        """The steps of one traced run."""
        pairs = pairwise(frames)
        return [self._step(frame, following) for frame, following in pairs if frame.event == "line"]

    def asks(self, step: TracedStep) -> bool:
        """Whether a model is asked about the step; otherwise a rule computes it."""
        try:
            return not step.by_rule and self._question(step) is not None
        except Unsupported:
            return True

    def local_example(self, step: TracedStep) -> Example | None:
        """The step in the local view; None if a rule computes it or if it depends on more than the line reads."""
        try:
            question = None if step.by_rule else self._question(step)
            if question is None or question.globals:
                return None
            asked = local_view.ask(question)
            answer = local_view.answer(asked, self._effect(step, question))
        except (Unsupported, MalformedText, KeyError):
            return None
        return None if _STAND_IN in answer else Example(b"", asked.text.encode(), answer.encode(), step.kind)

    def program_example(self, step: TracedStep) -> Example | None:
        """The step in the program view; None if it enters or leaves a function of the program."""
        frame, following = step.frame, step.following
        if following.event not in ("line", "exception") or following.depth != frame.depth:
            return None
        line = None if following.event == "exception" else following.line
        try:
            question = None if step.by_rule else self._question(step)
            effect = Effect() if question is None else self._effect(step, question)
            if line is None and effect.raised is None:
                return None  # the stepper raises it by rule
            asked = program_view.ask(self.program, frame)
            answer = program_view.answer(asked, program_view.ProgramAnswer(line, effect))
        except (Unsupported, MalformedText, KeyError):
            return None
        return None if _STAND_IN in answer else Example(self.context, asked.text.encode(), answer.encode(), step.kind)

    def _step(self, frame: Frame, following: Frame) -> TracedStep:
        node = self.program.layout.places[frame.line].node
        if isinstance(node, _BY_RULE):
            return TracedStep(frame, following, construct(node, {}), True)
        return TracedStep(frame, following, construct(node, ConstructKinds(frame)), False)

    def _question(self, step: TracedStep) -> Question | None:
        asked = self._stepper.ask(step.frame)
        return asked if isinstance(asked, Question) else None

    def _effect(self, step: TracedStep, question: Question) -> Effect:
        node = self.program.layout.places[step.frame.line].node
        written = self._written(step.frame.line, node)
        effect = None if isinstance(node, ast.Delete) else difference(step, question, written, pure=is_pure(node))
        return effect or self._rerun(question, step.frame)

    def _written(self, line: int, node: Node) -> frozenset[str]:
        if line not in self._writes:
            self._writes[line] = writes_of(node)
        return self._writes[line]

    def _rerun(self, question: Question, frame: Frame) -> Effect:
        if not self.reruns:
            raise Unsupported("a step whose effect two frames do not show")
        if self._statements is None:
            self._statements = ExactEffects(self.program)
        return self._statements.effect(question, max((label for label, _ in frame.heap), default=0))


def is_pure(node: ast.AST) -> bool:
    """Whether a statement assigns a value and certainly changes no list, dict or set."""
    value = node.value if isinstance(node, ast.Assign) else None
    if isinstance(value, ast.Call):
        name = value.func.id if isinstance(value.func, ast.Name) else getattr(value.func, "attr", "")
        return name in _PURE_CALLS
    return isinstance(value, _PURE)


def difference(step: TracedStep, question: Question, written: frozenset[str], *, pure: bool) -> Effect | None:
    """The effect of the line, from the frames before and after it; None if they do not show it completely."""
    following = step.following
    if question.globals or following.depth != step.frame.depth:
        return None
    heap = dict(following.heap)
    if any(label not in heap and not (pure and text[0] in "[{s") for label, text in question.heap):
        return None
    after = {name: _opened(text, heap) for name, text in following.locals}
    raised = following.arg if following.event == "exception" else None
    assigned = written if raised is None else frozenset[str]()
    before = dict(question.reads)
    names = [name for name in before if name in after and after[name] != before[name]]
    if not assigned <= after.keys():
        return None
    bound = tuple(sorted((name, after[name]) for name in {*assigned, *names}))
    contents = [(label, heap[label]) for label, text in question.heap if heap.get(label, text) != text]
    texts = [text for _, text in (*bound, *contents)]
    contents += _new_objects([*texts, raised or ""], step, heap)
    return Effect(bound, (), tuple(sorted(contents)), raised)


def _new_objects(texts: list[str], step: TracedStep, heap: dict[int, str]) -> list[tuple[int, str]]:
    """Objects that the line created and that the texts of its effect refer to."""
    known = {label for label, _ in step.frame.heap}
    pending = [label for text in texts for label in references(text)]
    found: dict[int, str] = {}
    while pending:
        label = pending.pop()
        if label not in found and label not in known:
            found[label] = heap[label]
            pending += references(heap[label])
    return list(found.items())


def _opened(text: str, heap: dict[int, str]) -> str:
    """The content of a closure cell instead of the cell."""
    label = label_of(text)
    return heap[label][5:-1] if label is not None and heap[label].startswith("cell(") else text
