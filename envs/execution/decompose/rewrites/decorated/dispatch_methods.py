"""`functools.singledispatchmethod` written as a method that asks for the class of its first argument.

    @singledispatchmethod                   def _show_object(self, value): ...
    def show(self, value): ...              def _show_int(self, value): ...
    @show.register                          def show(self, value):
    def _(self, value: int): ...                if isinstance(value, int):
                                                    return self._show_int(value)
                                                return self._show_object(value)

As for functions (`dispatch_rewrites.py`), only where the classes are known and all arguments are given by place. Knows
only syntax.
"""

import ast
from collections import Counter
from collections.abc import Sequence

from envs.execution.decompose.rewrites.decorated.dispatch_rewrites import BUILTIN_ORDER, has_odd_classes
from envs.execution.decompose.rewrites.library_names import hides_names, library_functions
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import placed
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.program_structure import nodes_of

_DISPATCH = "functools.singledispatchmethod"


@rewriting({"functools"}, {"singledispatchmethod"}, in_place=True)
def with_asked_methods(tree: ast.Module) -> ast.Module:
    """The program with such methods written out; changes its classes."""
    names = set(library_functions(tree, (_DISPATCH,)))
    if not names or hides_names(tree) or has_odd_classes(tree):
        return tree
    nodes, times = nodes_of(tree), Counter(bound_in(tree))
    classes = [n.name for n in tree.body if isinstance(n, ast.ClassDef) and times[n.name] == 1 and not n.keywords]
    order = [*reversed(classes), *BUILTIN_ORDER]
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            for method in [each for each in node.body if isinstance(each, ast.FunctionDef)]:
                if [ast.unparse(each) for each in method.decorator_list] in [[name] for name in names]:
                    _write(node, method, order, nodes)
    return ast.fix_missing_locations(tree)


def _write(node: ast.ClassDef, method: ast.FunctionDef, order: Sequence[str], nodes: Sequence[ast.AST]) -> None:
    """Put the asking method into the class, and the others under names of their own."""
    name = method.name
    found = [
        (kind, each)
        for each in node.body
        if isinstance(each, ast.FunctionDef) and (kind := _registered(each, name)) is not None
    ]
    kinds = dict(found)
    if len(kinds) != len(found) or not set(kinds) <= set(order) or not _fits(method, list(kinds.values()), nodes):
        return
    asked = {each.attr for each in nodes if isinstance(each, ast.Attribute)}
    named = {f"_{name}_{kind}" for kind in (*kinds, "object")} | {each.name for each in kinds.values()}
    others = {each.name for each in node.body if isinstance(each, ast.FunctionDef) and each not in kinds.values()}
    if named & (asked | others) or _registers_elsewhere(name, len(kinds), nodes):
        return
    given = [each.arg for each in method.args.args]
    lines = [f"def {name}({', '.join(given)}):"]
    for kind in sorted(kinds, key=order.index):
        lines.append(f"    if isinstance({given[1]}, {kind}):")
        lines.append(f"        return {given[0]}._{name}_{kind}({', '.join(given[1:])})")
        kinds[kind].name, kinds[kind].decorator_list = f"_{name}_{kind}", []
    lines.append(f"    return {given[0]}._{name}_object({', '.join(given[1:])})")
    method.name, method.decorator_list = f"_{name}_object", []
    node.body += placed(ast.parse("\n".join(lines)).body, method.lineno)


def _registered(node: ast.FunctionDef, name: str) -> str | None:
    """The class that a method is registered for."""
    match node.decorator_list:
        case [ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="register"), args=[kind], keywords=[])]:
            pass
        case [ast.Attribute(value=ast.Name(id=owner), attr="register")] if len(node.args.args) > 1:
            kind = node.args.args[1].annotation or ast.Constant(None)
        case _:
            return None
    return ast.unparse(kind) if owner == name else None


def _registers_elsewhere(name: str, count: int, nodes: Sequence[ast.AST]) -> bool:
    registering = [
        each for each in nodes if isinstance(each, ast.Attribute) and ast.unparse(each) == f"{name}.register"
    ]
    return len(registering) != count


def _fits(method: ast.FunctionDef, others: list[ast.FunctionDef], nodes: Sequence[ast.AST]) -> bool:
    """Whether all methods take as many arguments, by place, and all calls give them so."""
    count = len(method.args.args)
    plain = all(
        len(one.args.args) == count
        and not (one.args.defaults or one.args.vararg or one.args.kwarg or one.args.kwonlyargs or one.args.posonlyargs)
        for one in (method, *others)
    )
    asked = [each for each in nodes if isinstance(each, ast.Attribute) and each.attr == method.name]
    calls = [each for each in nodes if isinstance(each, ast.Call) and each.func in asked]
    by_place = all(
        not call.keywords
        and len(call.args) == count - 1
        and not any(isinstance(each, ast.Starred) for each in call.args)
        for call in calls
    )
    return plain and count > 1 and by_place and len(calls) == len(asked)
