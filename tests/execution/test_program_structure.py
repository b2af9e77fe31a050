"""The walk over syntax trees visits what `ast.walk` visits, in the same order."""

import ast
import inspect

import pytest

from envs.execution.decompose.rules import match_statements, with_statements
from envs.execution.syntax import name_scopes, program_structure
from envs.execution.syntax.program_structure import children_of, nodes_of

_MARKS = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
_EVERYTHING = """
async def f(a, /, b: int = 1, *c, d=None, **e) -> list:
    global g
    async with a as x, b:
        del x.y, x[1:2:3]
    async for i in a:
        yield i
    try:
        raise E from None
    except (A, B) as error:
        assert not a, f"{error!r:>{b}} text"
    else:
        z: int = await b
    finally:
        b += 1 if a else 2
    match a:
        case {"k": [1, *rest], **more} | P(x=None) as found if rest:
            return (n := 1), [*a], {1: 2, **b}, {3}, (lambda q, *r: -q)
    return a < b <= c is not d and not e or {k: v for k, v in a if k async for w in v}
@dec(key=1)
class C(B, metaclass=M):
    import os as o, sys
    from . import (p as q)
    while True:
        break
    else:
        continue_ = b"bytes"
"""


@pytest.mark.parametrize(
    "source",
    [_EVERYTHING, *map(inspect.getsource, (match_statements, with_statements, name_scopes, program_structure))],
    ids=["everything", "match_statements", "with_statements", "name_scopes", "program_structure"],
)
def test_walks_visit_every_node_but_contexts_and_operators(source: str) -> None:
    tree = ast.parse(source)
    assert nodes_of(tree) == [node for node in ast.walk(tree) if not isinstance(node, _MARKS)]
    for node in nodes_of(tree):
        assert children_of(node) == [each for each in ast.iter_child_nodes(node) if not isinstance(each, _MARKS)]


def test_a_walk_enters_kinds_of_nodes_that_a_rewriting_derives() -> None:
    class Marked(ast.Call):
        pass

    node = Marked(ast.Name("f", ast.Load()), [ast.Constant(1)], [])
    assert [type(each) for each in nodes_of(node)] == [Marked, ast.Name, ast.Constant]
