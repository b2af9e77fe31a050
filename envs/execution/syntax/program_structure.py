"""What the syntax of a program says line by line: its functions, the statements that can be about to run, their parts.

Small facts for decomposition, graphs and the stepper; `line_map.py` says where a line stands. Knows no values and runs
nothing.
"""

import ast
import contextlib
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache

from envs.bounded_cache import MIB, bounded_cache

Step = ast.stmt | ast.ExceptHandler | ast.match_case
"""What a line event can stand for."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
_WITHOUT_NODES = frozenset({"ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment"})
"""Fields that hold no node but contexts and operators."""
_MIXED_LISTS = frozenset({"keys", "kw_defaults", "names", "kwd_attrs"})
"""Lists of nodes in which None may stand, or texts; all other lists hold nodes alone."""
_MAYBE_QUIET = frozenset({ast.AnnAssign, ast.Global, ast.Nonlocal})


class _ChildFields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind of nodes that can hold nodes below; found once for each kind."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        leaf = issubclass(kind, ast.Constant)
        self[kind] = () if leaf else tuple(name for name in kind._fields if name not in _WITHOUT_NODES)
        return self[kind]


_CHILD_FIELDS = _ChildFields()


def children_of(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below, in order; contexts and operators are left out."""
    found: list[ast.AST] = []
    for name in _CHILD_FIELDS[type(node)]:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def nodes_of(node: ast.AST) -> list[ast.AST]:
    """The node and all below it, level by level; contexts and operators are left out.

    A search walks millions of nodes, so `children_of` is written out here.
    """
    found = [node]
    for each in found:  # grows while it is walked
        for name in _CHILD_FIELDS[type(each)]:
            value = getattr(each, name, None)
            if type(value) is list:
                found += [item for item in value if isinstance(item, ast.AST)] if name in _MIXED_LISTS else value
            elif isinstance(value, ast.AST):
                found.append(value)
    return found


@lru_cache(maxsize=16)
def nodes_of_program(tree: ast.Module) -> tuple[ast.AST, ...]:
    """The nodes of a program that is changed no more, such as those of `tree_of`, found once for all that ask."""
    return tuple(nodes_of(tree))


@contextlib.contextmanager
def program_warnings_ignored() -> Iterator[None]:
    """Parses and compiles programs without their warnings, such as the one for an escape that Python does not know.

    Since Python 3.12 every such escape is reported on the terminal; the programs are not the user's to correct.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


@bounded_cache(8 * MIB, per_character=80)
def tree_of(source: str) -> ast.Module:
    """The syntax of a source, parsed once and cached; callers must not change it."""
    with program_warnings_ignored():
        return ast.parse(source)


def steps_below(node: ast.AST) -> list[ast.AST]:
    """What stands in the blocks of a module or statement and in theirs, level by level: functions, not expressions."""
    found = list[ast.AST](inner_steps(node))
    for each in found:  # grows while it is walked
        if hasattr(each, "body") or hasattr(each, "cases"):
            found += inner_steps(each)
    return found


def functions_of(tree: ast.AST) -> Iterator[tuple[str, Function]]:
    """Every function with its qualified name, in order of appearance."""
    waiting: list[tuple[str, ast.AST]] = [("", node) for node in reversed(list(inner_steps(tree)))]
    while waiting:  # a loop, since chains of `elif` nest as deeply as they are long
        prefix, node = waiting.pop()
        if isinstance(node, Function):
            yield f"{prefix}{node.name}", node
            prefix = f"{prefix}{node.name}.<locals>."
        elif isinstance(node, ast.ClassDef):
            prefix = f"{prefix}{node.name}."
        waiting.extend((prefix, inner) for inner in reversed(list(inner_steps(node))))


def inner_steps(node: ast.AST) -> Iterator[Step]:
    """What stands directly in the blocks of a module or statement, in order."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        yield from getattr(node, name, ())


def steps_of(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements of a block that can be about to run."""
    return [s for s in body if not is_quiet(s)]


def body_of(node: Function) -> list[ast.stmt]:
    """The statements of a function that can be about to run; its docstring cannot."""
    return steps_of(node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body)


def is_quiet(node: ast.stmt) -> bool:
    """A statement that Python compiles to nothing."""
    if type(node) not in _MAYBE_QUIET:
        return False
    return not isinstance(node, ast.AnnAssign) or (node.value is None and node.simple == 1)


def is_while_true(node: ast.AST) -> bool:
    """Whether it is a loop whose test is a constant that is always true."""
    return isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)


def is_silent(node: ast.AST) -> bool:
    """Whether the line does nothing and always leads to its body: `try:` and `while True:` are no steps."""
    return isinstance(node, ast.Try | ast.TryStar) or is_while_true(node)


def first_line(node: ast.stmt) -> int:
    """The line CPython gives to a statement: that of its first decorator, if any."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def header_lines(node: Step) -> list[int]:
    """Lines on which a statement's own code stands, without the blocks below it; its first line comes first."""
    first = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
    if getattr(node, "end_lineno", None) == first:
        return [first]
    parts = own_parts(node)
    if all(part.end_lineno == first for part in parts if isinstance(part, ast.expr | ast.stmt | ast.pattern)):
        return [first]
    lines: set[int] = {n.lineno for part in parts for n in nodes_of(part) if hasattr(n, "lineno")}
    return [first, *sorted(lines - {first})]


def own_parts(node: Step) -> list[ast.AST]:
    """The expressions that a statement's own line evaluates; a simple statement is its own part."""
    match node:
        case ast.If() | ast.While():
            return [node.test]
        case ast.For() | ast.AsyncFor():
            return [node.iter, node.target]
        case ast.With() | ast.AsyncWith():
            return [part for item in node.items for part in (item.context_expr, item.optional_vars) if part]
        case ast.Try() | ast.TryStar():
            return []
        case ast.ExceptHandler():
            return [node.type] if node.type else []
        case ast.Match():
            return [node.subject]
        case ast.match_case():
            return [part for part in (node.pattern, node.guard) if part]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
            return [*node.decorator_list, *defaults, *([node.returns] if node.returns else [])]
        case ast.ClassDef():
            return [*node.decorator_list, *node.bases, *node.keywords]
        case _:
            return [node]
