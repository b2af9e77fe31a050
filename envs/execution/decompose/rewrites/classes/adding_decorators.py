"""Class decorators that only give the class methods and constants: these stand in the class itself.

    def shown(cls):                         class Brush:
        def __repr__(self):                     ...
            return cls.__name__                 def __repr__(self):
        cls.__repr__ = __repr__     ->              return Brush.__name__
        return cls
    @shown
    class Brush: ...

Counts where each statement of the decorator is a plain function or such an attribute. One that gives `__eq__` stays:
written in the class it would take the hash away. Knows only syntax.
"""

import ast
import copy
from collections import Counter
from collections.abc import Collection, Mapping

from envs.execution.decompose.rewrites.library_names import hides_names
from envs.execution.decompose.rewrites.preconditions import DECORATED_CLASS, rewriting
from envs.execution.decompose.rewrites.written_functions import placed
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.program_structure import nodes_of

_DECIDING = frozenset({"__eq__", "__hash__", "__init_subclass__", "__new__", "__slots__", "__class__"})


@rewriting({DECORATED_CLASS}, in_place=True)
def with_added_members(tree: ast.Module) -> ast.Module:
    """The program with such decorators inlined; the same tree where it has none."""
    if not any(isinstance(node, ast.ClassDef) and node.decorator_list for node in tree.body):
        return tree
    times = Counter(bound_in(tree))
    adding = {
        node.name: members
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and times[node.name] == 1 and (members := _added(node)) is not None
    }
    if not adding or hides_names(tree):
        return tree
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or times[node.name] != 1:
            continue
        names = [each.id if isinstance(each, ast.Name) else "" for each in node.decorator_list]
        count = next((place for place, name in enumerate(names) if name not in adding), len(names))
        if any(name in adding for name in names[count:]):
            continue
        for name in reversed(names[:count]):
            node.body += _members(adding[name], node)
        node.decorator_list = node.decorator_list[count:]
    return ast.fix_missing_locations(tree)


def _added(function: ast.FunctionDef) -> tuple[str, Mapping[str, ast.stmt]] | None:
    """The parameter of such a decorator, and what it gives the class; None for any other function."""
    given = function.args
    last = function.body[-1]
    if len(given.args) != 1 or given.vararg or given.kwarg or given.kwonlyargs or given.defaults:
        return None
    subject = given.args[0].arg
    if function.decorator_list or not isinstance(last, ast.Return) or ast.unparse(last) != f"return {subject}":
        return None
    inner = {each.name for each in function.body if isinstance(each, ast.FunctionDef)}
    functions: dict[str, ast.FunctionDef] = {}
    found: dict[str, ast.stmt] = {}
    for statement in function.body[:-1]:
        match statement:
            case ast.FunctionDef(name=name, decorator_list=[]) if _stands_alone(statement, subject, inner):
                functions[name] = statement
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Assign(targets=[ast.Attribute(ast.Name(id=owner), name)], value=ast.Name(id=held)) if (
                owner == subject and held in functions and name not in _DECIDING
            ):
                found[name] = functions[held]
            case ast.Assign(targets=[ast.Attribute(ast.Name(id=owner), name)], value=ast.Constant()) if (
                owner == subject and name not in _DECIDING
            ):
                found[name] = statement
            case _:
                return None
    methods = [each for each in found.values() if isinstance(each, ast.FunctionDef)]
    private = any(name.startswith("__") and not name.endswith("__") for name in found)
    return (subject, found) if methods and not private else None


def _stands_alone(function: ast.FunctionDef, subject: str, inner: Collection[str]) -> bool:
    """Whether a function means the same in a class: no private names, no names of the decorator but the class."""
    names = {each.id for each in nodes_of(function) if isinstance(each, ast.Name)}
    attributes = {each.attr for each in nodes_of(function) if isinstance(each, ast.Attribute)}
    bound = {each.arg for each in nodes_of(function) if isinstance(each, ast.arg)}
    private = any(each.startswith("__") and not each.endswith("__") for each in names | attributes)
    plain = not (function.args.defaults or function.args.kw_defaults) and not names & {*inner}
    return plain and not private and subject not in bound and not names & {"super", "__class__"}


def _members(added: tuple[str, Mapping[str, ast.stmt]], node: ast.ClassDef) -> list[ast.stmt]:
    """The statements that give the class what the decorator did."""
    subject, members = added
    made: list[ast.stmt] = []
    for name, statement in members.items():
        if isinstance(statement, ast.FunctionDef):
            method = copy.deepcopy(statement)
            method.name = name
            for each in nodes_of(method):
                if isinstance(each, ast.Name) and each.id == subject:
                    each.id = node.name
            made.append(method)
        else:
            assert isinstance(statement, ast.Assign)
            value = copy.deepcopy(statement.value)
            made += placed([ast.Assign([ast.Name(name, ast.Store())], value, lineno=node.lineno)], node.lineno)
    return made
