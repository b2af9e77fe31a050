"""Texts of lists, tuples and dicts that hold objects with a `__repr__` of their own, written as a function.

    str(cards), repr(cards), f"{cards}", print(cards)     a function that asks one item after another for its text
    print("cards:", cards)                                one `print` for each, as C code asks for them

Only what surely holds such objects is rewritten (`held_objects.py`). A program whose `__repr__` changes anything stays
as it is, and so does one with dataclasses whose text may lead back to a container. Knows only syntax.
"""

import ast
from collections.abc import Iterator, Mapping

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.objects.held_objects import HeldObjects
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed, runs_before
from envs.execution.syntax.classes.own_classes import OwnClasses, own_classes
from envs.execution.syntax.program_structure import nodes_of

_TEXTS = ("__repr__", "__str__", "__format__")
_CHANGING = frozenset("append add pop update clear remove insert extend setdefault sort reverse setattr".split())
_PLAIN = frozenset({"int", "str", "float", "bool"})
_USED = frozenset("str repr print format type list tuple dict".split())
_HELPER = """
NAME_open = []
def NAME(value):
    kind = type(value)
    if kind is not list and kind is not tuple and kind is not dict:
        return repr(value)
    ends = repr(kind())
    if not value:
        return ends
    for each in NAME_open:
        if each is value:
            return ends[0] + "..." + ends[1]
    NAME_open.append(value)
    parts = []
    try:
        if kind is dict:
            for key, item in value.items():
                text = NAME(key)
                parts.append(text + ": " + NAME(item))
        else:
            for item in value:
                parts.append(NAME(item))
    finally:
        NAME_open.pop()
    if kind is tuple and len(parts) == 1:
        return "(" + parts[0] + ",)"
    return ends[0] + ", ".join(parts) + ends[1]
"""
_VARIANT = """
def NAME_CALLEE(value):
    kind = type(value)
    if kind is list or kind is tuple or kind is dict:
        return NAME(value)
    return CALLEE(value)
"""


@rewriting({ast.ClassDef}, {*_TEXTS}, in_place=True)
def with_written_texts(tree: ast.Module) -> ast.Module:
    """The program with such texts written out; the same tree where it has none."""
    classes = own_classes(tree)
    texts, shown = [
        [name for name, each in classes.classes.items() if not each.odd and _writes_text(classes, name, *methods)]
        for methods in (("__repr__",), _TEXTS)
    ]
    if not shown or hides_names(tree) or rebound_builtins(tree) & _USED or runs_before(tree, shown):
        return tree
    if _changes_in_text(tree) or any(map(_may_lead_back, tree.body)) or _has_circles(tree, texts):
        return tree
    held, objects = HeldObjects(tree, texts), HeldObjects(tree, shown)
    rewriting = _Texts(held, objects, fresh_name("_text", occurring_names(tree)))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    return in_front(tree, rewriting.helpers()) if rewriting.line else tree


def _writes_text(classes: OwnClasses, name: str, *methods: str) -> bool:
    """Whether a class, or one that it derives from, has one of some methods; exceptions are values."""
    members = [classes.find(name, method) for method in methods]
    return any(member is not None and member.key is not None for member in members) and not classes[name].exception


def _has_circles(tree: ast.Module, texts: list[str]) -> bool:
    """Whether the text of an object may lead back to a container that is being written.

    Python stops there with `[...]`, each function by what it has begun itself.
    """
    held = {name: HeldObjects(tree, [name]) for name in texts}
    shows = {name: frozenset(_shown(tree, name, held)) for name in texts}
    for name in texts:
        reached, pending = set[str](), [name]
        while pending:
            inner = shows.get(pending.pop(), frozenset()) - reached
            reached |= inner
            pending += inner
        if name in reached:
            return True
    return False


def _shown(tree: ast.Module, name: str, held: Mapping[str, HeldObjects]) -> Iterator[str]:
    """The classes whose objects the containers may hold that objects of a class show, or are made with."""
    nodes = nodes_of(tree)
    classes = [node for node in nodes if isinstance(node, ast.ClassDef) and node.name == name]
    methods = [each for node in classes for each in node.body if isinstance(each, ast.FunctionDef)]
    parts = [each for method in methods for each in nodes_of(method) if isinstance(each, ast.Attribute)]
    calls = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == name]
    given = [each for call in calls for each in (*call.args, *(word.value for word in call.keywords))]
    names = {each.attr for each in parts}
    unknown = any(HeldObjects(tree, held).puts_unknown(attribute) for attribute in names)
    for other, facts in held.items():
        if unknown or any(facts.holds(each, 0) for each in parts) or any(map(facts.holds_anywhere, given)):
            yield other


def _changes_in_text(tree: ast.Module) -> bool:
    """Whether a method that writes an object's text may change something on the way."""
    methods = [node for node in nodes_of(tree) if isinstance(node, ast.FunctionDef) and node.name in _TEXTS]
    inside = [each for method in methods for each in nodes_of(method)]
    return any(
        (isinstance(each, ast.Attribute) and (not isinstance(each.ctx, ast.Load) or each.attr in _CHANGING))
        or (isinstance(each, ast.Subscript) and not isinstance(each.ctx, ast.Load))
        or isinstance(each, ast.Global | ast.Nonlocal)
        for each in inside
    )


def _may_lead_back(node: ast.stmt) -> bool:
    """Whether it is a class with a text of the library's that shows more than plain values."""
    if not isinstance(node, ast.ClassDef) or not node.decorator_list:
        return False
    if any(isinstance(each, ast.FunctionDef) and each.name == "__repr__" for each in node.body):
        return False
    return any(isinstance(each, ast.AnnAssign) and ast.unparse(each.annotation) not in _PLAIN for each in node.body)


class _Texts(ast.NodeTransformer):
    """The rewriting of one program."""

    def __init__(self, held: HeldObjects, objects: HeldObjects, name: str) -> None:
        self._held = held
        self._objects = objects
        self._name = name
        self._place = 0
        self._callees: list[str] = []
        self.line = 0
        """The first line that needs the functions; 0 where there is none."""

    def helpers(self) -> list[ast.stmt]:
        """The functions that take the place of calls."""
        variants = [_VARIANT.replace("CALLEE", callee) for callee in self._callees]
        return placed(ast.parse("".join([_HELPER, *variants]).replace("NAME", self._name)).body, self.line)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function, whose names count inside it."""
        outer, self._place = self._place, node.lineno
        self.generic_visit(node)
        self._place = outer
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call of `str` or `repr`, or of `print` with one argument."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="str" | "repr" as name), args=[value], keywords=[]):
                return self._written(name, value) if self._held.holds(value, self._place) else node
            case ast.Call(func=ast.Name(id="print"), args=[value]) if self._held.holds(value, self._place):
                node.args = [self._written("str", value)]
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.FormattedValue:
        """A value in an f-string, without a format."""
        self.generic_visit(node)
        callee = {-1: "format", ord("s"): "str", ord("r"): "repr"}.get(node.conversion)
        if callee and node.format_spec is None and self._held.holds(node.value, self._place):
            node.value, node.conversion = self._written(callee, node.value), -1
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        """A `print` of several values, written as one for each: C code writes each before it asks for the next."""
        match node.value:
            case ast.Call(func=ast.Name(id="print"), args=[_, _, *_] as args, keywords=[]) if self._shows(args):
                return self._several(node, args)
        self.generic_visit(node)
        return node

    def _several(self, node: ast.Expr, args: list[ast.expr]) -> list[ast.stmt]:
        """The values first, then the lines that print them."""
        first, lines = list[ast.stmt](), list[ast.stmt]()
        for place, value in enumerate(args):
            shown = value
            if not isinstance(value, ast.Constant):
                name = f"{self._name}_{place}"
                first.append(ast.Assign([ast.Name(name, ast.Store())], self.visit(value)))
                shown = ast.copy_location(ast.Name(name, ast.Load()), value)
            if self._held.holds(value, self._place):
                shown = self._written("str", shown)
            elif not isinstance(value, ast.Constant):
                shown = ast.Call(ast.Name("str", ast.Load()), [shown], [])
            end = [] if place == len(args) - 1 else [ast.keyword("end", ast.Constant(" "))]
            lines.append(ast.Expr(ast.Call(ast.Name("print", ast.Load()), [shown], end)))
        return [ast.fix_missing_locations(ast.copy_location(each, node)) for each in (*first, *lines)]

    def _shows(self, args: list[ast.expr]) -> bool:
        """Whether one of several values has a text that the program writes."""
        if any(isinstance(each, ast.Starred) for each in args):
            return False
        return any(self._held.holds(each, self._place) or self._objects.is_object(each, self._place) for each in args)

    def _written(self, callee: str, value: ast.expr) -> ast.expr:
        self.line = self.line or value.lineno
        if callee not in self._callees:
            self._callees.append(callee)
        called = ast.Call(ast.Name(f"{self._name}_{callee}", ast.Load()), [value], [])
        return ast.fix_missing_locations(ast.copy_location(called, value))
