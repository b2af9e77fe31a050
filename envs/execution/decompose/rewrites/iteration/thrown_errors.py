"""`generator.throw(error)` written as a value that is sent, and raised where the generator receives it.

    g.throw(error)          ->      _throw(g, error)
    got = yield n           ->      received = yield n
                                    if isinstance(received, _Thrown):
                                        received.seen = True
                                        raise received.error
                                    got = received

A generator that has not begun, or has ended, does not see what is thrown: then the function raises it. Programs with
`yield from`, with a `yield` inside an expression, or with a method `throw` of their own stay as they are. Knows only
syntax.
"""

import ast
from collections.abc import Sequence

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed
from envs.execution.syntax.held_generators import closing_names, held_generators
from envs.execution.syntax.program_structure import nodes_of

_HELPERS = """
class NAME:
    def __init__(self, error):
        self.error = error
        self.seen = False
def NAME_into(generator, error):
    thrown = NAME(error)
    try:
        return generator.send(thrown)
    except StopIteration:
        if thrown.seen:
            raise
    except TypeError:
        if thrown.seen:
            raise
    generator.close()
    raise error
"""
_RECEIVED = """
if isinstance(HELD, NAME):
    HELD.seen = True
    raise HELD.error
"""
_USED = frozenset({"isinstance", "StopIteration", "TypeError"})


@rewriting({"throw"})
def with_thrown_errors(tree: ast.Module) -> ast.Module:
    """The program with such calls rewritten; the same tree where it has none."""
    nodes = nodes_of(tree)
    thrown = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == "throw"]
    calls = [node for node in nodes if isinstance(node, ast.Call) and node.func in thrown]
    if not thrown or len(calls) != len(thrown) or not all(map(_is_plain, calls)) or hides_names(tree):
        return tree
    if not _may_receive(nodes) or rebound_builtins(tree) & _USED:
        return tree
    guarded = closing_names(nodes)
    if guarded and not held_generators(nodes, guarded):
        return tree
    rewriting = _Throwing(fresh_name("_Thrown", occurring_names(tree)))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    source = _HELPERS.replace("NAME", rewriting.name)
    return in_front(tree, placed(ast.parse(source).body, calls[0].lineno))


def _is_plain(call: ast.Call) -> bool:
    return len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred)


def _may_receive(nodes: Sequence[ast.AST]) -> bool:
    """Whether each `yield` is a statement of its own, and nothing else of the program can be thrown into."""
    yields = [node for node in nodes if isinstance(node, ast.Yield)]
    if any(isinstance(node, ast.YieldFrom | ast.Await | ast.AsyncFunctionDef | ast.GeneratorExp) for node in nodes):
        return False
    if any(isinstance(node, ast.FunctionDef) and node.name == "throw" for node in nodes):
        return False
    lines = [node for node in nodes if _yielded(node) is not None]
    return len(lines) == len(yields)


def _yielded(node: ast.AST) -> ast.Yield | None:
    """The `yield` of a statement that only yields, or binds one name to what comes back."""
    match node:
        case ast.Expr(value=ast.Yield() as found) | ast.Assign(targets=[ast.Name()], value=ast.Yield() as found):
            return found
    return None


class _Throwing(ast.NodeTransformer):
    """Rewrites calls and `yield` statements."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "throw":
            called = ast.Name(f"{self.name}_into", ast.Load())
            return ast.fix_missing_locations(
                ast.copy_location(ast.Call(called, [node.func.value, *node.args], []), node)
            )
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        return node if _yielded(node) is None else self._received(node, [])

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        return node if _yielded(node) is None else self._received(node, node.targets)

    def _received(self, node: ast.Expr | ast.Assign, targets: list[ast.expr]) -> list[ast.stmt]:
        held = f"{self.name}_held"
        first: ast.stmt = ast.Assign([ast.Name(held, ast.Store())], node.value)
        checked = ast.parse(_RECEIVED.replace("HELD", held).replace("NAME", self.name)).body
        last: list[ast.stmt] = [ast.Assign(targets, ast.Name(held, ast.Load()))] if targets else []
        whole = [ast.copy_location(first, node), *placed(checked, node.lineno)]
        return [ast.fix_missing_locations(each) for each in (*whole, *(ast.copy_location(one, node) for one in last))]
