"""What one line does to the state, as text: names bound and unbound, objects changed, what was raised.

An effect is the answer to a question about a line, given by Python itself or by a model. Values in it refer to existing
objects by label; a new object is written out where it stands, or under a label the heap does not hold yet.
"""

from dataclasses import dataclass

from envs.execution.state.frames import Bindings, HeapText


@dataclass(frozen=True, slots=True)
class Effect:
    """The change one line makes; names and labels are those of the frame that the question is about."""

    bound: Bindings = ()
    unbound: tuple[str, ...] = ()
    contents: HeapText = ()
    """New content of objects that changed, and of new objects that need a label of their own."""
    raised: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One line, all it reads, and nothing else: what must be known to say its effect."""

    statement: str
    """The line's source; for a loop its header, `for x in _2:`."""
    line: int
    function: str
    reads: Bindings
    """Values of the names it reads, in the order they stand in the statement."""
    heap: HeapText
    """The objects those values reach."""
    globals: Bindings = ()
    """Module variables, given only where the line may call back into the program."""
    hidden: bool = False
    """The line may run functions of the program, which the question does not show."""
