"""A digest of a task's content: an episode belongs to the program and the tests that were solved, not to their name."""

import dataclasses
import hashlib

NO_CONTENT = ("origin",)
"""Fields that say where a task comes from, and nothing about what it is."""


def digest_of(task: object) -> str:
    """A digest that changes with the content of a task; empty for a task that is no dataclass: only its id is known."""
    if not dataclasses.is_dataclass(task) or isinstance(task, type):
        return ""
    content = [(each.name, getattr(task, each.name)) for each in dataclasses.fields(task)]
    text = repr([each for each in content if each[0] not in NO_CONTENT])
    return hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=12).hexdigest()
