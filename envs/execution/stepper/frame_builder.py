"""A frame being changed, as text: lives for one step and knows no rule."""

from dataclasses import dataclass, field

from envs.execution.state.frames import Activation, Frame
from envs.execution.state.value_grammar import ImpossibleState, label_of, number
from envs.execution.text.value_writers import Waiting


@dataclass(slots=True)
class FrameBuilder:
    """A frame being changed; lives for one step."""

    stack: list[Activation]
    locals: dict[str, str]
    heap: dict[int, str]
    globals: dict[str, str]
    before: frozenset[int]
    line: int = 0
    waiting: dict[int, Waiting] = field(default_factory=dict)
    frame: Frame | None = None
    """As it was."""

    @classmethod
    def of(cls, frame: Frame) -> "FrameBuilder":
        heap = dict(frame.heap)
        builder = cls(list(frame.stack[:-1]), {}, heap, dict(frame.globals), before=frozenset(heap), frame=frame)
        builder._open(frame.stack[-1])
        return builder

    def _open(self, activation: Activation) -> None:
        self.line = activation.line
        rows = dict(activation.locals)
        if activation.locals and activation.locals[0][0] < "A":  # names are sorted, and `@` stands before all letters
            waiting = [name for name in rows if name.startswith("@")]
            self.waiting = {number(name[1:]): _waiting(rows.pop(name)) for name in waiting}
        else:
            self.waiting = {}
        self.locals = rows

    def cell(self, text: str) -> int | None:
        """The label of the cell that a variable's text refers to, if it is one."""
        label = label_of(text)
        if label is None:
            return None
        if label not in self.heap:
            raise ImpossibleState(f"reference #{label} to an object that is not there")
        return label if self.heap[label].startswith("cell(") else None

    def pop(self) -> None:
        self._open(self.stack.pop())

    def waiting_caller(self) -> "FrameBuilder":
        """The function that waits for this one, to read its variables."""
        if not self.stack:
            raise ImpossibleState("a generator that goes on while no function waits for it")
        caller = FrameBuilder(self.stack[:-1], {}, self.heap, self.globals, before=self.before)
        caller._open(self.stack[-1])
        return caller

    def push(self, function: str, line: int, values: dict[str, str], here: Activation) -> None:
        self.stack.append(here)
        self.locals, self.line, self.waiting = values, line, {}

    def rows(self) -> dict[str, str]:
        """All that stands in the present activation: variables, and what waits."""
        if not self.waiting:
            return self.locals
        return self.locals | {f"@{line}": _waiting_text(each) for line, each in self.waiting.items()}


def _waiting(text: str) -> Waiting:
    kind, _, value = text.partition(" ")
    return Waiting(kind, value)  # type: ignore[arg-type]


def _waiting_text(waiting: Waiting) -> str:
    return f"{waiting.kind} {waiting.value}" if waiting.kind not in ("break", "continue") else waiting.kind
