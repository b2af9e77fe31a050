"""Programs rewritten to one operation a line, with behaviour and order of evaluation kept exactly.

Only bodies of functions are rewritten; what the module does when it is loaded stays as written. The rules are in
`rewriting`; this file is the door: it parses, asks for the rewriting, and adds what readers of the lines need. It knows
no trace and never runs a program.
"""

import ast
import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from envs.execution.rewriting.module import rewrite

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


def decompose(source: str, entry: str, *, level: Level = "operations") -> Decomposed:
    """The program with every function rewritten to one operation a line.

    Raises `DecomposeError` for source that does not parse, an entry that is not there, or code nested too deeply.
    """
    from envs.execution.rewriting.liveness import live_temporaries

    tree = _parsed(source)
    _check_entry(tree, entry)
    try:
        lines, temporaries = rewrite(tree)
    except RecursionError:
        raise DecomposeError("The program is nested too deeply to decompose.") from None
    text = "".join(f"{'    ' * line.depth}{line.text}\n" for line in lines)
    return Decomposed(
        source=text,
        entry=entry,
        origin=tuple(line.origin for line in lines),
        temporaries=frozenset(temporaries),
        atomic=tuple((number, line.atomic) for number, line in enumerate(lines, 1) if line.atomic),
        live=live_temporaries(text, frozenset(temporaries)),
    )


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise DecomposeError(
            f"Line {error.lineno} does not parse: {error.msg}. Decompose needs valid Python."
        ) from None
    except (RecursionError, MemoryError):
        raise DecomposeError(
            "The program is nested too deeply for Python's own parser. Split its longest expression."
        ) from None
    except ValueError as error:
        raise DecomposeError(f"The source cannot be parsed: {error}.") from None


def _check_entry(tree: ast.Module, entry: str) -> None:
    known = sorted({n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)})
    if entry in known:
        return
    near = difflib.get_close_matches(entry, known, n=1)
    hint = (
        f"Did you mean {near[0]!r}?" if near else f"Functions at module level: {', '.join(known) or 'none'}."
    )
    raise DecomposeError(f"No function named {entry!r} in the program. {hint}")
