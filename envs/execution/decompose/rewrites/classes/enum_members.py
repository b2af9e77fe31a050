"""Members of enums whose values only running the program tells, read through variables of the module.

    class Period(Enum):                     class Period(Enum):
        WEEK = timedelta(days=7)                WEEK = timedelta(days=7)
                                            _Period_WEEK = Period.WEEK
    def f(): return Period.WEEK             def f(): return _Period_WEEK
    for period in Period: ...               for period in _all_Period: ...
    Period(days)                            _Period_of(days), a function that goes through the members

Frames show such a variable, so reading it is a rule. A function that `__init__` puts into a member is looked up before
it is called, on a line of its own. Of an enum whose values are constants rules know the members
(`syntax/classes/library_classes.py`). Knows only syntax.
"""

import ast
from collections import Counter
from collections.abc import Collection, Mapping, Set

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import filled, placed, runs_before
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.classes.library_classes import opaque_enums
from envs.execution.syntax.program_structure import nodes_of

_EVERY = "*"
"""Stands for all members among the names of members."""
_OF = "()"
"""Stands for the call that finds a member by its value."""
_FINDING = """
def NAME(value):
    if type(value) is OWNER:
        return value
    for each in MEMBERS:
        if each.value == value:
            return each
    raise ValueError(f"{value!r} is not a valid OWNER")
"""
_FINDING_NAN = """
    if value != value:
        for each in MEMBERS:
            if value in (each.value,):
                return each
    raise ValueError"""
"""What comes behind the loop where the program may have a NaN: it is found by being it, as it equals nothing."""
_OTHERWISE = frozenset({"_missing_", "_value_", "value", "__eq__", "__hash__"})
"""What an enum may write so that a value finds another member."""
CONSUMERS = frozenset(
    "list tuple set frozenset sorted max min sum len enumerate zip iter any all reversed map filter".split()
)
"""Builtins that go through what they are given."""


@rewriting({ast.ClassDef}, {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
def with_member_variables(tree: ast.Module) -> ast.Module:
    """The program with such variables; the same tree where no function reads a member of such an enum."""
    nodes = nodes_of(tree)
    enums = opaque_enums(tree)
    if not enums or hides_names(tree) or runs_before(tree, set(enums)) or "setattr" in occurring_names(tree):
        return tree
    times = Counter(bound_in(tree))
    stored = {node.attr for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)}
    taken, read = occurring_names(tree), _read_members(tree)
    rebound = rebound_builtins(tree)
    read |= {(owner, _EVERY) for owner in enums if not (CONSUMERS | {"type"}) & rebound}
    names = {
        (owner, name): fresh_name(f"_all_{owner}" if name == _EVERY else f"_{owner}_{name}", taken)
        for owner, members in enums.items()
        for name in (*members, _EVERY)
        if times[owner] == 1 and name not in stored and (owner, name) in read
    }
    found = {owner for owner, name in names if name == _EVERY and _finds_plainly(tree, owner)}
    names |= {(owner, _OF): fresh_name(f"_{owner}_of", taken) for owner in found}
    reading = _Reading(names, _set_attributes(tree, enums))
    finding = _FINDING.replace("\n    raise ValueError", _FINDING_NAN) if any(map(_is_nan, nodes)) else _FINDING
    body = [reading.visit(node) for node in tree.body]
    if not reading.used:
        return tree
    for place, node in reversed(list(enumerate(body))):
        made = [key for key in names if isinstance(node, ast.ClassDef) and key[0] == node.name and key in reading.used]
        body[place + 1 : place + 1] = [_made(names, key, node, finding) for key in made]
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


def _set_attributes(tree: ast.Module, enums: Collection[str]) -> set[str]:
    """Attributes that an `__init__` of such an enum sets, which may hold functions of the program."""
    return {
        each.attr
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name in enums
        for each in nodes_of(node)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
    }


def _is_nan(node: ast.AST) -> bool:
    """Whether a node may mean a number that equals nothing, itself included."""
    match node:
        case ast.Constant(value=str(text)) | ast.Name(id=text) | ast.Attribute(attr=text) | ast.alias(name=text):
            return text.strip(" +-").lower() in ("nan", "snan")
        case ast.BinOp(left=left, op=ast.Sub() | ast.Mult(), right=right):
            return any("inf" in ast.unparse(each).lower() for each in (left, right))
    return False


def _finds_plainly(tree: ast.Module, owner: str) -> bool:
    """Whether the enum finds a member by nothing but its value."""
    nodes = [
        part for node in tree.body if isinstance(node, ast.ClassDef) and node.name == owner for part in nodes_of(node)
    ]
    written = {part.attr for part in nodes if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load)}
    written |= {part.name for part in nodes if isinstance(part, ast.FunctionDef)}
    flags = any(isinstance(part, ast.ClassDef) and ast.unparse(part.bases[0]).endswith("Flag") for part in nodes)
    return not flags and not written & _OTHERWISE


def _made(names: Mapping[tuple[str, str], str], key: tuple[str, str], place: ast.stmt, finding: str) -> ast.stmt:
    """The assignment of a member, or of all of them, to its variable; or the function that finds one by its value."""
    owner, name = key
    if name == _OF:
        source = filled(finding, NAME=names[key], OWNER=owner, MEMBERS=names[owner, _EVERY])
        return placed(ast.parse(source).body, place.lineno)[0]
    held = ast.Name(owner, ast.Load())
    value = ast.Attribute(held, name, ast.Load()) if name != _EVERY else ast.Tuple([ast.Starred(held)], ast.Load())
    return ast.copy_location(ast.Assign([ast.Name(names[key], ast.Store())], value), place)


def _read_members(tree: ast.Module) -> set[tuple[str, str]]:
    """Attributes of names that the program reads."""
    found = [node for node in nodes_of(tree) if isinstance(node, ast.Attribute)]
    return {(node.value.id, node.attr) for node in found if isinstance(node.value, ast.Name)}


class _Reading(ast.NodeTransformer):
    """Lets expressions read the variables; the values of patterns stay attributes."""

    def __init__(self, names: Mapping[tuple[str, str], str], attributes: Set[str]) -> None:
        self._names, self._attributes = names, attributes
        self.used: set[tuple[str, str]] = set()

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.MatchValue:
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if (owner, name) in self._names:
                return self._variable((owner, name), node)
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        node.iter = self._members(node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.iter = self._members(node.iter)
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in self._attributes:
            node.func.holds_function = True  # type: ignore[attr-defined]
        if isinstance(node.func, ast.Name) and node.func.id in CONSUMERS:
            node.args = [self._members(each) for each in node.args]
        match node:
            case ast.Call(func=ast.Name(id=owner), args=[given], keywords=[]) if (owner, _OF) in self._names:
                if not isinstance(given, ast.Starred):
                    self.used.add((owner, _EVERY))
                    node.func = self._variable((owner, _OF), node.func)
        return node

    def _members(self, node: ast.expr) -> ast.expr:
        """All members in place of the enum that is gone through."""
        match node:
            case ast.Name(id=owner) if (owner, _EVERY) in self._names:
                return self._variable((owner, _EVERY), node)
        return node

    def _variable(self, key: tuple[str, str], node: ast.expr) -> ast.Name:
        self.used.add(key)
        return ast.copy_location(ast.Name(self._names[key], ast.Load()), node)
