"""A field that a line takes out of an object by its dict, written as a function that reads the field and deletes it.

    self.__dict__.pop("total", None)        ->      _pop_field(self, "total", None)

Rules know a line that reads, sets or deletes one field by the dict of an object (`stepper/objects/field_rules.py`); of
a dict that is kept for a moment they do not know whose it is. Knows only syntax.
"""

import ast

from envs.execution.decompose.rewrites.library_names import (
    fresh_name,
    hides_names,
    occurring_names,
    rebound_builtins,
)
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import filled, in_front, placed
from envs.execution.syntax.program_structure import nodes_of

_POP = """
def NAME(thing, name, *default):
    if name in thing.__dict__:
        value = thing.__dict__[name]
        del thing.__dict__[name]
        return value
    if default:
        return default[0]
    raise KeyError(name)
"""


@rewriting({"vars", "__dict__"}, {"pop"})
def with_popped_fields(tree: ast.Module) -> ast.Module:
    """The program with such lines written as calls; the same tree where it has none."""
    calls = [node for node in nodes_of(tree) if isinstance(node, ast.Call) and _owner(node) is not None]
    if not calls or hides_names(tree) or rebound_builtins(tree) & {"vars", "KeyError"}:
        return tree
    name = fresh_name("_pop_field", occurring_names(tree))
    for node in calls:
        owner = _owner(node)
        assert owner is not None
        node.func, node.args = ast.copy_location(ast.Name(name, ast.Load()), node), [owner, *node.args]
    made = placed(ast.parse(filled(_POP, NAME=name)).body, min(node.lineno for node in calls))
    return in_front(tree, made)


def _owner(node: ast.Call) -> ast.Name | None:
    """The object out of whose dict a call takes a field."""
    if node.keywords or not 1 <= len(node.args) <= 2 or any(isinstance(each, ast.Starred) for each in node.args):
        return None
    fields = node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "pop" else None
    match fields:
        case ast.Attribute(value=ast.Name() as owner, attr="__dict__"):
            return owner
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Name() as owner], keywords=[]):
            return owner
    return None
