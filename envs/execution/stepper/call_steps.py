"""Steps into functions of the program and out of them: calls by name, through objects, and generators that resume.

A line that calls waits with its activation on the stack; when the function returns, the line takes the value and
control goes on behind it. Runs no program code.
"""

import ast
from dataclasses import replace

from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect
from envs.execution.state.frames import Activation, Frame, Outcome
from envs.execution.state.value_grammar import Unsupported, expanded, label_of
from envs.execution.stepper.argument_binding import ArgumentBinding
from envs.execution.stepper.control_flow import ControlFlow, Jump
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables, Raised
from envs.execution.stepper.name_lookup import Callee, NameLookup
from envs.execution.stepper.next_frames import NextFrames
from envs.execution.stepper.objects.generator_rules import GeneratorRules
from envs.execution.stepper.objects.object_kinds import Attempt
from envs.execution.stepper.objects.object_steps import ObjectSteps
from envs.execution.stepper.values.value_rules import ancestry, class_name, split_items
from envs.execution.syntax.classes.library_classes import library_classes
from envs.execution.syntax.line_map import Key
from envs.execution.syntax.suspensions import sent_value
from envs.execution.text.value_writers import Waiting

_DEEPEST = 900
"""Functions under way; Python's limit is near."""


class CallSteps:
    """The calls of one program."""

    def __init__(self, program: Program, names: NameLookup, variables: FrameVariables, frames: NextFrames) -> None:
        self._layout = program.layout
        self._names = names
        self._variables = variables
        self._next = frames
        self._control = ControlFlow(program.layout)
        self._parameters = ArgumentBinding(program)
        has_classes = names.classes or library_classes(program.layout.tree)
        self._objects = ObjectSteps(program, names, variables) if has_classes else None
        """None where the program has no classes."""
        self._generators = GeneratorRules(program, variables)
        frames.arriving = self._arriving
        if self._generators.guards:
            frames.ending = self._generators.check_dropped

    def check(self, effect: Effect) -> None:
        """Raise ImpossibleState where an effect holds a value that its class cannot have."""
        if self._objects is not None:
            self._objects.check(effect)

    def entry(self, frame: Frame, builder: FrameBuilder) -> Jump:
        """Where control goes in a function that was just entered, or in a generator that resumes."""
        if not self._generators.is_suspension(builder.line):
            return self._control.first((frame.function, frame.line))
        self._generators.receive(builder)
        return self._control.after(builder.line, builder.waiting)

    def call(self, frame: Frame, builder: FrameBuilder, node: ast.AST) -> Frame | Outcome | None:
        """Enter a function of the program, if that is what the line does."""
        callee = self._names.callee(node, lambda name: self._variables.read(builder, name))
        return None if callee is None else self._enter(builder, callee, frame.stack[-1])

    def step(self, frame: Frame, builder: FrameBuilder, node: ast.AST) -> Frame | Outcome | None:
        """The step of a line that its objects decide: a call that they lead to, or a rule about them."""
        if self._generators and (found := self._generator_step(frame, builder, node)) is not None:
            return found
        if self._objects is None:
            return None
        attempts = self._objects.attempts(builder, node)
        if attempts:
            callee, mark = self._objects.callee(builder, node, attempts, 0)
            return self._enter(builder, callee, frame.stack[-1], mark)
        line, waits = builder.line, builder.waiting
        if isinstance(node, ast.If | ast.While):
            taken = self._objects.truth(builder, node.test)
            jump = None if taken is None else self._control.branch(line, taken, waits)
            return None if jump is None else self._next.arrive(frame.function, builder, jump)
        if self._objects.apply(builder, node):
            return self._next.arrive(frame.function, builder, self._control.after(line, waits))
        held = self._objects.held(builder, node)
        return None if held is None else self._enter(builder, held, frame.stack[-1])

    def _enter(self, builder: FrameBuilder, callee: Callee, caller: Activation, mark: str = "") -> Frame | Outcome:
        """Enter a function; the caller waits as it is, with what the line must remember in its row `@0`."""
        if len(builder.stack) + 1 > _DEEPEST:
            raise Unsupported("recursion close to Python's limit")
        read = self._variables.atom if self._objects is None else self._objects.operand
        bound = self._parameters.bind(callee, lambda expression: read(builder, expression), builder)
        if isinstance(bound, str):
            raise Raised(bound)
        if self._names.is_generator(callee.key):
            made = self._generators.made(builder, callee.key, bound)
            return self._taken(builder, caller.function, made)
        self._names.check_entry(callee.key)
        rows = (("@0", mark), *caller.locals) if mark else caller.locals
        builder.push(callee.key[0], callee.key[1], bound, Activation(caller.function, builder.line, rows))
        return self._next.write(callee.key[0], builder, "call")

    # -- generators

    def _generator_step(self, frame: Frame, builder: FrameBuilder, node: ast.AST) -> Frame | Outcome | None:
        """The step of a line of a generator, or of one that resumes a generator."""
        if self._generators.is_suspension(builder.line):
            value = self._generators.given(builder, node)
            return self._next.write(frame.function, builder, "return", value)
        if self._generators.apply(builder, node):
            return self._next.arrive(frame.function, builder, self._control.after(builder.line, builder.waiting))
        label = self._generators.moved(builder, node)
        if label is None:
            return None
        position = self._generators.opened(builder, label, sent_value(node))
        if position is None:  # it has ended before
            return self._ended(builder, frame.function, "None")
        function, line, rows = position
        builder.push(function, line, rows, Activation(frame.function, builder.line, frame.locals))
        return self._next.write(function, builder, "call")

    def _ended(self, builder: FrameBuilder, function: str, value: str) -> Frame | Outcome:
        """What the line does whose generator gives nothing more."""
        match self._layout.places[builder.line].node:
            case ast.For():
                out = self._control.branch(builder.line, False, builder.waiting)
                return self._next.arrive(function, builder, out)
            case node if (default := self._default(builder, node)) is not None:
                return self._taken(builder, function, default)
        return self._next.write(function, builder, "exception", f"StopIteration({'' if value == 'None' else value})")

    def _arriving(self, builder: FrameBuilder, error: str, line: int) -> str | Jump:
        """What an exception that left a function means for the line that waited for it."""
        if self._generators and self._names.is_generator(self._layout.places[line].function):
            label = self._generators.moved(builder, self._layout.places[builder.line].node)
            if label is not None:
                builder.heap[label] = "generator()"
            stopped = self._names.raised("RuntimeError('generator raised StopIteration')")
            return stopped if error.startswith("StopIteration(") else error
        node = self._layout.places[builder.line].node
        if self._objects is not None and (turns := self._objects.indexes(builder, node)) is not None:
            kind = class_name(error if label_of(error) is None else builder.heap[int(error[1:])])
            if {"IndexError", "StopIteration"} & set(ancestry(kind, self._names.bases)):
                builder.heap[turns] = "iter()"
                return self._control.branch(builder.line, False, builder.waiting)
        default = self._default(builder, node) if error.startswith("StopIteration(") else None
        if default is None or self._objects is None:
            return error
        self._bind(builder, node, default)
        return self._control.after(builder.line, builder.waiting)

    def _default(self, builder: FrameBuilder, node: ast.AST) -> str | None:
        """What `next(iterator, default)` gives at the end."""
        match node:
            case ast.Assign(value=ast.Call(func=ast.Name(id="next"), args=[_, default])):
                return self._variables.atom(builder, default)
            case ast.Expr(value=ast.Call(func=ast.Name(id="next"), args=[_, default])):
                return self._variables.atom(builder, default)
        return None

    # -- returns

    def returned(self, frame: Frame, builder: FrameBuilder) -> Frame | Outcome:
        """What the waiting line does with the value of the function that returns, or of the generator that yields."""
        value = frame.arg or "None"
        if not builder.stack:
            self._next.ended(builder.heap)
            return Outcome("returned", expanded(value, builder.heap))
        caller, key = builder.stack[-1], self._layout.places[frame.line].function
        if self._generators and self._names.is_generator(key):
            return self._yielded(frame, builder, key, value)
        builder.pop()
        node = self._layout.places[builder.line].node
        if self._objects is not None:
            mark = builder.waiting.pop(0, None)
            attempts, index = self._objects.waited(builder, node, key, mark)
            if index >= 0:
                plain = replace(caller, locals=tuple(row for row in caller.locals if row[0] != "@0"))
                try:
                    return self._object_returned(builder, plain, (attempts, index), value, mark=mark)
                except Raised as raised:
                    text = self._names.raised(raised.text)
                    return self._next.write(caller.function, builder, "exception", text)
        return self._taken(builder, caller.function, value)

    def _yielded(self, frame: Frame, builder: FrameBuilder, key: Key, value: str) -> Frame | Outcome:
        """The waiting line takes what a generator yields; the generator's variables go back to the heap."""
        rows, caller = dict(frame.locals), builder.stack[-1].function
        builder.pop()
        node = self._layout.places[builder.line].node
        label = self._generators.moved(builder, node)
        if label is None:
            raise Unsupported("a generator that was moved by no line")
        if not self._generators.is_suspension(frame.line):
            builder.heap[label] = "generator()"
            return self._ended(builder, caller, value)
        builder.heap[label] = self._generators.suspended(key, frame.line, rows)
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            self._variables.bind(builder, node.target.id, value)
            return self._next.arrive(caller, builder, self._control.branch(builder.line, True, builder.waiting))
        return self._taken(builder, caller, value)

    def _taken(self, builder: FrameBuilder, function: str, value: str) -> Frame | Outcome:
        """The line binds the value, and control goes on behind it."""
        self._bind(builder, self._layout.places[builder.line].node, value)
        return self._next.arrive(function, builder, self._control.after(builder.line, builder.waiting))

    def _bind(self, builder: FrameBuilder, node: ast.AST, value: str) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
                self._variables.bind(builder, name, value)
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) if self._objects is not None:
                pass  # a setter's value is dropped
            case ast.Assign():
                raise Unsupported("a call whose result is taken apart on the same line")

    def _object_returned(
        self,
        builder: FrameBuilder,
        caller: Activation,
        tried: tuple[list[Attempt], int],
        value: str,
        mark: Waiting | None,
    ) -> Frame | Outcome:
        """What a line does when a function that its objects led to returns."""
        assert self._objects is not None
        attempts, index = tried
        line, waits = builder.line, builder.waiting
        node = self._layout.places[line].node
        if value == "NotImplemented" and not isinstance(node, ast.If | ast.While | ast.For):
            if index + 1 < len(attempts):
                callee, again = self._objects.callee(builder, node, attempts, index + 1)
                return self._enter(builder, callee, caller, again)
            value = self._objects.refused(builder, node)
        else:
            value = self._objects.result(builder, node, attempts[index], value, mark=mark)
        match node:
            case ast.If() | ast.While():
                return self._next.arrive(caller.function, builder, self._control.branch(line, value == "True", waits))
            case ast.For(target=ast.Name(id=name)):
                if (turns := self._objects.indexes(builder, node)) is not None:
                    source, place = split_items(builder.heap[turns][len("iter") :])
                    builder.heap[turns] = f"iter({source}, {int(place) + 1})"
                self._variables.bind(builder, name, value)
                return self._next.arrive(caller.function, builder, self._control.branch(line, True, waits))
        return self._taken(builder, caller.function, value)

    def ends_loop(self, builder: FrameBuilder, error: str) -> bool:
        """Whether an exception is the end of a loop over an object of the program."""
        node = self._layout.places[builder.line].node
        ended = self._objects is not None and isinstance(node, ast.For) and error.startswith("StopIteration(")
        return ended and self._objects is not None and bool(self._objects.attempts(builder, node))
