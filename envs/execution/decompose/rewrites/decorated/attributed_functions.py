"""Inner functions that hold attributes, or the name of another function, as objects of a class in front of the program.

    @wraps(func)                            def wrapper(*args): ...
    def wrapper(*args): ...         ->      wrapper = _Function(wrapper)
    wrapper.calls = 0                       wrapper.__name__ = func.__name__
                                            wrapper.calls = 0

A call of the object is a call of the function, so its attributes are fields, which rules set and find. `wraps` copies
what the program asks for: names, attributes, and the function itself. An object is not bound as a method, so a function
that a class may hold stays as it is. Knows only syntax.
"""

import ast
from collections.abc import Sequence

from envs.execution.decompose.rewrites.library_names import (
    fresh_name,
    hides_names,
    library_functions,
    occurring_names,
)
from envs.execution.decompose.rewrites.preconditions import DECORATED_FUNCTION, rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed
from envs.execution.syntax.program_structure import nodes_of, steps_below

_WRAPS = "functools.wraps"
_COPIED = ("__name__", "__doc__", "__wrapped__")
_ODD = frozenset(
    "FunctionType isfunction inspect update_wrapper __qualname__ __module__ __dict__ __code__ vars __closure__ help "
    "setattr getattr __call__ iscoroutinefunction singledispatch".split()
)
_SOURCE = """
class NAME:
    def __init__(self, function):
        self._function = function
    def __call__(self, /, *given, **named):
        return self._function(*given, **named)
"""


@rewriting({ast.FunctionDef}, {ast.Attribute, DECORATED_FUNCTION})
def with_attributed_functions(tree: ast.Module) -> ast.Module:
    """The program with such functions as objects; the same tree where it has none, or where a line could tell."""
    inner = [node for node in steps_below(tree) if isinstance(node, ast.FunctionDef)]
    if not any(_stored(node.body) or any(map(_wraps, node.decorator_list)) for node in inner):
        return tree
    nodes = nodes_of(tree)
    wraps = {text for text, name in library_functions(tree, (_WRAPS,)).items() if name == _WRAPS}
    mentioned = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    asked = [name for name in _COPIED if name in mentioned and _is_asked(name, nodes)]
    outer = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    if not any(_stored(block) or (wraps and asked) for node in outer for block in [node.body]):
        return tree
    if asked and any(_stored_bare(node.body) for node in outer):
        return tree
    odd = (occurring_names(tree) | mentioned) & _ODD
    if odd - _own_calls(nodes) or hides_names(tree):
        return tree
    attributes = sorted({name for node in outer for name in _attributes(node.body)})
    writing = _Functions(
        wraps, asked, attributes, _held_by_classes(nodes), name=fresh_name("_Function", occurring_names(tree))
    )
    for node in tree.body:
        writing.visit(node)
    if not writing.line:
        return tree
    source = _SOURCE.replace("NAME", writing.name)
    return in_front(tree, placed(ast.parse(source).body, writing.line))


def _wraps(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("wraps")


def _own_calls(nodes: Sequence[ast.AST]) -> set[str]:
    """`__call__`, where it is only defined."""
    asked = any(isinstance(node, ast.Attribute) and node.attr == "__call__" for node in nodes)
    return set() if asked else {"__call__"}


def _is_asked(name: str, nodes: Sequence[ast.AST]) -> bool:
    """Whether a line asks for it, other than of a class or of a parameter that no decorator has changed before."""
    parameters = {node.arg for node in nodes if isinstance(node, ast.arg)}
    stacked = any(isinstance(node, ast.FunctionDef) and len(node.decorator_list) > 1 for node in nodes)
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == name:
            asked = ast.unparse(node.value)
            given = asked in parameters and not stacked
            if not (given or asked.startswith("type(") or asked.endswith("__class__")):
                return True
    return False


def _held_by_classes(nodes: Sequence[ast.AST]) -> set[str]:
    """Names that decorate methods, or that class bodies mention: what they give must be a function."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            for each in node.body:
                parts = each.decorator_list if isinstance(each, ast.FunctionDef) else [each]
                found |= {part.id for one in parts for part in nodes_of(one) if isinstance(part, ast.Name)}
    return found


def _stored(body: Sequence[ast.stmt]) -> set[str]:
    """Names of functions defined in a block whose attributes the block sets."""
    defined = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    found: set[str] = set()
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr=attr)]) if not attr.startswith("_"):
                found |= {name} & defined
    return found


def _stored_bare(body: Sequence[ast.stmt]) -> bool:
    """Whether one of these functions takes no name of another: an object in its place would have none."""
    stored = _stored(body)
    return any(
        isinstance(node, ast.FunctionDef) and node.name in stored and not any(map(_wraps, node.decorator_list))
        for node in body
    )


def _attributes(body: Sequence[ast.stmt]) -> set[str]:
    """Names of the attributes that a block sets in its functions."""
    stored, found = _stored(body), set[str]()
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr=attr)]) if name in stored:
                found.add(attr)
    return found


class _Functions(ast.NodeTransformer):
    """Puts the objects in the place of the functions."""

    def __init__(
        self, wraps: set[str], asked: Sequence[str], attributes: Sequence[str], held: set[str], *, name: str
    ) -> None:
        self._wraps, self._asked, self._attributes, self._held, self.name = wraps, asked, attributes, held, name
        self.line = 0
        self._around: list[str] = []
        """The names of functions and classes around the present one."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self._around.append(node.name)
        self.generic_visit(node)
        self._around.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self._around.append(node.name)
        self.generic_visit(node)
        if not self._held.intersection(self._around):
            stored = _stored(node.body)
            node.body = [part for each in node.body for part in self._written(each, stored)]
        self._around.pop()
        return node

    def _written(self, node: ast.stmt, stored: set[str]) -> list[ast.stmt]:
        if not isinstance(node, ast.FunctionDef) or len(node.decorator_list) > 1:
            return [node]
        wrapped = self._wrapped(node)
        if node.decorator_list and wrapped is None:
            return [node]
        if node.name not in stored and not (wrapped and self._asked):
            return [node]
        if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in nodes_of(node)):
            return [node]
        node.decorator_list = []
        self.line = self.line or node.lineno
        lines = [f"{node.name} = {self.name}({node.name})"]
        copied = {"__wrapped__": wrapped, **{name: f"{wrapped}.{name}" for name in _COPIED[:2]}}
        lines += [f"{node.name}.{name} = {copied[name]}" for name in self._asked if wrapped]
        for name in self._attributes if wrapped else ():  # `wraps` copies what the other function holds
            lines.append(f"if hasattr({wrapped}, {name!r}):\n    {node.name}.{name} = {wrapped}.{name}")
        return [node, *placed(ast.parse("\n".join(lines)).body, node.lineno)]

    def _wrapped(self, node: ast.FunctionDef) -> str | None:
        match node.decorator_list:
            case [ast.Call(func=func, args=[ast.Name(id=name)], keywords=[])] if ast.unparse(func) in self._wraps:
                return name
        return None
