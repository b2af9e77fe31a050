"""What a value is among the program's classes, and which function a line calls because of it: words of object rules."""

import ast
from dataclasses import dataclass, field
from typing import Literal, Protocol

from envs.execution.syntax.line_map import Key

Role = Literal["instance", "class", "super", "bound", "turns"]
"""What a value is: an object, a class, `super`, a bound method, or an iterator that indexes an object."""
Ending = Literal["value", "made", "true", "false", "item", "nothing"]
"""What the line does with the value: bind it, bind the object made, bind or branch on its truth or the opposite, enter
a loop's body with it, or nothing."""
NEW = "new"
"""The receiver of a constructor: the object that the line makes."""


@dataclass(frozen=True, slots=True)
class ObjectKind:
    """A value that is an object or a class of the program, or leads to one."""

    role: Role
    owner: str
    """The class of the object, or the class itself."""
    text: str = ""
    """The value's text, of `super` and of a bound method the text of its object; empty for live values."""
    after: str | None = None
    """Of `super`: the class behind which it begins to look."""
    name: str = ""
    """Of a bound method: its name. Of an iterator that indexes its object: the next index."""
    is_class: bool = False
    """Of `super` and a bound method: whether its object is a class."""


class ObjectScope(Protocol):
    """What a line's names stand for."""

    def kind(self, atom: ast.expr) -> ObjectKind | None: ...
    def has_field(self, kind: ObjectKind, name: str) -> bool: ...
    def shared(self, owner: str, name: str) -> ObjectKind | None: ...
    def holds(self, owner: str, name: str) -> bool: ...
    def is_builtin(self, name: str) -> bool: ...
    def private(self, name: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Attempt:
    """One function that Python calls; where it returns NotImplemented, the next attempt follows."""

    key: Key
    receiver: str | None
    """Text of the first argument, `NEW` for the object being made; None where there is none."""
    operands: tuple[ast.expr, ...] = ()
    more: tuple[str, ...] = ()
    """Texts of arguments between the receiver and the operands."""
    call: ast.Call | None = field(default=None, compare=False)
    """Whose arguments follow the receiver."""
    ending: Ending = "value"
