"""Fields that decide the hash of an object: a line that sets one while the object is a key is refused.

A dict and a set keep the hash that a key had when it came; a frame shows the key with the fields that it has now.
"""

import ast
import re
from collections.abc import Mapping

from envs.execution.state.value_grammar import ImpossibleState, Unsupported
from envs.execution.stepper.values.value_rules import closing, is_hashed, split_entry, split_items
from envs.execution.syntax.classes.own_classes import OwnClasses
from envs.execution.syntax.line_map import LineMap
from envs.execution.syntax.program_structure import nodes_of


class HashedFields:
    """The fields by which classes of one program hash their objects."""

    def __init__(self, classes: OwnClasses, layout: LineMap) -> None:
        self._classes = classes
        self._layout = layout

    def check(self, owner: str, name: str, label: int, heap: Mapping[int, str]) -> None:
        """Raise Unsupported for setting such a field of an object that is a key of some dict, or in a set."""
        if self._decides(owner, name) and any(_has_key(content, label) for content in heap.values()):
            raise Unsupported(f"the field {name!r} of a key, whose hash it changes")

    def _decides(self, owner: str, name: str) -> bool:
        member = self._classes.find(owner, "__hash__")
        facts = self._classes[owner].dataclass
        if member is None or member.key is None:
            return facts is not None and facts.unsafe_hash
        inside = nodes_of(self._layout.functions[member.key])
        asked = {node.attr for node in inside if isinstance(node, ast.Attribute)}
        calls = any(isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) for node in inside)
        return name in asked or calls


def _has_key(content: str, label: int) -> bool:
    """Whether a dict or a set holds the object as a key, or in one."""
    if f"#{label}" not in content or not is_hashed(content) or "{" not in content:
        return False
    start = content.index("{")
    try:
        parts = split_items(content[start : closing(content, start)])
        keys = [split_entry(part)[0] if ": " in part else part for part in parts]
    except (ValueError, ImpossibleState):
        return True
    return any(re.search(rf"#{label}\b", key) for key in keys)
