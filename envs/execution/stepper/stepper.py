"""Execution by rule over text: everything about a step except what the line itself computes.

`ask` either takes the step (a branch, a loop's end, a call, a return, a handler) or returns a `Question` about the
line; `tell` takes the answer, an `Effect`, and returns the next frame. With Python's answers the steps give the real
trace (the Markov check); with a model's answers they give an imagined one. No program code is run here.
"""

import ast
from dataclasses import replace

from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame, Outcome
from envs.execution.state.value_grammar import ImpossibleState, Unsupported, label_of
from envs.execution.stepper.call_steps import CallSteps
from envs.execution.stepper.control_flow import ControlFlow, Jump
from envs.execution.stepper.draw_distributions import DrawTable
from envs.execution.stepper.exception_fields import ExceptionFields
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables, Raised
from envs.execution.stepper.name_lookup import NameLookup
from envs.execution.stepper.next_frames import NextFrames
from envs.execution.stepper.objects.object_steps import CONTAINERS
from envs.execution.stepper.questions import Questions
from envs.execution.stepper.source_steps import source_steps
from envs.execution.stepper.values.function_attributes import FunctionAttributes
from envs.execution.stepper.values.iterator_rules import advance
from envs.execution.stepper.values.value_rules import matches, outdated
from envs.execution.text.value_writers import Waiting

_END = "StopIteration()"
"""How an answer says that an iterator whose end no rule can see (`filter`) has come to it."""


class Stepper:
    """The rules for one decomposed program; holds nothing of a run but the frame that was asked about last."""

    def __init__(self, program: Program) -> None:
        if program.level == "plain":
            raise Unsupported("a plain program: a line's hidden values are not in the frame; decompose it first")
        self.program = program
        self._layout = program.layout
        self.control = ControlFlow(self._layout)
        self.names = NameLookup(program)
        self._variables = FrameVariables(program.layout, self.names)
        self._questions = Questions(program.lines, self.names, self._variables)
        self._next = NextFrames(program, self.control, self._variables)
        self._calls = CallSteps(program, self.names, self._variables, self._next)
        self._exceptions = ExceptionFields(self.names, self._variables)
        self._functions = FunctionAttributes(program.layout.tree)
        self._sources = source_steps(program, self._variables)
        self._asked: tuple[Frame, FrameBuilder] | None = None
        """The frame of the last question, with its builder: mostly `tell` is called with it next."""

    def ask(self, frame: Frame) -> Frame | Outcome | Question:
        """The next frame where rules give it, the outcome at the end, else the question what the line does."""
        if self.names.ends_otherwise:
            raise Unsupported(
                f"a class called {self.names.ends_otherwise}, as an exception that Python itself looks for"
            )
        builder = FrameBuilder.of(frame)
        if frame.event == "call":
            return self._next.arrive(frame.function, builder, self._calls.entry(frame, builder))
        if frame.event == "return":
            return self._calls.returned(frame, builder)
        if frame.event == "exception":
            if self._calls.ends_loop(builder, frame.arg or ""):
                out = self.control.branch(builder.line, False, builder.waiting)
                return self._next.arrive(frame.function, builder, out)
            jump = self.control.raised(builder.line, builder.waiting, frame.arg or "")
            return self._next.arrive(frame.function, builder, jump)
        try:
            found = self._line(frame, builder)
        except Raised as raised:
            text = self.names.raised(raised.text)
            return self._next.write(frame.function, builder, "exception", text)
        if isinstance(found, Question):
            self._asked = frame, builder
        return found

    def draw(self, frame: Frame) -> tuple[Question, DrawTable] | None:
        """What a line draws: the question that a model can be asked about it, and its distribution by rule.

        None where the line makes no draw, or one that has no table (`draw_distributions.py`).
        """
        if self._sources is None or frame.event != "line":
            return None
        builder, node = FrameBuilder.of(frame), self._layout.places[frame.line].node
        table = self._sources.table(builder, node)
        return None if table is None else (replace(self._questions.about(frame, builder, node), globals=()), table)

    def tell(self, frame: Frame, effect: Effect, line: int | None = None) -> Frame | Outcome:
        """The next frame once the effect is known; with `line`, control goes there, not where rules lead."""
        builder = self._opened(frame)
        node = self._layout.places[builder.line].node
        if isinstance(node, ast.For):
            return self._next_item(frame, builder, node, effect, line=line)
        self._apply(frame, builder, effect)
        if effect.raised is not None:
            return self._next.write(frame.function, builder, "exception", effect.raised)
        jump = self.control.after(builder.line, builder.waiting) if line is None else self._towards(builder, line)
        return self._next.arrive(frame.function, builder, jump)

    def _opened(self, frame: Frame) -> FrameBuilder:
        """A builder for the frame; the one made by `ask` is used once."""
        asked, self._asked = self._asked, None
        return asked[1] if asked is not None and asked[0] is frame else FrameBuilder.of(frame)

    def go(self, frame: Frame, line: int) -> Frame | Outcome:
        """The next frame where a branch or a loop's end is taken to a line that the caller names."""
        builder = FrameBuilder.of(frame)
        node = self._layout.places[builder.line].node
        if isinstance(node, ast.For):
            return self._next_item(frame, builder, node, Effect(), line=line)
        return self._next.arrive(frame.function, builder, self._towards(builder, line))

    def leave(self, frame: Frame, effect: Effect) -> Frame | Outcome:
        """The next frame where the caller says that control leaves the function here; ImpossibleState if it cannot."""
        builder = FrameBuilder.of(frame)
        out = next((jump for jump in self._jumps(builder) if jump.line is None), None)
        if out is None:
            raise ImpossibleState(f"control cannot leave the function behind line {builder.line}")
        self._apply(frame, builder, effect)
        return self._next.arrive(frame.function, builder, out)

    def _towards(self, builder: FrameBuilder, line: int) -> Jump:
        """To a named line: as rules lead there, with what waits behind a `finally`; else straight."""
        return next((jump for jump in self._jumps(builder) if jump.line == line), None) or self.control.to(line)

    def _jumps(self, builder: FrameBuilder) -> list[Jump]:
        """Where control can go from a line that does not raise."""
        line, waits = builder.line, builder.waiting
        if isinstance(self._layout.places[line].node, ast.If | ast.While | ast.For):
            return [self.control.branch(line, taken, waits) for taken in (True, False)]
        return [self.control.after(line, waits)]

    def is_branch(self, frame: Frame) -> bool:
        """Whether only the next line is open: the present line computes nothing."""
        place = self._layout.places.get(frame.line)
        return frame.event == "line" and place is not None and isinstance(place.node, ast.If | ast.While)

    def _next_item(
        self, frame: Frame, builder: FrameBuilder, node: ast.For, effect: Effect, line: int | None
    ) -> Frame | Outcome:
        inside = self.control.branch(builder.line, True, builder.waiting)
        moved = self._moved(builder, node)
        if line is not None and line != inside.line:
            builder.heap.update(moved)
            return self._next.arrive(frame.function, builder, self._towards(builder, line))
        if effect.raised is not None and effect.raised != _END:
            return self._failed_item(frame, builder, node, effect)
        answered = tuple(row for row in effect.contents if row[0] not in moved)
        self._apply(frame, builder, replace(effect, contents=answered))
        if effect.raised is not None and line is None:
            return self._next.arrive(frame.function, builder, self.control.branch(builder.line, False, builder.waiting))
        builder.heap.update(moved)
        return self._next.arrive(frame.function, builder, inside)

    def _failed_item(self, frame: Frame, builder: FrameBuilder, node: ast.For, effect: Effect) -> Frame:
        """The frame where making the next item raises: a `map` has taken its items by then, before it calls."""
        label = label_of(self._variables.atom(builder, node.iter))
        if label is not None and builder.heap[label].startswith("map("):
            builder.heap.update(self._moved(builder, node))
        self._apply(frame, builder, effect)
        return self._next.write(frame.function, builder, "exception", effect.raised)

    # -- one line

    def _line(self, frame: Frame, builder: FrameBuilder) -> Frame | Outcome | Question:
        function, line, waits = frame.function, builder.line, builder.waiting
        node = self._layout.places[line].node
        if isinstance(node, ast.For):
            self._check_loop(builder, node)
        if (found := self._calls.step(frame, builder, node)) is not None:
            return found
        if self._exceptions.apply(builder, node) or (self._sources is not None and self._sources.apply(builder, node)):
            return self._next.arrive(function, builder, self.control.after(line, waits))
        match node:
            case ast.If(test=test) | ast.While(test=test):
                return self._next.arrive(
                    function, builder, self.control.branch(line, self._variables.truth(builder, test), waits)
                )
            case ast.For():
                return self._loop(frame, builder, node)
            case ast.ExceptHandler():
                return self._handler(function, builder, node)
            case ast.Return(value=value):
                wait = Waiting("return", "None" if value is None else self._variables.atom(builder, value))
                return self._next.arrive(function, builder, self.control.leave(line, wait, waits))
            case ast.Break():
                return self._next.arrive(function, builder, self.control.leave(line, Waiting("break"), waits))
            case ast.Continue():
                return self._next.arrive(function, builder, self.control.leave(line, Waiting("continue"), waits))
            case ast.Raise(exc=ast.Name() as error):
                return self._next.write(function, builder, "exception", self._exception(builder, error))
            case ast.FunctionDef():
                self._define(builder, node)
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Name() | ast.Constant() as source):
                self._variables.bind(builder, target, self._variables.atom(builder, source))
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Attribute(ast.Name() as owner, "__name__")) if (
                name := self.names.function_name(self._variables.atom(builder, owner))
            ):
                self._variables.bind(builder, target, repr(name))
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Attribute() | ast.Call() as value) if (
                text := self._functions.text(value, lambda owner: self._variables.atom(builder, owner))
            ):
                self._variables.bind(builder, target, text)
            case ast.Assign(targets=[ast.Attribute(ast.Name(id=owner), "__name__")]) if (
                owner in self.program.temporaries
            ):
                pass  # the decomposer gives a lambda its name back, which rules know
            case ast.Pass():
                pass
            case ast.With() | ast.Match() | ast.ClassDef() | ast.AsyncFor() | ast.AsyncWith() | ast.AsyncFunctionDef():
                raise Unsupported(f"a {type(node).__name__.lower()} statement")
            case _:
                return self._calls.call(frame, builder, node) or self._question(frame, builder, node)
        return self._next.arrive(function, builder, self.control.after(line, waits))

    def _question(self, frame: Frame, builder: FrameBuilder, node: ast.AST) -> Question:
        """The question about a line; where it draws as no rule can, it shows the generator."""
        asked = self._questions.about(frame, builder, node)
        if self._sources is None:
            return asked
        self._sources.check_question(builder, node, [text for _, text in asked.heap])
        shown = "@random" if self._sources.is_other_draw(builder, node) else ""
        return replace(
            asked,
            globals=tuple(row for row in frame.globals if row[0][0] != "@" or row[0] == shown)
            if asked.globals or shown
            else (),
        )

    def _check_loop(self, builder: FrameBuilder, node: ast.For) -> None:
        """Raise Unsupported for a loop that asks a container or an object for an iterator itself."""
        if not isinstance(node.iter, ast.Name) or node.iter.id in self.program.temporaries:
            return
        label = label_of(self._variables.atom(builder, node.iter))
        content = "" if label is None else builder.heap[label]
        if content.startswith(CONTAINERS) or content.partition("(")[0] in self.names.classes:
            raise Unsupported("a loop whose iterator is not in the frame")

    def _loop(self, frame: Frame, builder: FrameBuilder, node: ast.For) -> Frame | Outcome | Question:
        iterator = self._variables.atom(builder, node.iter) if isinstance(node.iter, ast.Name) else ""
        label = label_of(iterator)
        if label is None or not isinstance(node.target, ast.Name):
            raise Unsupported("a loop whose iterator is not in the frame")
        if self._sources is not None:
            taken = self._sources.next_line(builder, iterator, node.target.id)
            if taken is not None:
                out = self.control.branch(builder.line, taken, builder.waiting)
                return self._next.arrive(frame.function, builder, out)
        content = builder.heap[label]
        if content.endswith(", changed)"):
            kind = "dictionary" if "(#" in content.partition("(")[2] else "Set"
            raise Raised(f"RuntimeError('{kind} changed size during iteration')")
        step = advance(label, builder.heap)
        if step is None or step.gives:
            return self._question(frame, builder, node)
        builder.heap.update(step.contents)
        return self._next.arrive(frame.function, builder, self.control.branch(builder.line, False, builder.waiting))

    def _moved(self, builder: FrameBuilder, node: ast.For) -> dict[int, str]:
        """The loop's iterators after the next item: a rule gives their position, not an answer."""
        label = label_of(self._variables.atom(builder, node.iter))
        step = None if label is None else advance(label, builder.heap)
        return {} if step is None else dict(step.contents)

    def _handler(self, function: str, builder: FrameBuilder, node: ast.ExceptHandler) -> Frame | Outcome:
        around = self._layout.places[builder.line].parent
        if isinstance(around, ast.TryStar):
            raise Unsupported("an exception that `except*` takes apart")
        place = around.lineno
        if place not in builder.waiting:  # an imagined jump led here
            raise ImpossibleState(f"a handler at line {builder.line} while no exception is under way")
        error = str(builder.waiting[place].value)
        if not matches(self._content(builder, error), self._wanted(builder, node.type), self.names.bases):
            return self._next.arrive(function, builder, self.control.unmatched(builder.line, builder.waiting))
        if node.name:
            self._variables.bind(builder, node.name, error)
        return self._next.arrive(function, builder, self.control.matched(builder.line, builder.waiting))

    def _wanted(self, builder: FrameBuilder, node: ast.expr | None) -> ast.expr | None:
        """The classes that a handler takes, where a variable holds them."""
        if not isinstance(node, ast.Name) or node.id not in builder.locals | builder.globals:
            return node
        try:
            return ast.parse(self._variables.atom(builder, node), mode="eval").body
        except SyntaxError:
            raise Unsupported(f"a handler for {node.id}, whose value is no class") from None

    def _exception(self, builder: FrameBuilder, error: ast.Name) -> str:
        text = self._variables.read(builder, error.id)
        if text in self.names.classes and self.names.classes.find(text, "__init__"):
            raise Unsupported(f"a class {text} that is raised without a call")
        return text if "(" in text or text.startswith("#") else f"{text}()"

    def _content(self, builder: FrameBuilder, text: str) -> str:
        """An exception's content, where its class gives it fields and it stands on the heap."""
        label = label_of(text)
        return text if label is None else builder.heap[label]

    def _define(self, builder: FrameBuilder, node: ast.FunctionDef) -> None:
        """A nested function: the variables it shares become cells."""
        if node.decorator_list:
            raise Unsupported("a nested function with decorators")
        by_place = [self._variables.atom(builder, value) for value in node.args.defaults]
        by_name = [
            f"{each.arg}={self._variables.atom(builder, value)}"
            for each, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if value is not None
        ]
        given = ", ".join([*by_place, *by_name])
        cells = ", ".join(self._variables.cell(builder, name) for name in self.names.free_variables(node))
        text = f"{node.name}@{node.lineno}({cells}; {given})" if given else f"{node.name}@{node.lineno}({cells})"
        self._variables.bind(builder, node.name, text)

    def _apply(self, frame: Frame, builder: FrameBuilder, effect: Effect) -> None:
        self._calls.check(effect)
        changes = dict(effect.contents)
        before = dict(builder.heap)
        builder.heap.update(changes)
        for name in effect.unbound:
            self._variables.unbind(builder, name)
        for name, text in effect.bound:
            self._variables.bind(builder, name, text)
        builder.heap.update(outdated(changes, before, builder.heap))
