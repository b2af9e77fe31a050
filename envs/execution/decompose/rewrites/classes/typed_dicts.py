"""Calls of a `TypedDict` written as calls of `dict`: that is all that such a class does.

    class Row(TypedDict, total=False):
        sku: str
    Row(sku="a")        ->      dict(sku="a")

The class stays, for annotations. Only where its name means nothing else in the program. Knows only syntax.
"""

import ast

from envs.execution.decompose.rewrites.library_names import hides_names, library_functions, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.bindings import bound_in

_TYPED = ("typing.TypedDict",)


@rewriting({ast.ClassDef}, {"TypedDict"}, in_place=True)
def with_plain_dicts(tree: ast.Module) -> ast.Module:
    """The program with such calls replaced; the same tree where there is none."""
    names = set(library_functions(tree, _TYPED))
    if not names or hides_names(tree) or "dict" in rebound_builtins(tree):
        return tree
    found = {*names}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _is_typed(node, found):
            found.add(node.name)
    bound = bound_in(tree)
    made = {name for name in found - names if bound.count(name) == 1}
    return _Calls(made).visit(tree) if made else tree


def _is_typed(node: ast.ClassDef, typed: set[str]) -> bool:
    """Whether a class has no bases but such classes, and nothing else than fields."""
    plain = all(word.arg == "total" for word in node.keywords) and not node.decorator_list
    return plain and bool(node.bases) and all(ast.unparse(base) in typed for base in node.bases)


class _Calls(ast.NodeTransformer):
    def __init__(self, made: set[str]) -> None:
        self._made = made

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self._made:
            node.func = ast.copy_location(ast.Name("dict", ast.Load()), node.func)
        return node
