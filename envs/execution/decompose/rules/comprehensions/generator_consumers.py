"""Calls that consume a generator expression at once: the loop that Python runs in C, written out."""

import ast
from collections.abc import Sequence

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.assignment_targets import iterator
from envs.execution.decompose.rules.boolean_operators import condition
from envs.execution.decompose.rules.comprehensions.comprehension_loops import gather
from envs.execution.decompose.rules.comprehensions.comprehension_rules import (
    adding,
    collect_dict,
    collect_list,
    collect_set,
)
from envs.execution.decompose.rules.comprehensions.inlining_conditions import adds_at_once
from envs.execution.decompose.rules.expressions import afters, atom, is_number, keep, later, must_capture, operand
from envs.execution.syntax.python_version import COMPENSATED_SUM


def consume(body: FunctionBody, kind: str, node: ast.Call) -> ast.expr:
    """The result of the call: an atom, or the one operation that is left of it."""
    generator = node.args[0]
    assert isinstance(generator, ast.GeneratorExp)
    if kind == "sum":
        return _total(body, node, generator)
    if kind in ("any", "all"):
        return _found(body, generator, kind == "any")
    if kind in ("min", "max"):
        return _best(body, generator, kind, node.keywords)
    if kind == "list":
        return collect_list(body, generator)
    if kind == "set":
        return collect_set(body, generator)
    if kind == "dict" and isinstance(generator.elt, ast.Tuple):
        return collect_dict(body, generator, *generator.elt.elts)
    if kind == "join":
        return _joined(body, node, generator)
    return _called(body, node, generator)


def _called(body: FunctionBody, node: ast.Call, generator: ast.GeneratorExp) -> ast.expr:
    """`sorted`, `tuple`, ... of a collected list; further arguments are evaluated before the first element."""
    source = iterator(body, generator.generators[0].iter)
    given = [k.value for k in node.keywords]
    waiting = afters(body, [*given, generator])  # the elements are made before the values are used
    values = [operand(body, value, after) for value, after in zip(given, waiting, strict=False)]
    name = body.temporary()
    body.writer.write(f"{name} = []")
    gather(body, generator, source, name, inner_body=adding(generator.elt))
    keywords = [ast.keyword(k.arg, v) for k, v in zip(node.keywords, values, strict=True)]
    return ast.Call(node.func, [ast.Name(name, ast.Load())], keywords)


def _joined(body: FunctionBody, node: ast.Call, generator: ast.GeneratorExp) -> ast.expr:
    assert isinstance(node.func, ast.Attribute)
    function = ast.Attribute(atom(body, node.func.value), "join", ast.Load())
    known = body.kind(function.value) is str
    if isinstance(function.value, ast.Name):
        known = known and not must_capture(body, function.value.id, later(body, [generator]))
    if not known:  # looked up before the first element is made
        return ast.Call(keep(body, function), [collect_list(body, generator)], [])
    return ast.Call(function, [collect_list(body, generator)], [])


def _total(body: FunctionBody, node: ast.Call, generator: ast.GeneratorExp) -> ast.expr:
    start = node.args[1] if len(node.args) > 1 else ast.Constant(0)
    repeated = not COMPENSATED_SUM or (is_number(start) and _surely_whole(body, generator.elt))
    at_once = adds_at_once(body, start, generator)
    source = iterator(body, generator.generators[0].iter)
    first = operand(body, start, later(body, [generator]))
    if at_once and not is_number(start):
        nothing = keep(body, ast.Tuple([], ast.Load()))
        first = keep(body, ast.Call(node.func, [nothing, first], []))  # fails for what `sum` does not start from
    if repeated and (at_once or is_number(start)):
        return _repeated_additions(body, generator, source, first)
    if at_once:
        return _corrected_total(body, node, source, first)
    elements = _elements(body, generator, source)
    return ast.Call(node.func, [elements, *([first] if len(node.args) > 1 else [])], [])


def _repeated_additions(body: FunctionBody, generator: ast.GeneratorExp, source: ast.Name, first: ast.expr) -> ast.expr:
    name = body.temporary()
    body.writer.write(f"{name} = {text(first)}")
    gather(body, generator, source, name, inner_body=lambda inner, total: _add(inner, total, generator.elt))
    return ast.Name(name, ast.Load())


def _elements(body: FunctionBody, generator: ast.GeneratorExp, source: ast.Name) -> ast.expr:
    name = body.temporary()
    body.writer.write(f"{name} = []")
    gather(body, generator, source, name, inner_body=adding(generator.elt))
    return ast.Name(name, ast.Load())


def _corrected_total(body: FunctionBody, node: ast.Call, source: ast.Name, first: ast.expr) -> ast.expr:
    """A running total that fails where `sum` does; where numbers made a float, `sum` itself then adds them once more.

    The temporary list holds the running total and then every element.
    """
    generator = node.args[0]
    assert isinstance(generator, ast.GeneratorExp)
    name, total = body.temporary(), body.temporary()
    body.writer.write(f"{name} = [{text(first)}]")
    gather(body, generator, source, name, inner_body=lambda inner, found: _add_and_append(inner, found, generator.elt))
    body.writer.write(f"{total} = {name}[0]")
    body.writer.write(f"{name} = {name}[1:]")
    with body.writer.block(f"if {condition(body, _is_inexact(body, total, name))}:"):
        body.writer.write(f"{total} = {text(ast.Call(node.func, [ast.Name(name, ast.Load()), first], []))}")
    return ast.Name(total, ast.Load())


def _is_inexact(body: FunctionBody, total: str, elements: str) -> ast.expr:
    """The test for totals that repeated addition may round differently; objects of the program are not added twice."""
    test = f"isinstance({total}, (float, complex))"
    if body.program.custom_addition:
        test += f" and all(isinstance(item, (int, float, complex)) for item in {elements})"
    return ast.parse(test, mode="eval").body


def _add_and_append(body: FunctionBody, name: str, element: ast.expr) -> None:
    value, total = text(atom(body, element)), body.temporary()
    body.writer.write(f"{total} = {name}[0]")
    body.writer.write(f"{total} = {total} + {value}")
    body.writer.write(f"{name}[0] = {total}")
    body.writer.write(f"{name}.append({value})")


def _add(body: FunctionBody, name: str, element: ast.expr) -> None:
    value = atom(body, element)
    body.writer.write(f"{name} = {name} + {text(value)}")


def _surely_whole(body: FunctionBody, node: ast.expr) -> bool:
    """Values that cannot be floats: only for these is repeated addition what every Python's `sum` does."""
    match node:
        case ast.Constant(value=int()) | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Call(func=ast.Name(id="len" | "int" | "ord" | "bool" as name)):
            return body.program.builtin(name)
        case _:
            return False


def _found(body: FunctionBody, generator: ast.GeneratorExp, wanted: bool) -> ast.expr:
    source = iterator(body, generator.generators[0].iter)
    name = body.temporary()
    body.writer.write(f"{name} = {not wanted}")

    def inner_body(body: FunctionBody, name: str) -> None:
        test = condition(body, generator.elt)
        with body.writer.block(f"if {test if wanted else _opposite(test)}:"):
            body.writer.write(f"{name} = {wanted}")
            body.writer.write("break")

    def leave(body: FunctionBody, name: str) -> None:
        with body.writer.block(f"if {name}:" if wanted else f"if not {name}:"):
            body.writer.write("break")

    gather(body, generator, source, name, inner_body=inner_body, after=leave)
    return ast.Name(name, ast.Load())


def _opposite(test: str) -> str:
    return test.removeprefix("not ") if test.startswith("not ") else f"not {test}"


def _best(body: FunctionBody, generator: ast.GeneratorExp, kind: str, given: Sequence[ast.keyword] = ()) -> ast.expr:
    source = iterator(body, generator.generators[0].iter)
    values = [operand(body, word.value, later(body, [generator])) for word in given]
    keywords = [ast.keyword(word.arg, value) for word, value in zip(given, values, strict=True)]
    best, sign = body.temporary(), ">" if kind == "max" else "<"
    body.writer.write(f"{best} = []")

    def inner_body(body: FunctionBody, best: str) -> None:
        value = text(atom(body, generator.elt))
        with body.writer.block(f"if {best}:"):
            held, better = body.temporary(), body.temporary()
            body.writer.write(f"{held} = {best}[0]")
            body.writer.write(f"{better} = {value} {sign} {held}")
            with body.writer.block(f"if {better}:"):
                body.writer.write(f"{best}[0] = {value}")
        with body.writer.block("else:"):
            body.writer.write(f"{best}.append({value})")

    gather(body, generator, source, best, inner_body=inner_body)
    return only_item(body, kind, best, keywords)


def only_item(body: FunctionBody, kind: str, best: str, keywords: Sequence[ast.keyword] = ()) -> ast.expr:
    """`max` or `min` of a list of one item or none; where it could run an operator of the item, the item itself."""
    whole = ast.Call(ast.Name(kind, ast.Load()), [ast.Name(best, ast.Load())], list(keywords))
    if not body.program.custom_operators:
        return whole
    result = body.temporary()
    with body.writer.block(f"if {best}:"):
        body.writer.write(f"{result} = {best}[0]")
    with body.writer.block("else:"):
        body.writer.write(f"{result} = {text(whole)}")
    return ast.Name(result, ast.Load())
