"""Which methods a class of the program writes that operators and builtins call; asks about syntax alone."""

import ast
import builtins
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

CALLED_BY_RULE = frozenset(
    "__init__ __post_init__ __enter__ __exit__ __call__ __match_args__ __get__ __set__ __delete__ __set_name__".split()
)
"""Special names that no C code looks up on behalf of a line that only holds the object."""
_ORDERING = frozenset({"__lt__", "__gt__", "__le__", "__ge__"})


def written_methods(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """The methods that a class statement writes, by name."""
    return {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef)}


def counts_otherwise(members: Iterable[str]) -> bool:
    """Whether a class that derives from Counter writes a method that those of Counter may call: they are Python's."""
    return bool({*members} & {*dir(Counter)} - {"__str__", "__repr__", "__doc__"})


def has_operators(node: ast.ClassDef) -> bool:
    """Whether C code that handles an object of the class may call a method that the class writes."""
    names = [name for name in written_methods(node) if name.startswith("__") and name.endswith("__")]
    return any(name not in CALLED_BY_RULE for name in names)


def has_odd_order(node: ast.ClassDef) -> bool:
    """Whether it can be seen which of its objects are compared: by more than one expression, or by a builtin type."""
    if any(isinstance(base, ast.Name) and _is_container(base.id) for base in node.bases):
        return True
    ordering = [method for name, method in written_methods(node).items() if name in _ORDERING]
    return not all(map(_only_returns, ordering))


def _only_returns(method: ast.FunctionDef) -> bool:
    match method.body:
        case [ast.Return()] | [ast.Expr(value=ast.Constant()), ast.Return()]:
            return not any(
                isinstance(inner, ast.Call | ast.NamedExpr | ast.Yield) and not _asks_type(inner)
                for inner in ast.walk(method)
            )
    return False


def _asks_type(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


def _is_container(name: str) -> bool:
    known = getattr(builtins, name, None)
    return isinstance(known, type) and known is not object and not issubclass(known, BaseException)


def plain_methods(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Names of undecorated methods that nothing else in the program gives to an attribute."""
    stored = {n.attr for n in nodes if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)}
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    methods = [method for node in classes for method in node.body if isinstance(method, ast.FunctionDef)]
    decorated = {method.name for method in methods if method.decorator_list}
    yield from {method.name for method in methods} - stored - decorated
