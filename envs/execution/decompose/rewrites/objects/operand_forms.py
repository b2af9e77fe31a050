"""What the form of an expression says of the objects that an operator or a sort may meet; knows only syntax."""

import ast


def is_plain(node: ast.expr) -> bool:
    """Whether a value is none of the program's objects, which a line shows."""
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    return isinstance(node, ast.Constant | ast.JoinedStr | ast.Compare) or called in ("len", "str", "int", "float")


def may_compute(node: ast.expr) -> bool:
    """Whether a value is that of an operator, which may give an object: `2 * vector`."""
    match node:
        case ast.BinOp(left=left, right=right):
            plain = ast.List | ast.Tuple | ast.JoinedStr
            texts = [each for each in (left, right) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            return not texts and not isinstance(left, plain) and not isinstance(right, plain)
    return isinstance(node, ast.UnaryOp)


def reverse_of(node: ast.Call) -> bool | None:
    """Whether a sort goes downwards; None where it has a key, or only running it tells."""
    match node.keywords:
        case []:
            return False
        case [ast.keyword(arg="reverse", value=ast.Constant(value=bool(wanted)))]:
            return wanted
        case _:
            return None


def leaves_open(node: ast.AST) -> bool:
    """Whether it is a `__lt__` that ends without an answer: `bisect` of Python 3.12 then asks the first one twice."""
    match node:
        case ast.FunctionDef(name="__lt__", body=[*_, ast.Return(value=ast.Name(id="NotImplemented"))]):
            return True
    return False
