"""String operations as loops over characters, for the level of that name.

Where the text does not make it certain that a value is a str, the loop is guarded: only a real str takes it, anything
else is asked as before. Case needs care: a capital sigma is lowered by its neighbours, so such strings keep the method.
"""

import ast
from collections.abc import Callable

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.expressions import atom, operands, special

TESTS = frozenset({"isdigit", "isalpha", "isalnum", "isspace", "isdecimal", "isnumeric"})
"""Methods that are true of a string when it is not empty and they are true of each character."""
Writer = Callable[[FunctionBody, str, str], None]
"""Writes the loop over a string, given as an atom, that leaves the result in a temporary."""


@special
def spelled(body: FunctionBody, node: ast.expr) -> ast.expr | None:
    """A temporary with the operation's result, computed character by character; None where that is not possible."""
    if not body.program.characters or not all(map(body.program.builtin, ("iter", "len", "zip", "type", "str"))):
        return None
    match node:
        case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=None, step=step)) if _is_back(step):
            return _unrolled(body, "[::-1]", value, _reversed, whole=lambda given: f"{given}[::-1]")
        case ast.Call(func=ast.Attribute(value=value, attr=method), args=arguments, keywords=[]):
            writer = _method(method, arguments)
            written = ", ".join(map(text, arguments))
            return writer and _unrolled(body, method, value, writer, whole=lambda given: f"{given}.{method}({written})")
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as sign], comparators=[right]) if _is_letter(left):
            inside = isinstance(sign, ast.In)
            word = "in" if inside else "not in"
            return _unrolled(
                body, word, right, _member(left, inside), whole=lambda given: f"{text(left)} {word} {given}"
            )
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as sign], comparators=[right]):
            return _equal(body, left, right, isinstance(sign, ast.Eq))
        case _:
            return None


def _is_back(step: ast.expr | None) -> bool:
    match step:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
            return True
        case _:
            return False


def _is_letter(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) == 1


def _method(method: str, arguments: list[ast.expr]) -> Writer | None:
    letter = bool(arguments) and _is_letter(arguments[0])
    match method, arguments:
        case (("upper" | "lower" | "swapcase"), []):
            return _cased(method)
        case _, [] if method in TESTS:
            return _tested(method)
        case "count", [wanted] if letter:
            return _counted(wanted)
        case "find", [wanted] if letter:
            return _found(wanted)
        case "replace", [wanted, ast.Constant(value=str()) as put] if letter:
            return _replaced(wanted, put)
        case _:
            return None


def _unrolled(
    body: FunctionBody, operation: str, value: ast.expr, writer: Writer, whole: Callable[[str], str]
) -> ast.expr | None:
    """The result's temporary: by the loop where the value is a str, by the operation itself where it is not."""
    kind = body.kind(value)
    if kind not in (str, None):
        return None
    given, name = text(atom(body, value)), body.temporary()
    body.writer.unrolled.append((len(body.writer.lines) + 1, operation))
    if kind is str:
        writer(body, given, name)
        return ast.Name(name, ast.Load())
    is_text = _started(body, f"{_started(body, f'type({given})')} is str")
    with body.writer.block(f"if {is_text}:"):
        writer(body, given, name)
    with body.writer.block("else:"):
        body.writer.write(f"{name} = {whole(given)}")
    return ast.Name(name, ast.Load())


def _started(body: FunctionBody, start: str) -> str:
    """A fresh temporary that holds this."""
    name = body.temporary()
    body.writer.write(f"{name} = {start}")
    return name


def _each(body: FunctionBody, given: str, inner_body: Callable[[str], None]) -> None:
    """A loop over the characters of a string; `inner_body` gets the name of the current one."""
    source, letter = _started(body, f"iter({given})"), body.temporary()
    with body.writer.block(f"for {letter} in {source}:"):
        inner_body(letter)


def _same(body: FunctionBody, letter: str, wanted: ast.expr) -> str:
    return _started(body, f"{letter} == {text(wanted)}")


def _loop(start: str, inner_body: Callable[[FunctionBody, str, str], None]) -> Writer:
    """Writes the result's start and a loop over the characters; `inner_body` gets the current one and the result."""

    def write(body: FunctionBody, given: str, name: str) -> None:
        body.writer.write(f"{name} = {start}")
        _each(body, given, lambda letter: inner_body(body, letter, name))

    return write


_reversed = _loop("''", lambda body, letter, name: body.writer.write(f"{name} = {letter} + {name}"))


def _cased(method: str) -> Writer:
    def inner_body(body: FunctionBody, letter: str, name: str) -> None:
        turned = _started(body, f"{letter}.{method}()")
        body.writer.write(f"{name} = {name} + {turned}")

    def write(body: FunctionBody, given: str, name: str) -> None:
        sigma = _started(body, f"'Σ' in {given}")
        with body.writer.block(f"if {sigma}:"):
            body.writer.write(f"{name} = {given}.{method}()")
        with body.writer.block("else:"):
            letters(body, given, name)

    letters = _loop("''", inner_body)
    return letters if method == "upper" else write


def _tested(method: str) -> Writer:
    def inner_body(body: FunctionBody, letter: str, name: str) -> None:
        body.writer.write(f"{name} = {letter}.{method}()")
        with body.writer.block(f"if not {name}:"):
            body.writer.write("break")

    return _loop("False", inner_body)


def _counted(wanted: ast.expr) -> Writer:
    def inner_body(body: FunctionBody, letter: str, name: str) -> None:
        with body.writer.block(f"if {_same(body, letter, wanted)}:"):
            body.writer.write(f"{name} += 1")

    return _loop("0", inner_body)


def _found(wanted: ast.expr) -> Writer:
    def write(body: FunctionBody, given: str, name: str) -> None:
        body.writer.write(f"{name} = -1")
        position = _started(body, "0")

        def inner_body(letter: str) -> None:
            with body.writer.block(f"if {_same(body, letter, wanted)}:"):
                body.writer.write(f"{name} = {position}")
                body.writer.write("break")
            body.writer.write(f"{position} += 1")

        _each(body, given, inner_body)

    return write


def _replaced(wanted: ast.expr, put: ast.expr) -> Writer:
    def inner_body(body: FunctionBody, letter: str, name: str) -> None:
        with body.writer.block(f"if {_same(body, letter, wanted)}:"):
            body.writer.write(f"{name} = {name} + {text(put)}")
        with body.writer.block("else:"):
            body.writer.write(f"{name} = {name} + {letter}")

    return _loop("''", inner_body)


def _member(wanted: ast.expr, inside: bool) -> Writer:
    def inner_body(body: FunctionBody, letter: str, name: str) -> None:
        with body.writer.block(f"if {_same(body, letter, wanted)}:"):
            body.writer.write(f"{name} = {inside}")
            body.writer.write("break")

    return _loop(str(not inside), inner_body)


def _equal(body: FunctionBody, left: ast.expr, right: ast.expr, same: bool) -> ast.expr | None:
    """Two strings compared by length and then pair by pair; only where both are certain, a guard would cost more."""
    if body.kind(left) is not str or body.kind(right) is not str:
        return None
    one, other = map(text, operands(body, [left, right]))
    body.writer.unrolled.append((len(body.writer.lines) + 1, "==" if same else "!="))
    first, second = _started(body, f"len({one})"), _started(body, f"len({other})")
    name = _started(body, f"{first} {'==' if same else '!='} {second}")
    with body.writer.block(f"if {'' if same else 'not '}{name}:"):

        def inner_body(pair: str) -> None:
            here, there = body.temporary(), body.temporary()
            body.writer.write(f"{here}, {there} = {pair}")
            differ = _started(body, f"{here} != {there}")
            with body.writer.block(f"if {differ}:"):
                body.writer.write(f"{name} = {not same}")
                body.writer.write("break")

        _each(body, _started(body, f"zip({one}, {other})"), inner_body)
    return ast.Name(name, ast.Load())
