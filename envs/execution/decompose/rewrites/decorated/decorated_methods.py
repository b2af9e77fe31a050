"""Methods that functions of the program decorate, written as a method that calls what the decorators make.

    class Store:                            class Store:
        @logged                                 def add(self, *given):
        def add(self, x): ...                       return _decorated_Store_add(self, *given)
                                            class _Store:
                                                def add(self, x): ...
                                            _decorated_Store_add = logged(_Store.add)

The bare method stands in a class whose name has one underscore more: private names mean the same there. Methods that
mention `super`, have defaults that are no constants, or are special stay as they are, and so do those whose decorator
sets attributes or gives something else than a function. Knows only syntax.
"""

import ast
from collections import Counter
from collections.abc import Mapping, Sequence

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names
from envs.execution.decompose.rewrites.preconditions import DECORATED_FUNCTION, rewriting
from envs.execution.decompose.rewrites.written_functions import filled, placed
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.name_scopes import own_nodes
from envs.execution.syntax.program_structure import nodes_of

_WRAPS = frozenset({"wraps", "functools.wraps"})
_METHOD = """
def NAME(self, *given, **named):
    return DECORATED(self, *given, **named)
"""


@rewriting({ast.ClassDef}, {DECORATED_FUNCTION})
def with_plain_methods(tree: ast.Module) -> ast.Module:
    """The program with such methods rewritten; the same tree where it has none."""
    if not any(isinstance(node, ast.ClassDef) for node in tree.body):
        return tree
    times, nodes = Counter(bound_in(tree)), nodes_of(tree)
    once = [node for node in tree.body if isinstance(node, ast.FunctionDef) and times[node.name] == 1]
    functions = {node.name: node for node in once if not node.decorator_list and _sets_nothing(node)}
    looked_at = {node.value.attr for node in nodes if _asks_method(node)}  # type: ignore[attr-defined]
    found = {
        node.name: methods
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and times[node.name] == 1
        and (methods := [each for each in _decorated(node, functions) if each.name not in looked_at])
    }
    if not found or hides_names(tree):
        return tree
    taken = occurring_names(tree)
    body: list[ast.stmt] = []
    for node in tree.body:
        body.append(node)
        if isinstance(node, ast.ClassDef) and node.name in found:
            body += _split(node, found[node.name], taken, nodes)
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


def _asks_method(node: ast.AST) -> bool:
    """Whether it is an attribute of an attribute: `store.add.calls`, which a decorator may have set."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute)


def _sets_nothing(function: ast.FunctionDef) -> bool:
    """Whether a decorator sets no attribute, which the method in front of what it makes would not have."""
    stored = [
        each for each in nodes_of(function) if isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Load)
    ]
    own = {each.args.args[0].arg for each in nodes_of(function) if isinstance(each, ast.FunctionDef) and each.args.args}
    plain = all(
        isinstance(each.value, ast.Name) and each.value.id in own - {function.args.args[0].arg}
        for each in stored
        if function.args.args
    )
    named = {each.id for each in nodes_of(function) if isinstance(each, ast.Name)}
    return plain and not named & {"setattr", "vars", "property", "staticmethod", "classmethod"}


def _gives_function(function: ast.FunctionDef, *, twice: bool) -> bool:
    """Whether a decorator returns a plain function that it makes, or what it is given; `twice` if it has arguments."""
    inner = {each.name: each for each in function.body if isinstance(each, ast.FunctionDef)}
    given = [each.arg for each in function.args.args]
    returns = [each for each in own_nodes(function) if isinstance(each, ast.Return)]
    if not returns or not isinstance(function.body[-1], ast.Return):
        return False
    for each in returns:
        name = each.value.id if isinstance(each.value, ast.Name) else ""
        made = inner.get(name)
        if twice:
            if made is None or made.decorator_list or not _gives_function(made, twice=False):
                return False
        elif made is None:
            if name not in given:
                return False
        elif not all(isinstance(one, ast.Call) and ast.unparse(one.func) in _WRAPS for one in made.decorator_list):
            return False
    return True


def _decorated(node: ast.ClassDef, functions: Mapping[str, ast.FunctionDef]) -> list[ast.FunctionDef]:
    """The methods of a class that nothing but functions of the program decorates."""
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    times = Counter(each.name for each in methods)
    other = [each for each in node.body if not isinstance(each, ast.FunctionDef)]
    used = {each.id for part in other for each in nodes_of(part) if isinstance(each, ast.Name)}
    used |= {each.id for part in methods for every in part.decorator_list for each in _names(every)}
    return [
        each
        for each in methods
        if each.decorator_list
        and all(_is_own(decorator, functions) for decorator in each.decorator_list)
        and times[each.name] == 1
        and each.name not in used
        and not each.name.startswith("__")
        and _stands_alone(each)
    ]


def _names(node: ast.expr) -> list[ast.Name]:
    return [each for each in nodes_of(node) if isinstance(each, ast.Name)]


def _is_own(node: ast.expr, functions: Mapping[str, ast.FunctionDef]) -> bool:
    """Whether a decorator is a function of the program, or what a call of one with constants gives."""
    match node:
        case ast.Name(id=name):
            return name in functions and _gives_function(functions[name], twice=False)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=words):
            given = [*args, *(word.value for word in words)]
            plain = all(isinstance(each, ast.Constant | ast.Name | ast.Tuple) for each in given)
            known = name in functions and _gives_function(functions[name], twice=True)
            return known and plain and all(word.arg for word in words)
    return False


def _stands_alone(method: ast.FunctionDef) -> bool:
    """Whether a method means the same outside its class."""
    defaults = [*method.args.defaults, *filter(None, method.args.kw_defaults)]
    names = {each.id for each in nodes_of(method) if isinstance(each, ast.Name)}
    plain = all(isinstance(each, ast.Constant) for each in defaults)
    return plain and bool(method.args.args) and not names & {"super", "__class__"}


def _split(
    node: ast.ClassDef, methods: Sequence[ast.FunctionDef], taken: set[str], nodes: Sequence[ast.AST]
) -> list[ast.stmt]:
    """Puts methods that call into the class; returns the class of the bare ones, and what decorates them."""
    holder = f"_{node.name}"
    while holder in taken:
        holder = f"_{holder}"
    made: list[ast.stmt] = []
    for method in methods:
        name = fresh_name(f"_decorated_{node.name}_{method.name}", taken)
        source = filled(_METHOD, NAME=method.name, DECORATED=name)
        if not _is_given_names(method.name, nodes):
            source = source.replace(", **named", "")
        value: ast.expr = ast.Attribute(ast.Name(holder, ast.Load()), method.name, ast.Load())
        for decorator in reversed(method.decorator_list):
            value = ast.Call(decorator, [value], [])
        made.append(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), method))
        node.body[node.body.index(method)] = placed(ast.parse(source).body, method.lineno)[0]
        method.decorator_list = []
    bare = ast.ClassDef(holder, [], [], list(methods), [])
    return [ast.copy_location(bare, node), *made]


def _is_given_names(name: str, nodes: Sequence[ast.AST]) -> bool:
    """Whether some call may give the method arguments by name; one that is passed on may be called so anywhere."""
    called = [node for node in nodes if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == name]
    asked = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == name]
    return len(asked) != len(called) or any(call.keywords for call in called)
