"""Functions of the program that decorate a class and leave it as it is: they note it, or give it a plain attribute.

    def register(cls):                      def tagged(tag):
        KNOWN[cls.__name__] = cls               def wrap(cls):
        return cls                                  cls.tag = tag
                                                    return cls
                                                return wrap

Anything that could give the class a method, or another class its name, does not count. Asks about syntax alone.
"""

import ast
from collections.abc import Iterable, Mapping

from envs.execution.syntax.program_structure import nodes_of

_CHANGING = frozenset({"setattr", "delattr", "vars", "type", "globals", "exec", "eval", "__dict__", "__class__"})

_KEEPING = frozenset({"append", "add", "setdefault"})
"""Methods of containers, which keep what they are given."""


def keeps_class(decorator: ast.expr, tree: ast.Module) -> bool:
    """Whether a decorator of a class gives back the very class, with no more than plain attributes added."""
    call = decorator if isinstance(decorator, ast.Call) else None
    name = call.func if call is not None else decorator
    found = [each for each in tree.body if isinstance(each, ast.FunctionDef) and isinstance(name, ast.Name)]
    named = [each for each in found if isinstance(name, ast.Name) and each.name == name.id]
    if len(named) != 1 or named[0].decorator_list or _is_bound_again(tree, named[0]):
        return False
    if call is None:
        return _gives_back(named[0], {}) and not _hands_on(named[0], tree)
    given = [*call.args, *(word.value for word in call.keywords)]
    inner = [each for each in named[0].body if isinstance(each, ast.FunctionDef)]
    last = named[0].body[-1]
    makes = len(inner) == 1 and isinstance(last, ast.Return) and ast.unparse(last) == f"return {inner[0].name}"
    if not makes or not all(isinstance(each, ast.Constant) for each in given):
        return False
    constants: dict[str, ast.expr] = {each.arg: ast.Constant(None) for each in named[0].args.args}
    plain = [each for each in named[0].body[:-1] if each is not inner[0] and not isinstance(each, ast.Expr)]
    settled = not plain and not named[0].args.defaults and not _hands_on(inner[0], tree)
    return settled and _gives_back(inner[0], constants)


def _is_bound_again(tree: ast.Module, function: ast.FunctionDef) -> bool:
    stored = [each for each in nodes_of(tree) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)]
    return any(each.id == function.name for each in stored)


def _gives_back(function: ast.FunctionDef, known: Mapping[str, ast.expr]) -> bool:
    """Whether a function of one class returns it, and changes nothing but attributes that are plain values."""
    inside = nodes_of(function)
    names = [each.arg for each in nodes_of(function.args) if isinstance(each, ast.arg)]
    if len(names) != 1 or function.args.defaults or function.args.vararg or function.args.kwarg:
        return False
    bound = {**known, **_bound(function.body)}
    mentioned = {each.id for each in inside if isinstance(each, ast.Name)}
    mentioned |= {each.attr for each in inside if isinstance(each, ast.Attribute)}
    scopes = [each for each in inside if isinstance(each, ast.FunctionDef | ast.Lambda | ast.ClassDef)]
    if mentioned & _CHANGING or names[0] in bound or len(scopes) > 1 or function.decorator_list:
        return False
    returns = [each for each in inside if isinstance(each, ast.Return)]
    if function.body[-1] not in returns or any(ast.unparse(each) != f"return {names[0]}" for each in returns):
        return False
    return all(_is_plain_store(each, names[0], bound) for each in inside)


def _hands_on(function: ast.FunctionDef, tree: ast.Module) -> bool:
    """Whether a function gives the class to code that may change it: to anything but a method of a container."""
    own = {each.name for each in nodes_of(tree) if isinstance(each, ast.FunctionDef)}
    subject = function.args.args[0].arg if function.args.args else ""
    for node in nodes_of(function):
        match node:
            case ast.Call(func=func, args=given, keywords=words):
                parts = [inner for each in [*given, *words] for inner in nodes_of(each)]
                if not any(isinstance(each, ast.Name) and each.id == subject for each in parts):
                    continue
                name = func.attr if isinstance(func, ast.Attribute) else ""
                if name not in _KEEPING or name in own:
                    return True
    return False


def _bound(body: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    """What single assignments of a function bind names to; a name that is bound in another way leads nowhere."""
    found: dict[str, ast.expr] = {}
    for statement in body:
        for each in nodes_of(statement):
            if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
                found[each.id] = ast.Name(each.id, ast.Load())
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = value
    return found


def _is_plain_store(node: ast.AST, subject: str, bound: Mapping[str, ast.expr]) -> bool:
    """Whether a node sets no attribute, or one of the class to a plain value."""
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        plain = isinstance(node.value, ast.Name) and node.value.id == subject == "cls"
        return plain and not node.attr.startswith("__")
    match node:
        case ast.Assign(targets=targets, value=value) if any(isinstance(each, ast.Attribute) for each in targets):
            return _is_value(value, bound, 8)
        case ast.AugAssign(target=ast.Attribute()) | ast.AnnAssign(target=ast.Attribute()) | ast.Delete():
            return False
    return True


def _is_value(node: ast.expr, bound: Mapping[str, ast.expr], depth: int) -> bool:
    """Whether an expression is a constant, a text, or an empty container: nothing that could be called."""
    match node:
        case ast.Constant() | ast.JoinedStr() | ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Attribute(attr="__name__") | ast.Attribute(attr="__qualname__"):
            return True
        case ast.Call(func=ast.Attribute(value=owner, attr="lower" | "upper" | "title"), args=[]):
            return _is_value(owner, bound, depth)
        case ast.Name(id=name) if name in bound and depth:
            return _is_value(bound[name], bound, depth - 1)
    return False
