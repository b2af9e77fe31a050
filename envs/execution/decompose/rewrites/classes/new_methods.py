"""Classes with a `__new__` of their own: what a call of the class does, written as a function.

    class Config:                               class Config:
        def __new__(cls): ...                       @staticmethod
                                                    def _new(cls): ...
    config = Config()           ->              config = _make_Config()

The function calls `_new` and, if the class has one, `__init__` of what it returns, as Python does;
`super().__new__(cls)` becomes `object.__new__(cls)`, and `super().__new__(cls, text)` of a class that derives from a
number, a text or a tuple `str.__new__(cls, text)`. A class stays as it is where a call could come from elsewhere: it
has other bases, subclasses, decorators, or its name is passed about. Knows only syntax.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import filled, placed
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.classes.value_bases import VALUE_BASES
from envs.execution.syntax.program_structure import nodes_of

_OTHER_WAYS = frozenset({"__class__", "type", "copy", "deepcopy", "pickle", "__reduce__", "__new__"})
_MAKER = """
def NAME(*given, **named):
    made = OWNER.METHOD(OWNER, *given, **named)
    INIT
    return made
"""
_BASES = ([], ["object"], *([each] for each in VALUE_BASES))
_INIT = "if isinstance(made, OWNER):\n        made.__init__(*given, **named)"


@rewriting({"__new__"})
def with_written_makers(tree: ast.Module) -> ast.Module:
    """The program with such classes rewritten; changes the tree where it has any."""
    wanted = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef) and _new_of(node) is not None}
    if not wanted or hides_names(tree) or {"object", "isinstance", "super", *VALUE_BASES} & rebound_builtins(tree):
        return tree
    nodes, times = nodes_of(tree), Counter(bound_in(tree))
    if _OTHER_WAYS & _names_outside(nodes):
        return tree
    makers: dict[str, str] = {}
    for name, node in wanted.items():
        if times[name] == 1 and _is_plain(node) and _is_only_called(name, nodes) and _all_fit(node, nodes):
            makers[name] = fresh_name(f"_make_{name}", occurring_names(tree))
    if not makers:
        return tree
    rewriting = _Makers(makers)
    body: list[ast.stmt] = []
    for statement in tree.body:
        body.append(rewriting.visit(statement))
        if isinstance(statement, ast.ClassDef) and statement.name in makers:
            body += _split(statement, makers[statement.name])
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


def _new_of(node: ast.ClassDef) -> ast.FunctionDef | None:
    found = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__new__"]
    return found[0] if len(found) == 1 and not found[0].decorator_list and found[0].args.args else None


def _names_outside(nodes: Sequence[ast.AST]) -> set[str]:
    """What the program names, asks for and imports outside of the methods that make objects."""
    methods = [each for node in nodes if isinstance(node, ast.ClassDef) and (each := _new_of(node)) is not None]
    inside = {id(each) for method in methods for each in nodes_of(method)}
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name) if id(node) not in inside:
                found.add(name)
    return found


def _is_plain(node: ast.ClassDef) -> bool:
    """Whether a class has no base but a class of values, and its `__new__` asks that for nothing but a new object."""
    method = _new_of(node)
    assert method is not None
    bases = [ast.unparse(each) for each in node.bases]
    if node.decorator_list or node.keywords or bases not in _BASES:
        return False
    inside, first = nodes_of(method), method.args.args[0].arg
    made = [each for each in inside if _is_new(each, first, _base(node))]
    supers = [each for each in inside if isinstance(each, ast.Name) and each.id == "super"]
    asked = [each for each in inside if isinstance(each, ast.Attribute) and each.attr == "__new__"]
    rebound = any(
        isinstance(each, ast.Name) and each.id == first and not isinstance(each.ctx, ast.Load) for each in inside
    )
    called = any(isinstance(each, ast.Call) and ast.unparse(each.func) == "cls" for each in nodes_of(node))
    return len(made) == len(asked) >= len(supers) and not rebound and not called


def _base(node: ast.ClassDef) -> str:
    """The class that makes the bare object."""
    return ast.unparse(node.bases[0]) if node.bases else "object"


def _is_new(node: ast.AST, first: str, base: str) -> bool:
    """Whether it is `super().__new__(cls)`, or `object.__new__(cls)`; a class of values is given one more."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="__new__"), args=[ast.Name(id=given), *rest], keywords=[]):
            plain = len(rest) <= 1 and not any(isinstance(each, ast.Starred) for each in rest)
            fits = plain and (base != "object" or not rest)
            return given == first and fits and ast.unparse(owner) in ("super()", base)
    return False


def _is_only_called(name: str, nodes: Sequence[ast.AST]) -> bool:
    """Whether the program uses a class only to call it, to ask it for attributes, or in `isinstance`."""
    used = [each for each in nodes if isinstance(each, ast.Name) and each.id == name]
    allowed = 0
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id=given)]) if given == name:
                allowed += 1
            case ast.Call(func=ast.Name(id=given)) | ast.Attribute(value=ast.Name(id=given)) if given == name:
                allowed += 1
            case ast.arg(annotation=ast.Name(id=given)) | ast.AnnAssign(annotation=ast.Name(id=given)) if given == name:
                allowed += 1
            case ast.FunctionDef(returns=ast.Name(id=given)) if given == name:
                allowed += 1
    return allowed == len(used)


def _all_fit(node: ast.ClassDef, nodes: Sequence[ast.AST]) -> bool:
    """Whether each call gives arguments that `__new__` and `__init__` take, so that neither refuses them."""
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name in ("__new__", "__init__")]
    calls = [each for each in nodes if isinstance(each, ast.Call) and ast.unparse(each.func) == node.name]
    return all(_fits(method, call) for method in methods for call in calls)


def _fits(method: ast.FunctionDef, call: ast.Call) -> bool:
    given = method.args
    names = [each.arg for each in given.args][1:]
    named = [word.arg for word in call.keywords]
    if (
        None in named
        or any(isinstance(each, ast.Starred) for each in call.args)
        or given.kwonlyargs
        or given.posonlyargs
    ):
        return False
    if len(call.args) > len(names) and not given.vararg:
        return False
    taken = set(names[: len(call.args)])
    if any(name in taken or (name not in names and not given.kwarg) for name in named):
        return False
    needed = names[: len(names) - len(given.defaults)]
    return {*taken, *named} >= set(needed)


def _split(node: ast.ClassDef, name: str) -> Iterator[ast.stmt]:
    """The class with its `__new__` under another name, and yields the function that makes its objects."""
    method = _new_of(node)
    assert method is not None
    method.name = f"_new_{node.name}"
    method.decorator_list = [ast.Name("staticmethod", ast.Load())]
    has_init = any(isinstance(each, ast.FunctionDef) and each.name == "__init__" for each in node.body)
    source = _MAKER.replace("INIT", _INIT if has_init else "pass")
    source = filled(source, METHOD=method.name, OWNER=node.name, NAME=name)
    yield from placed(ast.parse(source).body, node.lineno)


class _Makers(ast.NodeTransformer):
    """Calls the functions in place of the classes."""

    def __init__(self, makers: dict[str, str]) -> None:
        self._makers = makers
        self._base = ""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """A class; `super().__new__` means that of its base in those that are rewritten."""
        around, self._base = self._base, _base(node) if node.name in self._makers else ""
        self.generic_visit(node)
        self._base = around
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node.func:
            case ast.Name(id=name) if name in self._makers:
                node.func = ast.copy_location(ast.Name(self._makers[name], ast.Load()), node.func)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr="__new__") if self._base:
                node.func.value = ast.copy_location(ast.Name(self._base, ast.Load()), node.func)
        return node
