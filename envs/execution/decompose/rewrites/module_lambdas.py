"""Lambdas of the module level written as functions: their lines become steps.

    double = lambda x: x * 2              def double(x): return x * 2
    TABLE = {"+": lambda a, b: a + b}     a function in front of the table, and its name in the table
    def best(xs, key=lambda x: x): ...    a function in front of the one whose default it is, or of its class
    class Form:
        age = Field(lambda n: n > 0)      a function in front of the class, where `Field` is a class of the program

Programs that may ask a function for its name stay as they are, and so do lambdas that are members of classes by
themselves, or stand in comprehensions.
"""

import ast
from collections import Counter

from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.name_scopes import NAMED
from envs.execution.syntax.program_structure import nodes_of


@rewriting({ast.Lambda})
def with_named_lambdas(tree: ast.Module) -> ast.Module:
    """The program with such lambdas as functions; the same tree where there is none."""
    if not any(isinstance(each, ast.Lambda) for node in tree.body for each in _places(node)):
        return tree
    nodes = nodes_of(tree)
    if any(map(_may_ask_name, nodes)):
        return tree
    naming = _Naming({node.id for node in nodes if isinstance(node, ast.Name)}, _making_classes(tree))
    body = [part for node in tree.body for part in naming.statement(node)]
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


class _Naming:
    """Gives names to the lambdas of one program."""

    def __init__(self, taken: set[str], classes: set[str]) -> None:
        """`taken` are names of the program, `classes` those of its classes whose calls surely give an object."""
        self._taken, self._classes = taken, classes
        self._found: list[ast.stmt] = []

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """A statement of the module, behind the functions that were its lambdas."""
        self._found = []
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value) if _is_plain(value):
                return [_function(name, value)]
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                node.value = self._named(value)
            case ast.FunctionDef() | ast.ClassDef():
                for function in _with_defaults(node):
                    function.args.defaults = [self._default(each) for each in function.args.defaults]
                for each in _held_in_class(node):
                    each.value = self._named(each.value)
        return [*self._found, node]

    def _default(self, node: ast.expr) -> ast.expr:
        """A default of a parameter; private names in a class mean something else outside it."""
        return self._named(node) if isinstance(node, ast.Lambda) and not _means_class(node) else node

    def _named(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Lambda) and _is_plain(node):
            name = f"_lambda_{node.lineno}"
            while name in self._taken:
                name += "_"
            self._taken.add(name)
            self._found.append(_function(name, node))
            return ast.copy_location(ast.Name(name, ast.Load()), node)
        if isinstance(node, ast.Dict):
            node.values = [self._named(each) for each in node.values]
        elif isinstance(node, ast.List | ast.Tuple):
            node.elts = [self._named(each) for each in node.elts]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self._classes:
            node.args = [self._named(each) for each in node.args]
            for word in node.keywords:
                word.value = self._named(word.value)
        return node


def _making_classes(tree: ast.Module) -> set[str]:
    """Classes of the module whose calls make an object, wherever the name stands: they have it for themselves alone."""
    times = Counter(bound_in(tree))
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and times[node.name] == 1
        and not any(isinstance(each, ast.FunctionDef) and each.name == "__new__" for each in node.body)
    }


def _with_defaults(node: ast.FunctionDef | ast.ClassDef) -> list[ast.FunctionDef]:
    """A function of the module, or the methods of a class of the module."""
    return [
        each for each in (node.body if isinstance(node, ast.ClassDef) else [node]) if isinstance(each, ast.FunctionDef)
    ]


def _held_in_class(node: ast.stmt) -> list[ast.Assign]:
    """The assignments of a class whose values may hold lambdas, in a display or a call.

    What an assignment takes apart would give the class functions, which are methods of its objects.
    """
    return [
        each
        for each in (node.body if isinstance(node, ast.ClassDef) else [])
        if isinstance(each, ast.Assign)
        and all(isinstance(target, ast.Name) for target in each.targets)
        and isinstance(each.value, ast.Call | ast.Tuple | ast.List | ast.Dict)
        and not _means_class(each.value)
    ]


def _means_class(node: ast.expr) -> bool:
    """Whether an expression has private names, or asks for its class: both mean something else outside the class."""
    named = [ast.unparse(each) for each in nodes_of(node) if isinstance(each, ast.Attribute | ast.Name)]
    return any("__" in each or each == "super" for each in named)


def _places(node: ast.stmt) -> list[ast.AST]:
    """Where lambdas of a statement are written as functions."""
    match node:
        case ast.Assign() | ast.AnnAssign():
            return nodes_of(node)
        case ast.FunctionDef() | ast.ClassDef():
            held = [part for each in _held_in_class(node) for part in nodes_of(each.value)]
            return [*held, *(default for function in _with_defaults(node) for default in function.args.defaults)]
    return []


def _may_ask_name(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=name):
            return name in NAMED and not _is_class(node.value)
        case ast.Constant(value=str(text)):
            return text in NAMED  # `getattr(f, "__name__")`
    return False


def _is_class(node: ast.expr) -> bool:
    """Whether it is `type(x)`: the name of that is no function's."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


def _is_plain(node: ast.Lambda) -> bool:
    """Whether making the function computes nothing, and its body yields nothing."""
    defaults = [*node.args.defaults, *[each for each in node.args.kw_defaults if each]]
    lazy = any(isinstance(each, ast.Yield | ast.YieldFrom | ast.Await) for each in ast.walk(node.body))
    return all(isinstance(each, ast.Constant) for each in defaults) and not lazy


def _function(name: str, node: ast.Lambda) -> ast.stmt:
    made = ast.parse(f"def {name}(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.args, made.body = node.args, [ast.copy_location(ast.Return(node.body), node)]
    return ast.copy_location(made, node)
