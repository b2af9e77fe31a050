"""Calls: the function first, then its arguments, then the call itself."""

import ast
import keyword
from collections.abc import Mapping, Sequence

from envs.execution.decompose.function_body import FunctionBody
from envs.execution.decompose.rules.assignment_targets import iterator
from envs.execution.decompose.rules.callbacks import over_own_generator, with_collected, with_generator
from envs.execution.decompose.rules.comprehensions.generator_consumers import consume
from envs.execution.decompose.rules.comprehensions.inlining_conditions import consumer
from envs.execution.decompose.rules.expressions import Later, afters, atom, keep, later, must_capture, operand, rule
from envs.execution.decompose.rules.key_functions import keyed
from envs.execution.decompose.rules.object_fields import called_fields
from envs.execution.syntax.name_scopes import REFLECTION
from envs.execution.syntax.python_version import KEYS_IN_MESSAGES


@rule(ast.Call)
def _call(body: FunctionBody, node: ast.Call) -> ast.expr:
    if (asked := called_fields(body, node, "get") or _plain_attribute(body, node)) is not None:
        return asked
    if (value := keyed(body, with_collected(body, node))) is not None:
        return value
    if (chosen := _with_default(body, node)) is not None:
        return atom(body, chosen)
    if _prints_one(body, node):
        node = ast.Call(node.func, [ast.Call(ast.Name("str", ast.Load()), node.args, [])], node.keywords)
    node = _with_spread_lists(body, node)
    ready = with_generator(body, node)
    kind = consumer(body, ready)
    if kind is not None:
        return consume(body, kind, ready)
    if _collects(body, node, ready):
        node = ast.Call(node.func, [_collected(body, node.args[0]), *node.args[1:]], node.keywords)
    arguments = [*node.args, *(k.value for k in node.keywords)]
    function = _function(body, node.func, arguments)
    waiting = afters(body, arguments)
    atoms = [_argument(body, node, index, after) for index, after in enumerate(waiting)]
    split = len(node.args)
    keywords = [ast.keyword(k.arg, value) for k, value in zip(node.keywords, atoms[split:], strict=True)]
    return ast.Call(function, atoms[:split], keywords)


def _plain_attribute(body: FunctionBody, node: ast.Call) -> ast.Attribute | None:
    """`getattr(x, "name")` as `x.name`, where a class may give an attribute by a call; None for other calls."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name))], keywords=[]):
            plain = name.isidentifier() and not name.startswith("__") and not isinstance(owner, ast.Starred)
            hooked = body.program.mentions & {"__get__", "__getattr__"}
            if plain and hooked and body.program.builtin("getattr") and not keyword.iskeyword(name):
                return ast.Attribute(atom(body, owner), name, ast.Load())
    return None


def _with_default(body: FunctionBody, node: ast.Call) -> ast.expr | None:
    """`table.get(key, [])` as a choice for an exact dict: whether the key is there, and its value or a new container.

    Names are surely bound, so that it cannot be seen when the method is looked up; None for any other call.
    """
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name() | ast.Attribute() as table, attr="get"),
            args=[ast.Name() | ast.Constant() as key, ast.List(elts=[]) | ast.Dict(keys=[]) as default],
            keywords=[],
        ) if not hasattr(node, "kept"):
            pass
        case _:
            return None
    program, names = body.program, [body.name(each.id) for each in (table, key) if isinstance(each, ast.Name)]
    if any(body.volatile(name) or not body.surely_bound(name) for name in names):
        return None
    if program.custom_operators or KEYS_IN_MESSAGES or not (program.builtin("type") and program.builtin("dict")):
        return None
    found = ast.parse("(t[k] if k in t else d) if type(t) is dict else t.get(k, d)", mode="eval").body
    assert isinstance(found, ast.IfExp)
    found.orelse.kept = True  # type: ignore[attr-defined]
    parts = {"t": atom(body, table), "k": key, "d": default}
    return _Filled(parts).visit(found)  # type: ignore[no-any-return]


class _Filled(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, parts: Mapping[str, ast.expr]) -> None:
        self._parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._parts.get(node.id, node)


def _collects(body: FunctionBody, node: ast.Call, ready: ast.Call) -> bool:
    """Whether the call first makes a list of all that a generator of the program gives, which a loop can do."""
    if _keeps_items(body, node) and body.program.builtin("iter") and not body.program.custom_iterators:
        return isinstance(node.args[0], ast.GeneratorExp) or _goes_through(body, node)
    if (
        not (body.program.generators or body.program.may_stop)
        or len(node.args) != 1
        or not body.program.builtin("iter")
    ):
        return False
    if not isinstance(ready.args[0], ast.GeneratorExp) or body.program.custom_iterators:
        return False
    match node.func:
        case ast.Name(id="list" | "tuple" | "sorted" as name):
            return body.program.builtin(name)
        case ast.Attribute(value=ast.Constant(value=str()), attr="join"):
            return True
    return False


def _keeps_items(body: FunctionBody, node: ast.Call) -> bool:
    """Whether a container is made of one iterable, which it goes through at once."""
    if len(node.args) != 1 or not isinstance(node.func, ast.Name):
        return False
    name = node.func.id
    if name in ("deque", "Counter"):
        return name in body.program.imported
    return name in ("dict", "set", "frozenset") and body.program.builtin(name)


def _goes_through(body: FunctionBody, node: ast.Call) -> bool:
    """Whether a container is made of a generator of the program; where a mapping would be copied, it must be sure."""
    given, made = node.args[0], ast.unparse(node.func)
    if isinstance(given, ast.Name) and made in ("dict", "Counter"):
        calls = body.made.get(given.id, ())
        return bool(calls) and all(over_own_generator(body, call) is not None for call in calls)
    return over_own_generator(body, given) is not None


def _with_spread_lists(body: FunctionBody, node: ast.Call) -> ast.Call:
    """The call with `*generator` written as `*list(generator)`, so that a loop goes through the generator."""
    if node.keywords or not body.program.builtin("list"):
        return node
    args = [_spread_list(body, each) for each in node.args]
    return node if args == node.args else ast.Call(node.func, args, [])


def _spread_list(body: FunctionBody, node: ast.expr) -> ast.expr:
    if not isinstance(node, ast.Starred):
        return node
    lazy = isinstance(node.value, ast.GeneratorExp) or over_own_generator(body, node.value) is not None
    return ast.Starred(ast.Call(ast.Name("list", ast.Load()), [node.value], [])) if lazy else node


def _collected(body: FunctionBody, node: ast.expr) -> ast.Name:
    """A temporary list of what a generator gives."""
    turns = iterator(body, node)
    found, item = body.temporary(), body.temporary()
    body.writer.write(f"{found} = []")
    with body.writer.block(f"for {item} in {turns.id}:"):
        body.writer.write(f"{found}.append({item})")
    return ast.Name(found, ast.Load())


def _prints_one(body: FunctionBody, node: ast.Call) -> bool:
    """Whether the call prints one value that may be an object of the program, whose text is a call of its method.

    Of several values Python writes each before it asks for the text of the next.
    """
    if not (body.program.custom_text and isinstance(node.func, ast.Name) and node.func.id == "print"):
        return False
    one = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred | ast.Constant | ast.JoinedStr)
    return one and not node.keywords and body.program.builtin("print") and body.program.builtin("str")


def _function(body: FunctionBody, node: ast.expr, arguments: Sequence[ast.expr]) -> ast.expr:
    after = later(body, arguments)
    if not isinstance(node, ast.Attribute):
        return operand(body, node, after)
    receiver = atom(body, node.value)
    looked_up = ast.Attribute(receiver, node.attr, ast.Load())
    settled = _is_super(body, node.value) or node.attr == "_make" or _replaces_fields(body, node, receiver, after)
    settled = settled or (ast.unparse(node) == "object.__setattr__" and body.program.builtin("object"))
    plain = not (settled or (node.attr.startswith("__") and node.attr.endswith("__")))
    if plain and "__getattr__" in body.program.mentions and isinstance(receiver, ast.Name):
        return keep(body, looked_up)  # a class may give the method by a call of its own
    if hasattr(node, "holds_function"):
        return keep(body, looked_up)
    if not after.stirs or settled or has_method(body, receiver, node.attr, after):
        return looked_up
    return keep(body, looked_up)


def _replaces_fields(body: FunctionBody, node: ast.Attribute, receiver: ast.expr, after: Later) -> bool:
    """Whether it is `_replace` in a program with named tuples, of a value that its arguments leave as it is."""
    if node.attr != "_replace" or not body.program.mentions & {"namedtuple", "NamedTuple"}:
        return False
    return not isinstance(receiver, ast.Name) or not must_capture(body, receiver.id, after)


def _is_super(body: FunctionBody, receiver: ast.expr) -> bool:
    """Whether it is a plain `super()`, whose methods stay the same: no line of the program changes a class by code."""
    if body.program.mentions & REFLECTION or not body.program.builtin("super"):
        return False
    return isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Name) and receiver.func.id == "super"


def has_method(body: FunctionBody, receiver: ast.expr, method: str, after: Later) -> bool:
    """Whether looking the method up cannot fail, has no effect, and finds the same once the rest is evaluated."""
    kind = body.kind(receiver)
    if kind is None or not hasattr(kind, method):
        return False
    return not isinstance(receiver, ast.Name) or not must_capture(body, receiver.id, after)


def _argument(body: FunctionBody, node: ast.Call, index: int, after: Later) -> ast.expr:
    if index < len(node.args):
        part = node.args[index]
        if isinstance(part, ast.Starred) and len(node.args) == 1:
            # Python spreads a lone `*iterable` only at the call itself, after the keywords were evaluated.
            return ast.Starred(operand(body, part.value, after))
        return operand(body, part, after)
    keyword = node.keywords[index - len(node.args)]
    value = operand(body, keyword.value, after)
    if keyword.arg is None and after.stirs:  # a mapping is merged before later keywords are evaluated
        return keep(body, ast.Dict([None], [value]))
    return value
