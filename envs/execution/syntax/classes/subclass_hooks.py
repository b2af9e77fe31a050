"""What `__init_subclass__` does to the classes below: rules know them where it sets no more than plain data.

    def __init_subclass__(cls, name="", **given):
        super().__init_subclass__(**given)
        cls.name = name                 an attribute of the class, which a frame shows as `Child.name`
        Base.kinds[name] = cls

Knows only syntax.
"""

import ast
from collections.abc import Iterator

from envs.execution.syntax.program_structure import Function, nodes_of

_SETTERS = frozenset({"setattr", "vars", "delattr", "type"})


def sets_plain_data(node: Function, tree: ast.Module) -> bool:
    """Whether a function sets no attribute but such as `cls.name`, under names that no class binds to anything else."""
    inside = nodes_of(node)
    reads = [each.value for each in inside if isinstance(each, ast.Attribute) and each.attr == "__dict__"]
    reads += [each.args[0] for each in inside if isinstance(each, ast.Call) and _is_vars(each)]
    names = [each.id for each in inside if isinstance(each, ast.Name) and each.id in _SETTERS]
    if len(names) != sum(isinstance(each, ast.Call) and _is_vars(each) for each in inside):
        return False
    if not all(isinstance(each, ast.Name) and each.id == "cls" for each in reads):
        return False  # the dict of a class cannot be changed
    stores = [each for each in inside if isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Load)]
    if not stores:
        return True
    first = next((each.arg for each in (*node.args.posonlyargs, *node.args.args)), "")
    rebound = any(isinstance(each, ast.Name) and each.id == "cls" and _is_set(each) for each in inside)
    plain = first == "cls" and not rebound and all(_is_plain(each) for each in stores)
    return plain and not {each.attr for each in stores} & set(_members(tree))


def _is_plain(node: ast.Attribute) -> bool:
    """Whether it sets a public attribute of the class that the function is given."""
    own = isinstance(node.value, ast.Name) and node.value.id == "cls"
    return own and isinstance(node.ctx, ast.Store) and not node.attr.startswith("__")


def _is_vars(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "vars" and len(node.args) == 1


def _is_set(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _members(tree: ast.Module) -> Iterator[str]:
    """Names that classes give to methods and inner classes, and those that they annotate, as fields of dataclasses."""
    for node in nodes_of(tree):
        for each in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(each, Function | ast.ClassDef):
                yield each.name
            elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                yield each.target.id
