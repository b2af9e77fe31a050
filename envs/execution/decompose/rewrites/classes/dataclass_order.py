"""What `@dataclass(order=True)` and fields with `compare=False` generate, written as methods of the class.

    @dataclass(order=True)      ->      @dataclass()
    class Task:                         class Task:
        priority: int                       ...
        name: str = field(compare=False)    def __lt__(self, other):
                                                return (self.priority,) < (other.priority,) if ... else NotImplemented

The text of an object does not show which of its fields are compared, so no answer of a model could tell; the methods
are steps. A class that compares all its fields for equality alone stays as it is. Knows only syntax.
"""

import ast
from collections.abc import Collection

from envs.execution.decompose.rewrites.library_names import library_functions, rebound_builtins
from envs.execution.decompose.rewrites.written_functions import placed
from envs.execution.syntax.classes.dataclass_fields import DataclassFacts
from envs.execution.syntax.classes.own_classes import OwnClasses
from envs.execution.syntax.python_version import EQUAL_BY_FIELDS

_SIGNS = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
_METHOD = """
def NAME(self, other):
    return VALUE if type(other) is type(self) else NotImplemented
"""


def with_written_order(tree: ast.Module) -> ast.Module:
    """The program with such methods written out; changes its classes."""
    decorators = library_functions(tree, ["dataclasses.dataclass"])
    if not decorators or {"type", "NotImplemented"} & rebound_builtins(tree):
        return tree
    classes = OwnClasses(tree)
    for node in tree.body:
        known = classes.known(node.name) if isinstance(node, ast.ClassDef) else None
        if known is not None and known.dataclass is not None and isinstance(node, ast.ClassDef):
            _write(node, known.dataclass, decorators)
    return ast.fix_missing_locations(tree)


def _write(node: ast.ClassDef, facts: DataclassFacts, decorators: Collection[str]) -> None:
    made = [each for each in node.decorator_list if isinstance(each, ast.Call)]
    plain = [each for each in node.decorator_list if not isinstance(each, ast.Call)]
    names = [ast.unparse(each.func) for each in made] + [ast.unparse(each) for each in plain]
    if len(names) != 1 or names[0] not in decorators:
        return
    own = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    fields = [each.name for each in facts.fields if each.compare and not each.only_given]
    private = any(each.name.startswith("__") for each in facts.fields)
    if private or own & _SIGNS.keys():
        return
    if facts.eq and "__eq__" not in own and len(fields) < len([each for each in facts.fields if not each.only_given]):
        _add(node, "__eq__", _equality(fields))
    if facts.order and facts.eq and made:
        made[0].keywords = [word for word in made[0].keywords if word.arg != "order"]
        for name, sign in _SIGNS.items():
            _add(node, name, f"{_listed('self', fields)} {sign} {_listed('other', fields)}")


def _add(node: ast.ClassDef, name: str, value: str) -> None:
    node.body += placed(ast.parse(_METHOD.replace("NAME", name).replace("VALUE", value)).body, node.lineno)


def _equality(fields: list[str]) -> str:
    if EQUAL_BY_FIELDS:
        compared = " and ".join(f"self.{name} == other.{name}" for name in fields) or "True"
        return f"(self is other or ({compared}))"
    return f"{_listed('self', fields)} == {_listed('other', fields)}"


def _listed(owner: str, fields: list[str]) -> str:
    return f"({''.join(f'{owner}.{name}, ' for name in fields)})"
