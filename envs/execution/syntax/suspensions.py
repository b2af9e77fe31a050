"""Where generators stop and what resumes them, by syntax: lines that yield, lines that ask for the next item."""

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
    """The name of the iterator that a line moves: of a `for`, of `next(name)` or of `name.send(value)`."""
    match node:
        case ast.For(iter=ast.Name(id=name)):
            return name
        case ast.Assign(value=value) | ast.Expr(value=value):
            match value:
                case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name)], keywords=[]):
                    return name
                case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name), _], keywords=[]):
                    return name
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="send"), args=[_], keywords=[]):
                    return name
    return None


def sent_value(node: ast.AST) -> ast.expr | None:
    """What a line sends to the generator that it resumes; None where it sends nothing."""
    match node:
        case ast.Assign(value=ast.Call() as call) | ast.Expr(value=ast.Call() as call):
            return call.args[0] if isinstance(call.func, ast.Attribute) and call.func.attr == "send" else None
    return None


def closed_generator(node: ast.AST) -> str | None:
    """The name of what a line closes: `name.close()`."""
    match node:
        case ast.Assign(value=ast.Call() as call) | ast.Expr(value=ast.Call() as call):
            match call:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="close"), args=[], keywords=[]):
                    return name
    return None


def thrown_into(node: ast.AST) -> str | None:
    """The name of what a line throws an exception into: `name.throw(error)`, or the method that is to be called."""
    match node:
        case ast.Assign(value=ast.Call(func=part)) | ast.Expr(value=ast.Call(func=part)) | ast.Assign(value=part):
            match part:
                case ast.Attribute(value=ast.Name(id=name), attr="throw"):
                    return name
    return None
