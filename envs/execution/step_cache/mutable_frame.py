"""A frame that compiled steps change in place; labels stay, and unreachable objects are removed late.

A step that makes no new object costs only what it changes. `MutableFrame.frame` gives the frame that `stepper.py` would
have built. Knows no rule: where a step leads is decided in `compiled_steps.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from envs.execution.state.frames import Activation, Bindings, Event, Frame
from envs.execution.state.value_grammar import label_of, references
from envs.execution.text.canonical_labels import CanonicalLabels

_MOST_KNOWN = 50_000
_known: dict[str, tuple[int, ...]] = {}
"""References of texts, cached."""


class CodePosition(Protocol):
    """Where an execution stands: the event, function and line of its frame, and the step from there."""

    @property
    def event(self) -> Event: ...
    @property
    def function(self) -> str: ...
    @property
    def line(self) -> int: ...

    def step(self, state: "MutableFrame") -> bool:
        """Take the step if it is known; False leaves the state unchanged."""
        ...


class WaitingCaller:
    """A function that waits for a call; its variables are those it will continue with."""

    __slots__ = ("function", "line", "variables")

    def __init__(self, function: str, line: int, variables: dict[str, str]) -> None:
        self.function = function
        self.line = line
        self.variables = variables

    def activation(self) -> Activation:
        return Activation(self.function, self.line, tuple(sorted(self.variables.items())))


class MutableFrame:
    """The state of one execution; `heap` may hold objects that nothing reaches any more."""

    __slots__ = ("arg", "asked", "callers", "globals", "heap", "logprob", "now", "shared", "variables")

    def __init__(self, frame: Frame, now: CodePosition) -> None:
        self.now = now
        self.asked = 0
        """Steps taken by a cached effect, which an oracle once gave."""
        self.logprob = 0.0
        """Sum of the log-probabilities of these effects."""
        self.variables = dict(frame.locals)
        self.heap = dict(frame.heap)
        self.callers: list[WaitingCaller | Activation] = list(frame.stack[:-1])
        self.globals = frame.globals
        self.shared = dict(frame.globals)
        self.arg = frame.arg

    @property
    def depth(self) -> int:
        return len(self.callers) + 1

    def frame(self) -> Frame:
        """The state as a frozen frame."""
        now = self.now
        stack = (*self._waiting(), Activation(now.function, now.line, tuple(sorted(self.variables.items()))))
        return Frame(now.event, stack, tuple(sorted(self.swept().items())), self.globals, arg=self.arg)

    def may_be(self, frame: Frame) -> bool:
        """False where the state cannot equal the given frame; compares without removing unreachable objects."""
        variables, heap = self.variables, self.heap
        return (
            self.now.line == frame.line
            and len(self.callers) + 1 == len(frame.stack)
            and len(variables) == len(frame.locals)
            and all(variables.get(name) == text for name, text in frame.locals)
            and all(heap.get(label) == content for label, content in frame.heap)
        )

    def contents(self, roots: tuple[int, ...]) -> tuple[str, ...]:
        """Contents of all objects that `roots` reach, the roots first."""
        heap = self.heap
        pending, seen, found = list(roots), set(roots), []
        for label in pending:
            content = heap[label]
            found.append(content)
            if "#" in content:
                for inner in labels_in(content):
                    if inner not in seen:
                        seen.add(inner)
                        pending.append(inner)
        return tuple(found)

    def swept(self) -> dict[int, str]:
        """The heap, after unreachable objects were removed from it."""
        heap, now = self.heap, dict[int, str]()
        pending = [label for text in self._texts() if "#" in text for label in labels_in(text)]
        for label in pending:
            if label not in now:
                content = now[label] = heap[label]
                if "#" in content:
                    pending += labels_in(content)
        self.heap = now
        return now

    def relabel(self, before: Iterable[int]) -> None:
        """Give new objects the labels that a frame would give them; `before` are the labels of the frame before."""
        labels = CanonicalLabels(self.heap, before)
        labels.rows(self.globals)
        self.callers = list(self._waiting())
        for caller in self.callers:
            assert isinstance(caller, Activation)
            labels.rows(caller.locals)
        self.variables = dict(labels.bindings(self.variables.items()))
        self.heap = dict(labels.heap())

    def _texts(self) -> Iterator[str]:
        yield from self.shared.values()
        for caller in self.callers:
            if isinstance(caller, WaitingCaller):
                yield from caller.variables.values()
            else:
                yield from [text for _, text in caller.locals]
        yield from self.variables.values()
        if self.arg is not None:
            yield self.arg

    def _waiting(self) -> Iterator[Activation]:
        for caller in self.callers:
            yield caller.activation() if isinstance(caller, WaitingCaller) else caller


def labels_in(text: str) -> tuple[int, ...]:
    """The labels that a text refers to, each once."""
    if "#" not in text:
        return ()
    found = _known.get(text)
    if found is None:
        if len(_known) > _MOST_KNOWN:
            _known.clear()
        found = _known[text] = tuple(dict.fromkeys(references(text)))
    return found


def is_open(rows: Bindings, heap: Mapping[int, str], plain: frozenset[str]) -> bool:
    """Whether nothing waits at a `try`, and no variable that is `plain` stands in a cell."""
    if rows and rows[0][0] < "A" and any(name.startswith("@") for name, _ in rows):
        return False
    labels = [(name, label) for name, text in rows if (label := label_of(text)) is not None]
    return not any(name in plain and heap[label].startswith("cell(") for name, label in labels)
