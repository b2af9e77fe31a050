"""Where generators stop and what makes them go on, by syntax: lines that yield, lines that ask for the next item."""

import ast


def suspension_of(node: ast.AST) -> ast.Yield | ast.YieldFrom | None:
    """The `yield` that a decomposed line is, if it is one."""
    value = node.value if isinstance(node, ast.Assign | ast.Expr) else None
    return value if isinstance(value, ast.Yield | ast.YieldFrom) else None


def is_steppable(node: ast.AST) -> bool:
    """Whether a generator function was decomposed: each `yield` is a line of its own, with a name or a constant."""
    lines = [found for each in ast.walk(node) if (found := suspension_of(each)) is not None]
    every = [each for each in ast.walk(node) if isinstance(each, ast.Yield | ast.YieldFrom)]
    plain = (ast.Name, ast.Constant, ast.UnaryOp)
    return len(lines) == len(every) and all(
        isinstance(each, ast.Yield) and (each.value is None or isinstance(each.value, plain)) for each in every
    )


def iterator_moved(node: ast.AST) -> str | None:
    """The name of the iterator whose next item a line asks for: of a `for`, or of `next(name)` alone on its line."""
    match node:
        case ast.For(iter=ast.Name(id=name)):
            return name
        case ast.Assign(value=value) | ast.Expr(value=value):
            match value:
                case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name)], keywords=[]):
                    return name
                case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name), _], keywords=[]):
                    return name
    return None
