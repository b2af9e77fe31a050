"""Games as plain source, and drafts of them: with injected faults, or with the body of a function missing."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from random import Random
from typing import Any

from cwm_agent.training.policy.bug_injection import bugs_of

RULES = ("initial", "legal", "step", "observe", "returns")
TRIES = 100
MISSING = "raise NotImplementedError"
"""The body of a function that is to be found."""


def game_source(game: Any) -> str:
    """Return a game of `envs.games` as functions: methods without `self`, and the module's constants and helpers."""
    module = inspect.getmodule(type(game))
    assert module is not None
    kept: list[ast.stmt] = []
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ClassDef) and node.name == type(game).__name__:
            kept += [_function(item) for item in node.body if isinstance(item, ast.FunctionDef) and item.name in RULES]
        elif isinstance(node, ast.FunctionDef):
            kept.append(_bare(node))
        elif isinstance(node, ast.Assign) and not _is_type(node.value):
            kept.append(node)
    return ast.unparse(ast.fix_missing_locations(ast.Module(kept, []))) + "\n"


def without_body(source: str, function: str) -> str:
    """Return the source with the body of one function missing."""
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            node.body = ast.parse(MISSING).body
    return ast.unparse(tree) + "\n"


def with_body(source: str, function: str, body: str) -> str:
    """Return the source with other statements as the body of one function."""
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            node.body = ast.parse(body).body
    return ast.unparse(tree) + "\n"


def is_missing(source: str, function: str) -> bool:
    """Whether the body of this function is to be found."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return ast.unparse(node.body[0]) == MISSING
    return True


def with_faults(source: str, faults: int, rng: Random, noticed: Callable[[str, str], bool] | None = None) -> str:
    """Return the source with so many injected bugs, each in a program that still parses.

    `noticed(before, after)` says whether a bug shows; one that does not is drawn again, at most 100 times.
    """
    for _ in range(faults):
        for _ in range(TRIES):
            by_kind = bugs_of(source, rng)
            bug = rng.choice(by_kind[rng.choice(sorted(by_kind))])
            try:
                changed = ast.unparse(ast.parse(source[: bug.start] + bug.text + source[bug.end :])) + "\n"
            except SyntaxError:
                continue
            if noticed is None or noticed(source, changed):
                source = changed
                break
    return source


def _function(node: ast.FunctionDef) -> ast.FunctionDef:
    """Return a method as a function: without `self`, annotations and docstring."""
    node.args.args = node.args.args[1:]
    return _bare(node)


def _bare(node: ast.FunctionDef) -> ast.FunctionDef:
    node.returns = None
    for argument in node.args.args:
        argument.annotation = None
    if ast.get_docstring(node) is not None and len(node.body) > 1:
        node.body = node.body[1:]
    return node


def _is_type(value: ast.expr) -> bool:
    """Whether an assigned value is a type such as `tuple[int, str]`, which no rule needs."""
    return (
        isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) and value.value.id in ("tuple", "list")
    )
