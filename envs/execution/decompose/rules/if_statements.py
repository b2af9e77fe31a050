"""`if` statements: the test is reduced to a name or constant on lines of its own.

Where the test has `and`, `or` or `not`, `boolean_operators.py` decides how it is written.
"""

import ast

from envs.execution.decompose.function_body import FunctionBody
from envs.execution.decompose.rules.boolean_operators import condition
from envs.execution.decompose.rules.simple_statements import statement, suite


@statement(ast.If)
def _if(body: FunctionBody, node: ast.If) -> None:
    test = condition(body, node.test)
    before = body.bound
    with body.writer.block(f"if {test}:"):
        suite(body, node.body)
    after, body.bound = body.bound, before
    with body.writer.optional("else:"):
        suite(body, node.orelse)
    body.meet(after, body.bound)
