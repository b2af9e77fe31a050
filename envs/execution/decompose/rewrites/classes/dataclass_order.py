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
from collections.abc import Callable, Collection, Mapping, Sequence

from envs.execution.decompose.rewrites.library_names import library_functions, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import DECORATED_CLASS, rewriting
from envs.execution.decompose.rewrites.written_functions import placed
from envs.execution.syntax.classes.dataclass_fields import DataclassFacts
from envs.execution.syntax.classes.own_classes import OwnClasses
from envs.execution.syntax.python_version import EQUAL_BY_FIELDS

_SIGNS = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
NamesOwn = Callable[[str, str], bool]
_METHOD = """
def NAME(self, other):
    return VALUE if type(other) is type(self) else NotImplemented
"""


@rewriting({"dataclasses"}, {DECORATED_CLASS}, in_place=True)
def with_written_order(tree: ast.Module) -> ast.Module:
    """The program with such methods written out; changes its classes."""
    decorators = library_functions(tree, ["dataclasses.dataclass"])
    if not decorators or {"type", "NotImplemented"} & rebound_builtins(tree):
        return tree
    classes = OwnClasses(tree)
    nodes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in tree.body:
        known = classes.known(node.name) if isinstance(node, ast.ClassDef) else None
        if known is not None and known.dataclass is not None and isinstance(node, ast.ClassDef):
            _write(node, known.dataclass, decorators, _names_own(classes, node.name, nodes))
    return ast.fix_missing_locations(tree)


def _names_own(classes: OwnClasses, owner: str, nodes: Mapping[str, ast.ClassDef]) -> NamesOwn:
    """Whether a field, by its annotation, holds an object of the program, whose class writes some method."""
    hints = {
        each.target.id: {part.id for part in ast.walk(each.annotation) if isinstance(part, ast.Name)}
        for name in reversed(classes[owner].lineage)
        for each in nodes[name].body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }

    def names_own(name: str, method: str) -> bool:
        own = [kind for kind in hints.get(name, ()) if kind in classes]
        found = [classes.find(kind, method) for kind in own if method]
        return any(each is not None and each.key is not None for each in found) if method else bool(own)

    return names_own


def _by_parts(name: str, fields: Sequence[str], own: Sequence[str]) -> str:
    """The method that compares field by field, as tuples do: the first that is not equal decides."""
    lines = [f"def {name}(self, other):", "    if type(other) is not type(self):", "        return NotImplemented"]
    for each in fields:
        same = f"self.{each} is other.{each} or " if each in own else ""
        lines += [f"    if not ({same}self.{each} == other.{each}):"]
        lines += [f"        return self.{each} {_SIGNS[name]} other.{each}"]
    return "\n".join([*lines, f"    return {name in ('__le__', '__ge__')}"])


def _write(node: ast.ClassDef, facts: DataclassFacts, decorators: Collection[str], names_own: NamesOwn) -> None:
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
    held = [each for each in fields if names_own(each, "__eq__")]
    partial = len(fields) < len([each for each in facts.fields if not each.only_given])
    if facts.eq and "__eq__" not in own and (partial or held):
        _add(node, "__eq__", _equality(fields, held))
    if facts.order and facts.eq and made:
        made[0].keywords = [word for word in made[0].keywords if word.arg != "order"]
        ordered = [each for each in fields if names_own(each, "")]
        for name, sign in _SIGNS.items():
            if ordered:
                node.body += placed(ast.parse(_by_parts(name, fields, ordered)).body, node.lineno)
            else:
                _add(node, name, f"{_listed('self', fields)} {sign} {_listed('other', fields)}")


def _add(node: ast.ClassDef, name: str, value: str) -> None:
    node.body += placed(ast.parse(_METHOD.replace("NAME", name).replace("VALUE", value)).body, node.lineno)


def _equality(fields: list[str], held: list[str]) -> str:
    if held and not EQUAL_BY_FIELDS:  # tuples compare no object with itself
        first = {name: f"self.{name} is other.{name} or " if name in held else "" for name in fields}
        return " and ".join(f"({first[name]}self.{name} == other.{name})" for name in fields)
    if EQUAL_BY_FIELDS:
        compared = " and ".join(f"self.{name} == other.{name}" for name in fields) or "True"
        return f"(self is other or ({compared}))"
    return f"{_listed('self', fields)} == {_listed('other', fields)}"


def _listed(owner: str, fields: list[str]) -> str:
    return f"({''.join(f'{owner}.{name}, ' for name in fields)})"
