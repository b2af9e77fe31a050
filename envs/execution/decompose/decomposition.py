"""Programs rewritten to one operation a line, with behaviour and order of evaluation kept exactly.

Only bodies of functions are rewritten; what the module does when it is loaded stays as written. The rules are in
`rules/`; this module parses, calls them, and adds what readers of the lines need (origin, temporaries, liveness). It
knows no trace and never runs a program.
"""

import ast
import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from envs.execution.decompose.line_writer import LineWriter, WrittenLine
from envs.execution.decompose.module_rewriter import rewrite
from envs.execution.decompose.rewrites.whole_programs import written_out
from envs.execution.syntax.liveness import live_temporaries
from envs.execution.syntax.program_structure import Function, functions_of, program_warnings_ignored, tree_of

Level = Literal["operations", "characters"]


class DecomposeError(ValueError):
    """A program that cannot be decomposed; the message names the line and what to do."""


@dataclass(frozen=True, slots=True)
class Decomposed:
    """A program with one operation a line, and how its lines relate to the original."""

    source: str
    """Runs under plain Python and behaves as the original does."""
    entry: str
    origin: tuple[int, ...]
    """`origin[i]` is the original line of new line `i + 1`."""
    temporaries: frozenset[str]
    """Names that decompose introduced."""
    atomic: tuple[tuple[int, str], ...]
    """Lines that still hold more than one operation, with the reason."""
    live: Mapping[int, frozenset[str]]
    """For every line inside a function: the temporaries whose value may still be read when it is about to run."""
    unrolled: tuple[tuple[int, str], ...] = ()
    """At level `characters`: the lines where a string operation begins as a loop, and which operation."""


def decompose(source: str, entry: str, *, level: Level = "operations") -> Decomposed:
    """The program with every function rewritten to one operation a line.

    Raises `DecomposeError` for source that does not parse, an entry that is not there, or code nested too deeply.
    """
    if level not in get_args(Level):
        raise DecomposeError(f"No level named {level!r}. Choose one of: {', '.join(get_args(Level))}.")
    tree = _compiled(source)
    _check_entry(tree, entry)
    try:
        return _decomposed(written_out(tree, entry), entry, level == "characters")
    except RecursionError:
        line = _deepest_line(tree)
        raise DecomposeError(f"Line {line} is nested too deeply to decompose. Split what stands there.") from None


def _decomposed(tree: ast.Module, entry: str, by_character: bool) -> Decomposed:
    writer, temporaries, rewritten = _rewritten(tree, by_character)
    lines = writer.lines
    return Decomposed(
        source=_joined(lines),
        entry=entry,
        origin=tuple(line.origin for line in lines),
        temporaries=frozenset(temporaries),
        atomic=tuple((number, line.atomic) for number, line in enumerate(lines, 1) if line.atomic),
        live=live_temporaries(rewritten, frozenset(temporaries)),
        unrolled=tuple(writer.unrolled),
    )


def _rewritten(tree: ast.Module, by_character: bool) -> tuple[LineWriter, set[str], ast.Module]:
    """Page, introduced names and syntax tree of the rewritten program.

    Python limits indentation and nested blocks; a function that would cross these limits is left as it is.
    """
    left: dict[int, str] = {}
    while True:
        try:
            writer, temporaries = rewrite(tree, by_character, left)
            return writer, temporaries, _syntax(_joined(writer.lines), tree_of, limits=_is_deep(writer))
        except SyntaxError as error:
            first = _function_at(tree, writer.lines[min(error.lineno or 1, len(writer.lines)) - 1].origin)
            if first is None or first in left:
                raise DecomposeError(f"The rewritten program does not compile: {error}.") from error
            left[first] = f"function that would be nested too deeply ({error.msg})"


def _deepest_line(tree: ast.Module) -> int:
    """The line on which the most deeply nested node stands."""
    level: list[ast.AST] = [tree]
    deepest = 1
    while level:
        deepest = max((getattr(node, "lineno", 0) for node in level), default=0) or deepest
        level = [inner for node in level for inner in ast.iter_child_nodes(node)]
    return deepest


def _joined(lines: list[WrittenLine]) -> str:
    return "".join(f"{'    ' * line.depth}{line.text}\n" for line in lines)


def _function_at(tree: ast.Module, line: int) -> int | None:
    """First line of the outermost function that holds a line; functions that were put in front begin no earlier."""
    return min(
        (
            node.lineno
            for name, node in functions_of(tree)
            if "<locals>" not in name and node.lineno <= line <= (node.end_lineno or node.lineno)
        ),
        default=None,
    )


_DEEP = 16
"""Levels of indentation up to which no limit of Python's can be crossed: it takes 20 nested blocks at least."""


def _is_deep(writer: LineWriter) -> bool:
    return any(line.depth > _DEEP for line in writer.lines)


def _syntax(source: str, parse: Callable[[str], ast.Module] = ast.parse, *, limits: bool = True) -> ast.Module:
    """The tree of source that Python accepts in every way short of running it; `limits` are found by compiling it."""
    if not limits:  # what we write ourselves gives no cause for warnings until it is compiled
        return parse(source)
    with program_warnings_ignored():
        tree = parse(source)
        compile(tree, "<decomposed>", "exec", dont_inherit=True)
    return tree


def _compiled(source: str) -> ast.Module:
    try:
        return _syntax(source)
    except SyntaxError as error:
        where = f"Line {error.lineno}" if error.lineno else "The source"
        raise DecomposeError(f"{where} is not valid Python: {error.msg}. Decompose needs valid source.") from None
    except (RecursionError, MemoryError):
        deepest = max(source.splitlines(), key=len, default="")
        line = source.splitlines().index(deepest) + 1
        raise DecomposeError(
            f"Python cannot parse code nested this deeply; line {line} is the longest. Split it."
        ) from None
    except ValueError as error:
        raise DecomposeError(f"The source cannot be parsed: {error}.") from None


def _check_entry(tree: ast.Module, entry: str) -> None:
    if any(isinstance(node, Function) and node.name == entry for node in tree.body):
        return
    known = sorted({name for name, _ in functions_of(tree) if "." not in name})
    if entry in known:
        return
    near = difflib.get_close_matches(entry, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Functions at module level: {', '.join(known) or 'none'}."
    raise DecomposeError(f"No function named {entry!r} in the program. {hint}")
