"""A generator expression that is kept: a generator function over its first iterable, which is called at once."""

import ast

from envs.execution.decompose.function_body import FunctionBody
from envs.execution.decompose.rules.assignment_targets import iterator
from envs.execution.decompose.rules.comprehensions.comprehension_rules import whole
from envs.execution.decompose.rules.comprehensions.inlining_conditions import walrus_targets
from envs.execution.decompose.rules.expressions import rule
from envs.execution.decompose.rules.functions import function
from envs.execution.syntax.name_scopes import RESUMING
from envs.execution.syntax.program_structure import nodes_of

_CLASS_CELL = frozenset({"super", "__class__"})
"""What reads the class around a method, which a function inside it would have to be given."""
_WITHIN = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


@rule(ast.GeneratorExp)
def _generator(body: FunctionBody, node: ast.GeneratorExp) -> ast.expr:
    if not _has_function(body, node):
        return whole(body, node)
    source = iterator(body, node.generators[0].iter)
    name, parameter = body.names.fresh("g"), "items"
    while parameter in body.program.identifiers:  # a frame shows it from the start, so it is no temporary
        parameter += "_"
    loops: ast.stmt = ast.Expr(ast.Yield(node.elt))
    for step in reversed(node.generators):
        for test in reversed(step.ifs):
            loops = ast.If(test, [loops], [])
        first = step is node.generators[0]
        loops = ast.For(step.target, ast.Name(parameter, ast.Load()) if first else step.iter, [loops], [])
    arguments = ast.arguments([], [ast.arg(parameter)], None, [], [], None, [])
    made = ast.FunctionDef(name, arguments, [loops], [], None, None)
    for each in nodes_of(made):
        ast.copy_location(each, node)
    function(body, ast.fix_missing_locations(made))
    body.bind([name])
    return ast.Call(ast.Name(name, ast.Load()), [source], [])


def _has_function(body: FunctionBody, node: ast.GeneratorExp) -> bool:
    """Whether a function of its own does just what the expression does, and its lines can be steps."""
    program = body.program
    if program.closing or program.mentions & RESUMING or not program.builtin("iter"):
        return False
    if program.custom_iterators or program.begins_anew or body.renames or walrus_targets(node):
        return False
    inside = nodes_of(node)
    if any(isinstance(each, ast.Name) and each.id in _CLASS_CELL for each in inside):
        return False
    if any(isinstance(each, _WITHIN) for each in inside):
        return False
    return not any(step.is_async for step in node.generators)
