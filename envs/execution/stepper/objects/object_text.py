"""An object's content as its kind, items and fields: `Point(x=1, y=#2)`, `deque([1], 5)`, `Failure('no', code=3)`.

This is how every object with named state is written on the heap, and the one place that takes such a text apart: a rule
reads or replaces one part and writes the rest back unchanged. A further kind of object (a container of a library) needs
a writer in `text/value_writers.py`, a maker in `text/object_constructors.py`, and rules that work on its items.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from envs.execution.stepper.values.value_rules import split_items

_FIELD = re.compile(r"([^\W\d]\w*)=(.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ObjectText:
    """The parts of a content; fields stand in the order in which they were set."""

    kind: str
    items: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, content: str) -> "ObjectText":
        kind, _, inner = content.partition("(")
        items: list[str] = []
        fields: dict[str, str] = {}
        for part in split_items(f"({inner[:-1]})"):
            match = _FIELD.match(part)
            if match:
                fields[match[1]] = match[2]
            else:
                items.append(part)
        return cls(kind, tuple(items), fields)

    def __str__(self) -> str:
        parts = [*self.items, *[f"{name}={text}" for name, text in self.fields.items()]]
        return f"{self.kind}({', '.join(parts)})"

    def with_field(self, name: str, text: str) -> "ObjectText":
        return ObjectText(self.kind, self.items, {**self.fields, name: text})

    def without_field(self, name: str) -> "ObjectText":
        return ObjectText(self.kind, self.items, {each: text for each, text in self.fields.items() if each != name})

    def with_items(self, items: tuple[str, ...]) -> "ObjectText":
        return ObjectText(self.kind, items, self.fields)
