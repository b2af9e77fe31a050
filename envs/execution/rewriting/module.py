"""A whole program: module-level code as written, every function in it rewritten."""

import ast

from envs.execution.rewriting import calls, comprehensions, compound, displays  # noqa: F401  rules register themselves
from envs.execution.rewriting.body import Body
from envs.execution.rewriting.functions import function
from envs.execution.rewriting.names import Names, Scope, program_facts
from envs.execution.rewriting.page import Line, Page
from envs.execution.rewriting.verbatim import verbatim


def rewrite(tree: ast.Module) -> tuple[list[Line], set[str]]:
    """All lines of the rewritten program and the names that were introduced."""
    page, program, introduced = Page(), program_facts(tree), set[str]()
    nothing = Scope(frozenset(), frozenset(), frozenset())
    outside = Body(page, program, nothing, Names(program, introduced), frozenset())

    def decomposed(node: ast.stmt) -> bool:
        if isinstance(node, ast.FunctionDef):
            page.origin = node.lineno
            function(outside, node)
            return True
        return False

    for node in tree.body:
        verbatim(page, node, None, decomposed)
    return page.lines, introduced
