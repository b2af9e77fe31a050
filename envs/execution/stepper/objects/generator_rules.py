"""The program's own generators by rule: an object on the heap that holds where its function stands and its variables.

    generator('count', 12, 17, i=3, n=5)    the function of line 12, suspended at the `yield` of line 17
    generator('count', 12, 12, n=5)         not begun
    generator('count', 12, None)            under way: its variables are on the stack
    generator()                             ended

Rules make a generator, resume it where a `for` or `next` asks for it, and write its variables back when it yields.
"""

import ast
from collections.abc import Iterable, Mapping
from functools import cached_property

from envs.execution.decompose.program import Program
from envs.execution.state.value_grammar import ImpossibleState, Unsupported, label_of, number
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables, Raised
from envs.execution.stepper.objects.object_text import ObjectText
from envs.execution.syntax.line_map import Key
from envs.execution.syntax.suspensions import (
    closed_generator,
    iterator_moved,
    sent_value,
    suspension_of,
    thrown_into,
)

KIND = "generator"


class GeneratorRules:
    """The generators of one program."""

    def __init__(self, program: Program, variables: FrameVariables) -> None:
        self._layout = program.layout
        self._variables = variables
        self._any = "yield" in program.source
        self._lines: dict[int, bool] = {}

    def __bool__(self) -> bool:
        """Whether the program has generators at all."""
        return self._any

    def is_suspension(self, line: int) -> bool:
        """Whether the line is a `yield`."""
        if not self._any:
            return False
        if line not in self._lines:
            place = self._layout.places.get(line)
            self._lines[line] = place is not None and suspension_of(place.node) is not None
        return self._lines[line]

    def given(self, builder: FrameBuilder, node: ast.AST) -> str:
        """What a `yield` gives."""
        found = suspension_of(node)
        if found is None or isinstance(found, ast.YieldFrom):
            raise Unsupported("a yield from that was left whole")
        return "None" if found.value is None else self._variables.atom(builder, found.value)

    def receive(self, builder: FrameBuilder) -> None:
        """Bind the value of the `yield` at which a generator resumes: what the waiting line sent, or None."""
        match self._layout.places[builder.line].node:
            case ast.Assign(targets=[ast.Name(id=name)]):
                self._variables.bind(builder, name, self._sent(builder))
            case ast.Assign():
                raise Unsupported("a yield whose value is taken apart on the same line")

    def _sent(self, builder: FrameBuilder) -> str:
        caller = builder.waiting_caller()
        value = sent_value(self._layout.places[caller.line].node)
        return "None" if value is None else self._variables.atom(caller, value)

    def made(self, builder: FrameBuilder, key: Key, rows: dict[str, str]) -> str:
        """A new generator that has not begun."""
        label = max(builder.heap, default=0) + 1
        builder.heap[label] = self.suspended(key, key[1], rows)
        return f"#{label}"

    def suspended(self, key: Key, line: int, rows: dict[str, str]) -> str:
        """The content of a generator that stands at a line with these variables."""
        return str(ObjectText(KIND, (repr(key[0]), str(key[1]), str(line)), dict(sorted(rows.items()))))

    def moved(self, builder: FrameBuilder, node: ast.AST) -> int | None:
        """The generator that a line resumes: of a `for`, or of `next`."""
        name = iterator_moved(node)
        asks_next = isinstance(node, ast.Assign | ast.Expr) and sent_value(node) is None
        if name is None or (asks_next and self._variables.is_module_name("next")):
            return None
        return self._generator(builder, name)

    def _generator(self, builder: FrameBuilder, name: str) -> int | None:
        try:
            label = label_of(self._variables.read(builder, name))
        except Raised:
            return None
        return label if label is not None and builder.heap.get(label, "").startswith(f"{KIND}(") else None

    def opened(
        self, builder: FrameBuilder, label: int, sent: ast.expr | None
    ) -> tuple[str, int, dict[str, str]] | None:
        """The function, line and variables with which a generator resumes, which it then no longer holds."""
        held = ObjectText.of(builder.heap[label])
        if not held.items:
            return None
        if len(held.items) != 3 or not held.items[0].startswith("'"):
            raise ImpossibleState(f"a generator that is none: {builder.heap[label][:80]}")
        if held.items[2] == "None":
            raise Raised("ValueError('generator already executing')")
        name, first = held.items[0][1:-1], number(held.items[1])
        if (name, first) not in self._layout.functions:
            raise ImpossibleState(f"a generator of a function that is not there: {builder.heap[label][:80]}")
        if sent is not None and held.items[1] == held.items[2] and self._variables.atom(builder, sent) != "None":
            raise Raised('TypeError("can\'t send non-None value to a just-started generator")')
        builder.heap[label] = str(ObjectText(KIND, (*held.items[:2], "None")))
        return name, number(held.items[2]), dict(held.fields)

    def apply(self, builder: FrameBuilder, node: ast.AST) -> bool:
        """`iter` of a generator is the generator; one that is closed has ended, where it cannot see that."""
        if (closed := closed_generator(node)) is not None and (label := self._generator(builder, closed)) is not None:
            self._close(builder, node, label)
            return True
        if (thrown := thrown_into(node)) is not None and self._generator(builder, thrown) is not None:
            raise Unsupported("an exception that is thrown into a generator")
        match node:
            case ast.Assign(
                targets=[ast.Name(id=target)], value=ast.Call(func=ast.Name(id="iter"), args=[ast.Name(id=name)])
            ) if not self._variables.is_module_name("iter"):
                text = self._variables.read(builder, name)
                label = label_of(text)
                if label is not None and builder.heap.get(label, "").startswith(f"{KIND}("):
                    self._variables.bind(builder, target, text)
                    return True
        return False

    def _close(self, builder: FrameBuilder, node: ast.AST, label: int) -> None:
        items = ObjectText.of(builder.heap[label]).items
        if items and items[2] == "None":
            raise Raised("ValueError('generator already executing')")
        if items and items[1] != items[2] and self._is_guarded(number(items[2])):
            raise Unsupported("a generator that is closed inside a try or a with")
        builder.heap[label] = f"{KIND}()"
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            self._variables.bind(builder, node.targets[0].id, "None")

    def check_dropped(self, before: Mapping[int, str], after: Iterable[str]) -> None:
        """Raise Unsupported where a step drops a generator that sees its end: Python runs its `finally` then.

        `before` holds the objects with what the step made, `after` what is left of them.
        """
        if self._guarded(before.values()) > self._guarded(after):
            raise Unsupported("a generator that is dropped inside a try or a with")

    @cached_property
    def guards(self) -> bool:
        """Whether some generator of the program yields where it can see that it is closed."""
        return self._any and any(self.is_suspension(line) and self._is_guarded(line) for line in self._layout.places)

    def _guarded(self, contents: Iterable[str]) -> int:
        """How many generators stand where they can see that they are closed."""
        held = [ObjectText.of(each).items for each in contents if each.startswith(f"{KIND}('")]
        lines = [each[2] for each in held if len(each) == 3 and each[2] not in ("None", each[1])]
        return sum(self._is_guarded(number(line)) for line in lines)

    def _is_guarded(self, line: int) -> bool:
        """Whether a generator that stands at a line can see that it is closed."""
        for node, part in self._layout.enclosing(line):
            if isinstance(node, ast.With) or (isinstance(node, ast.Try) and node.finalbody and part != "finalbody"):
                return True
            if isinstance(node, ast.Try) and part == "body" and any(map(_takes_exit, node.handlers)):
                return True
        return False


def _takes_exit(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(not isinstance(kind, ast.Name) or kind.id in ("BaseException", "GeneratorExit") for kind in kinds)
