"""`raise error from cause` written so that a frame holds the cause: as a field of the exception.

    raise Missing(key) from error      raise _raised_from(Missing(key), error)
    caught.__cause__                   _cause_of(caught)
    caught.__suppress_context__        _cause_hides(caught)

Only in a program that asks for `__cause__`, which raises nothing from a cause but new exceptions, and which does not
look at fields by other ways. An exception without such a field is asked itself: rules know that Python and a `raise`
without `from` give it no cause (`stepper/exception_fields.py`). Knows only syntax.
"""

import ast
from collections.abc import Mapping

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed
from envs.execution.syntax.program_structure import nodes_of

FIELD = "_cause_"
_ASKED = frozenset({"__cause__", "__suppress_context__"})
_LOOKS = frozenset(
    "vars __dict__ __slots__ __setattr__ __getattr__ __getattribute__ setattr delattr dir copy deepcopy pickle frozen "
    "traceback __traceback__ with_traceback exc_info exception _cause_ __cause__ __suppress_context__".split()
)
_USED = frozenset({"isinstance", "hasattr", "type", "BaseException", "TypeError"})
_RAISED = """
def NAME(error, cause):
    if isinstance(error, type):
        error = error()
    if not isinstance(error, BaseException):
        return error
    if isinstance(cause, type):
        cause = cause()
    if cause is not None:
        if not isinstance(cause, BaseException):
            raise TypeError("exception causes must derive from BaseException")
    error._cause_ = cause
    return error
"""
_CAUSE = """
def NAME(error):
    if hasattr(error, "_cause_"):
        return error._cause_
    return error.__cause__
"""

_HIDES = """
def NAME(error):
    if hasattr(error, "_cause_"):
        return True
    return error.__cause__ is not None
"""


@rewriting(_ASKED)
def with_held_causes(tree: ast.Module) -> ast.Module:
    """The program with causes as fields; the same tree where it asks for none, or where that could be seen."""
    nodes = nodes_of(tree)
    asked = [each for each in nodes if isinstance(each, ast.Attribute) and each.attr in _ASKED]
    raised = [each for each in nodes if isinstance(each, ast.Raise) and each.cause is not None]
    if not asked or any(not isinstance(each.ctx, ast.Load) for each in asked):
        return tree
    names = occurring_names(tree)
    others = {each.attr for each in nodes if isinstance(each, ast.Attribute)} - _ASKED
    others |= {each.value for each in nodes if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    if (names | others) & _LOOKS or hides_names(tree) or rebound_builtins(tree) & _USED:
        return tree
    if not all(_makes_new(each.exc) for each in raised):
        return tree
    maker, reader, hides = (fresh_name(name, names) for name in ("_raised_from", "_cause_of", "_cause_hides"))
    wanted = {each.attr for each in asked}
    line = asked[0].lineno
    tree = _Causes(maker, {"__cause__": reader, "__suppress_context__": hides}).visit(tree)
    sources = [_RAISED.replace("NAME", maker)] * bool(raised)
    sources += [_CAUSE.replace("NAME", reader)] * ("__cause__" in wanted)
    sources += [_HIDES.replace("NAME", hides)] * ("__suppress_context__" in wanted)
    return in_front(tree, [each for source in sources for each in placed(ast.parse(source).body, line)])


def _makes_new(node: ast.expr | None) -> bool:
    """Whether what is raised is made in the statement itself, so that no other name holds it."""
    called = node.func if isinstance(node, ast.Call) else node
    if isinstance(called, ast.Attribute):
        called = ast.Name(called.attr, ast.Load())
    return isinstance(called, ast.Name) and called.id[:1].isupper()


class _Causes(ast.NodeTransformer):
    """Puts the calls in place."""

    def __init__(self, maker: str, readers: Mapping[str, str]) -> None:
        self._maker = maker
        self._readers = readers

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        """A raise, whose cause goes into the exception."""
        self.generic_visit(node)
        if node.cause is not None and node.exc is not None:
            made = ast.Call(ast.Name(self._maker, ast.Load()), [node.exc, node.cause], [])
            node.exc, node.cause = ast.copy_location(made, node.exc), None
        return ast.fix_missing_locations(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """An attribute; the cause is asked of a function, and whether there is one."""
        self.generic_visit(node)
        if node.attr not in self._readers:
            return node
        return ast.fix_missing_locations(
            ast.copy_location(ast.Call(ast.Name(self._readers[node.attr], ast.Load()), [node.value], []), node)
        )
