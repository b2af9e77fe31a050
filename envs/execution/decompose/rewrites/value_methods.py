"""Methods of enums and named tuples written as functions, which lines call in their place: their lines become steps.

    status.final                def _Status_final(self): ...       _Status_final(status)
    Status.parse("new")         def _Status_parse(cls, text): ...  _Status_parse(Status, "new")

Members and tuples are values, not objects on the heap, so no rule enters a method of theirs. Such a function looks
first whether it is given a value of the class; of anything else it asks for the attribute, as the line did. Methods
that have the name of a method of a builtin type, or a special one, stay methods.
"""

import ast
import copy

from envs.execution.decompose.rewrites.library_names import hides_names, occurring_names
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import placed, runs_before
from envs.execution.syntax.bindings import bound_in, parameters
from envs.execution.syntax.classes.library_classes import library_classes, opaque_enums
from envs.execution.syntax.program_structure import nodes_of

_COMMON = frozenset(name for kind in (str, int, float, list, dict, set, tuple, bytes) for name in dir(kind))
_PROPERTY = """
def NAME(SELF):
    if not isinstance(SELF, OWNER):
        return SELF.ATTRIBUTE
"""
_METHOD = """
def NAME(SELF, PARAMETERS):
    if not isinstance(SELF, OWNER):
        return SELF.ATTRIBUTE(GIVEN)
"""


@rewriting({ast.ClassDef})
def with_value_functions(tree: ast.Module) -> ast.Module:
    """The program with such methods as functions; the same tree where no enum or named tuple has methods."""
    known = library_classes(tree)
    names = {*known.enums, *known.tuples, *opaque_enums(tree)}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name in names]
    methods = [method for node in classes for each in node.body if (method := _method(node, each)) is not None]
    if not methods or hides_names(tree) or runs_before(tree, {method.owner for method in methods}):
        return tree
    attributes = [method.attribute for method in methods]
    taken = occurring_names(tree)
    table = {
        method.attribute: method
        for method in methods
        if attributes.count(method.attribute) == 1 and method.name not in taken
    }
    made = [(method.owner, method.function()) for method in table.values()]
    lifting, body = _Lifting(table), list[ast.stmt]()
    for node in tree.body:
        owned = [function for owner, function in made if isinstance(node, ast.ClassDef) and node.name == owner]
        body += [lifting.visit(each) for each in (node, *owned)]
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


class _ValueMethod:
    """A method of an enum or a named tuple."""

    def __init__(self, owner: str, kind: str, node: ast.FunctionDef) -> None:
        self.owner, self.kind, self.node = owner, kind, node
        self.attribute = node.name
        self.name = f"_{owner}_{node.name}"

    def function(self) -> ast.FunctionDef:
        """The method as a function of the module."""
        made = copy.deepcopy(self.node)
        made.name, made.decorator_list = self.name, []
        first = made.args.args[0].arg if made.args.args else ""
        if self.kind in ("property", "method"):
            given = ", ".join(each.arg for each in made.args.args[1:])
            source = _PROPERTY if self.kind == "property" else _METHOD
            source = source.replace("PARAMETERS", "*_").replace("GIVEN", given).replace("NAME", "f")
            source = source.replace("SELF", first).replace("OWNER", self.owner).replace("ATTRIBUTE", self.attribute)
            guard = ast.parse(source).body[0]
            assert isinstance(guard, ast.FunctionDef)
            for part in ast.walk(guard):
                if isinstance(part, ast.Attribute):
                    part.kept = True  # type: ignore[attr-defined]
            made.body = [*placed(guard.body, self.node.lineno), *made.body]
        elif (
            self.kind == "class"
            and self.owner not in parameters(made.args)
            and not {first, self.owner} & {name for each in made.body for name in bound_in(each)}
        ):
            for part in nodes_of(made):  # lines call it with the class alone
                if isinstance(part, ast.Name) and part.id == first:
                    part.id = self.owner
        return made


def _method(owner: ast.ClassDef, node: ast.stmt) -> _ValueMethod | None:
    """The method that a statement of a class writes; None where it must stay one."""
    if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") or node.name in _COMMON:
        return None
    words = [ast.unparse(each) for each in node.decorator_list]
    kind = {(): "method", ("property",): "property", ("classmethod",): "class", ("staticmethod",): "static"}.get(
        tuple(words)
    )
    given = node.args
    plain = not (given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs)
    # what is called on a value may be a method of another class, which has its own defaults
    plain = plain and (not given.defaults or (kind in ("class", "static") and all(map(_is_constant, given.defaults))))
    looks = any(isinstance(each, ast.Name) and each.id in ("super", "__class__") for each in ast.walk(node))
    return _ValueMethod(owner.name, kind, node) if kind and plain and not looks else None


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


class _Lifting(ast.NodeTransformer):
    """Lets lines call the functions."""

    def __init__(self, table: dict[str, _ValueMethod]) -> None:
        self._table = table

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        func = node.func
        method = self._asked(func)
        if method is None or not isinstance(func, ast.Attribute) or node.keywords or method.kind == "property":
            return node
        if any(isinstance(each, ast.Starred) for each in node.args):
            return node
        of_class = isinstance(func.value, ast.Name) and func.value.id == method.owner
        given = list(node.args)
        if method.kind == "method":
            given = given if of_class else [func.value, *given]
        elif not of_class:
            return node
        elif method.kind == "class":
            given = [func.value, *given]
        most, defaults = len(method.node.args.args), len(method.node.args.defaults)
        if not most - defaults <= len(given) <= most:
            return node
        return ast.copy_location(ast.Call(ast.Name(method.name, ast.Load()), given, []), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        method = self._asked(node)
        if method is None or method.kind != "property" or not isinstance(node.ctx, ast.Load):
            return node
        if isinstance(node.value, ast.Name) and node.value.id == method.owner:
            return node
        return ast.copy_location(ast.Call(ast.Name(method.name, ast.Load()), [node.value], []), node)

    def _asked(self, node: ast.expr) -> _ValueMethod | None:
        if not isinstance(node, ast.Attribute) or hasattr(node, "kept"):
            return None
        return self._table.get(node.attr)
