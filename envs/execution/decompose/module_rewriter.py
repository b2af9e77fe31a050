"""A whole program: module-level code as written, every function in it rewritten."""

import ast
from collections.abc import Mapping

from envs.execution.decompose.fresh_names import FreshNames
from envs.execution.decompose.function_body import FunctionBody
from envs.execution.decompose.line_writer import LineWriter

# Rules register themselves when their file is imported.
from envs.execution.decompose.rules import (  # noqa: F401
    calls,
    displays,
    generators,
    if_statements,
    loops,
    match_statements,
    string_methods,
    try_statements,
    with_statements,
)
from envs.execution.decompose.rules.comprehensions import comprehension_rules, generator_functions  # noqa: F401
from envs.execution.decompose.rules.functions import function
from envs.execution.decompose.verbatim import verbatim
from envs.execution.syntax.name_scopes import FunctionScope, program_facts


def rewrite(tree: ast.Module, by_character: bool, left: Mapping[int, str]) -> tuple[LineWriter, set[str]]:
    """The lines of the rewritten program and the names that were introduced.

    Functions whose first line is in `left` stay as they are, for the reason given there.
    """
    writer = LineWriter()
    program, introduced = program_facts(tree, by_character, left), set[str]()
    nothing = FunctionScope(frozenset(), frozenset(), frozenset())
    outside = FunctionBody(writer, program, nothing, FreshNames(program, introduced), bound=frozenset())

    def decomposed(node: ast.stmt) -> bool:
        if isinstance(node, ast.FunctionDef):
            writer.origin = node.lineno
            function(outside, node)
            return True
        return False

    for node in tree.body:
        verbatim(writer, node, None, decomposed)
    return writer, introduced
