"""`dataclasses.replace` of objects whose class has a `__post_init__`, written as a call of the class.

    replace(item, price=3)      ->      _replaced(item, price=3)

    def _replaced(thing, **given):
        if type(thing) is Item:
            fields = {"name": thing.name, "price": thing.price}
            fields.update(given)
            return Item(**fields)
        return replace(thing, **given)

Only calls that give fields by name count. Knows only syntax.
"""

import ast
from collections.abc import Collection

from envs.execution.decompose.rewrites.library_names import (
    fresh_name,
    hides_names,
    library_functions,
    occurring_names,
    rebound_builtins,
)
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import filled, in_front, placed
from envs.execution.syntax.classes.own_classes import OwnClasses
from envs.execution.syntax.program_structure import nodes_of

_REPLACE = "dataclasses.replace"
_CASE = """
    if type(THING) is OWNER:
        fields = {FIELDS}
        fields.update(given)
        return OWNER(**fields)
"""


@rewriting({"dataclasses"}, {"__post_init__"})
def with_replaced_fields(tree: ast.Module) -> ast.Module:
    """The program with such calls rewritten; the same tree where it has none."""
    callees = library_functions(tree, [_REPLACE])
    written = any(isinstance(node, ast.FunctionDef) and node.name == "__post_init__" for node in nodes_of(tree))
    if not callees or not written or hides_names(tree) or "type" in rebound_builtins(tree):
        return tree
    classes = OwnClasses(tree)
    fields = {
        name: [each.name for each in mine.dataclass.fields if each.init]
        for name, mine in classes.classes.items()
        if not mine.odd
        and mine.dataclass is not None
        and not mine.dataclass.only_given
        and classes.find(name, "__post_init__") is not None
        and (first := classes.find(name, "__init__")) is not None
        and first.kind == "generated"
    }
    rewriting = _Replacing(callees, set.intersection(*map(set, fields.values())) if fields else set())
    name = rewriting.name = fresh_name("_replaced", occurring_names(tree))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    if not rewriting.lines:
        return tree
    thing = fresh_name("_thing", occurring_names(tree))
    cases = [
        filled(_CASE, THING=thing, OWNER=owner, FIELDS=", ".join(f"{each!r}: {thing}.{each}" for each in names))
        for owner, names in fields.items()
    ]
    source = f"def {name}({thing}, **given):{''.join(cases)}    return {next(iter(callees))}({thing}, **given)\n"
    return in_front(tree, placed(ast.parse(source).body, rewriting.lines[0]))


class _Replacing(ast.NodeTransformer):
    """Calls the function in place of the library's."""

    def __init__(self, callees: Collection[str], fields: set[str]) -> None:
        self._callees, self._fields = callees, fields
        self.name = ""
        self.lines: list[int] = []
        """Lines that were changed."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        given = {word.arg for word in node.keywords}
        if ast.unparse(node.func) in self._callees and len(node.args) == 1 and given <= self._fields:
            self.lines.append(node.lineno)
            node.func = ast.copy_location(ast.Name(self.name, ast.Load()), node.func)
        return node
