"""The program's own generators by rule: an object on the heap that holds where its function stands and its variables.

    generator('count', 12, 17, i=3, n=5)    the function of line 12, suspended at the `yield` of line 17
    generator('count', 12, 12, n=5)         not begun
    generator('count', 12, None)            under way: its variables are on the stack
    generator()                             ended

Rules make a generator, let it go on where a `for` or `next` asks for it, and write its variables back when it yields.
"""

import ast

from envs.execution.decompose.program import Program
from envs.execution.state.value_grammar import ImpossibleState, Unsupported, label_of, number
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables, Raised
from envs.execution.stepper.objects.object_text import ObjectText
from envs.execution.syntax.line_map import Key
from envs.execution.syntax.suspensions import iterator_moved, suspension_of

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
        """Bind what the `yield` that goes on is worth: None, as nothing was sent."""
        match self._layout.places[builder.line].node:
            case ast.Assign(targets=[ast.Name(id=name)]):
                self._variables.bind(builder, name, "None")
            case ast.Assign():
                raise Unsupported("a yield whose value is taken apart on the same line")

    def made(self, builder: FrameBuilder, key: Key, rows: dict[str, str]) -> str:
        """A new generator that has not begun."""
        label = max(builder.heap, default=0) + 1
        builder.heap[label] = self.suspended(key, key[1], rows)
        return f"#{label}"

    def suspended(self, key: Key, line: int, rows: dict[str, str]) -> str:
        """The content of a generator that stands at a line with these variables."""
        return str(ObjectText(KIND, (repr(key[0]), str(key[1]), str(line)), dict(sorted(rows.items()))))

    def moved(self, builder: FrameBuilder, node: ast.AST) -> int | None:
        """The generator that a line makes go on: of a `for`, or of `next`."""
        name = iterator_moved(node)
        if name is None or (isinstance(node, ast.Assign | ast.Expr) and self._variables.is_module_name("next")):
            return None
        try:
            label = label_of(self._variables.read(builder, name))
        except Raised:
            return None
        return label if label is not None and builder.heap.get(label, "").startswith(f"{KIND}(") else None

    def opened(self, builder: FrameBuilder, label: int) -> tuple[str, int, dict[str, str]] | None:
        """The function, line and variables with which a generator goes on, which it then no longer holds."""
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
        builder.heap[label] = str(ObjectText(KIND, (*held.items[:2], "None")))
        return name, number(held.items[2]), dict(held.fields)

    def apply(self, builder: FrameBuilder, node: ast.AST) -> bool:
        """`iter` of a generator is the generator."""
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
