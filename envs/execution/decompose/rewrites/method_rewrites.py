"""Methods of library values that handle a whole value at once, written as functions of the program.

    except Failed as error: str(error)      a function that takes the one argument of the exception
    queue.rotate(2)                         a function that moves one item at a time, for exact deques

Each function looks at the exact type that it is given, and leaves anything else to Python. `str` is written out only
of exceptions of the program whose text is that of their argument, in the handler that names them.
"""

import ast
from collections.abc import Collection

from envs.execution.decompose.rewrites.library_names import (
    fresh_name,
    hides_names,
    library_functions,
    occurring_names,
    rebound_builtins,
)
from envs.execution.decompose.rewrites.written_functions import in_front, placed
from envs.execution.syntax.classes.own_classes import OwnClasses, own_classes

_TEXT = """
def NAME(error):
    if type(error) is OWNER:
        given = error.args
        if len(given) == 1:
            return str(given[0])
    return str(error)
"""
_ROTATE = """
def NAME(queue, count):
    if type(queue) is OWNER and len(queue) > 1:
        turns = count % len(queue)
        if turns:
            for turn in range(turns):
                queue.appendleft(queue.pop())
            return None
    return queue.rotate(count)
"""
_DEQUE = "collections.deque"
_USED = frozenset({"type", "len", "str", "range"})
_PLAIN = frozenset(
    "Exception ValueError TypeError RuntimeError ArithmeticError ZeroDivisionError OverflowError LookupError "
    "IndexError AssertionError NotImplementedError".split()
)
"""Exceptions whose text is that of their arguments."""


def with_written_methods(tree: ast.Module) -> ast.Module:
    """The program with such lines as calls; the same tree where there is none."""
    failures = _failures(own_classes(tree))
    deques = [text for text, name in library_functions(tree, [_DEQUE]).items() if name == _DEQUE]
    if not failures and not deques:
        return tree
    if hides_names(tree) or rebound_builtins(tree) & _USED:
        return tree
    methods = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    owner = deques[0] if deques and "rotate" not in methods else ""
    rewriting = _Methods(occurring_names(tree), failures, owner)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    return in_front(tree, rewriting.made) if rewriting.made else tree


def _failures(classes: OwnClasses) -> set[str]:
    """Names of the program's exceptions whose text is that of their argument: no class in between has a say."""
    return {
        name
        for name, known in classes.classes.items()
        if known.exception in _PLAIN
        and not known.odd
        and all(len(classes[owner].bases) == 1 for owner in known.lineage)
        and not any(classes.find(name, attribute) for attribute in ("__str__", "args"))
    }


class _Methods(ast.NodeTransformer):
    """The rewriting of one program."""

    def __init__(self, names: set[str], failures: Collection[str], deque: str) -> None:
        self._names = names
        self._failures = failures
        self._deque = deque
        self._caught: dict[str, str] = {}
        """The exceptions that handlers around this line name, by the names that hold them."""
        self._used: dict[str, str] = {}
        self.made: list[ast.stmt] = []

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        """The handler; the text of the exception that it names is a call."""
        before = dict(self._caught)
        if node.name:
            self._caught.pop(node.name, None)
            owner = node.type.id if isinstance(node.type, ast.Name) else ""
            if owner in self._failures:
                self._caught[node.name] = owner
        self.generic_visit(node)
        self._caught = before
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The call, or that of a function that does the same line by line."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name)], keywords=[]) if name in self._caught:
                return self._called("text", node, node.args, self._caught[name])
            case ast.Call(func=ast.Attribute(value=queue, attr="rotate"), args=[count], keywords=[]):
                return self._called("rotate", node, [queue, count], self._deque) if self._may_rotate(count) else node
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.FormattedValue:
        """A value in an f-string; an exception as its text."""
        self.generic_visit(node)
        name = node.value.id if isinstance(node.value, ast.Name) else ""
        if name in self._caught and node.conversion == -1 and node.format_spec is None:
            node.value = self._called("text", node.value, [node.value], self._caught[name])
        return node

    def _may_rotate(self, count: ast.expr) -> bool:
        """Whether the number of places is written down: then nothing can fail before the method is looked up."""
        value = count.operand if isinstance(count, ast.UnaryOp) and isinstance(count.op, ast.USub) else count
        return bool(self._deque) and isinstance(value, ast.Constant) and type(value.value) is int

    def _called(self, kind: str, node: ast.expr, given: list[ast.expr], owner: str) -> ast.expr:
        key = f"{kind} {owner}"
        if key not in self._used:
            self._used[key] = fresh_name(f"_{kind}", self._names)
            self._names.add(self._used[key])
            source = (_TEXT if kind == "text" else _ROTATE).replace("NAME", self._used[key]).replace("OWNER", owner)
            self.made += placed(ast.parse(source).body, node.lineno)
        called = ast.Call(ast.Name(self._used[key], ast.Load()), given, [])
        return ast.fix_missing_locations(ast.copy_location(called, node))
