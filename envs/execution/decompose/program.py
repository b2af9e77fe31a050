"""A program ready to be run step by step: its source, how it was decomposed, and its compiled code.

Nothing here runs the program; `namespace()` does run its module level, so call that inside the sandbox only.
"""

import contextlib
import re
import types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from envs.bounded_cache import MIB, bounded_cache
from envs.execution.decompose.decomposition import DecomposeError, decompose
from envs.execution.sandbox import program_module
from envs.execution.state.value_grammar import BadProgram
from envs.execution.syntax.line_map import Key, LineMap
from envs.execution.syntax.program_structure import program_warnings_ignored, tree_of

if TYPE_CHECKING:
    from envs.execution.sources.source_set import SourceSet

FILENAME = program_module.FILENAME
_NEWLINE = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Program:
    """A plain or decomposed program; equal programs have equal source, entry and level."""

    source: str
    entry: str
    level: str
    """`plain`, `operations` or `characters`: how far it was decomposed."""
    origin: tuple[int, ...] = field(compare=False, repr=False)
    temporaries: frozenset[str] = field(compare=False, repr=False, default=frozenset())
    live: tuple[frozenset[str], ...] = field(compare=False, repr=False, default=())
    """Temporaries that are still needed when line i + 1 is about to run."""
    atomic: tuple[tuple[int, str], ...] = field(compare=False, repr=False, default=())

    @property
    def layout(self) -> LineMap:
        return _layout(self.source)

    @property
    def lines(self) -> list[str]:
        return _lines(self.source)

    def namespace(self, sources: "SourceSet | None" = None) -> dict[str, object]:
        """The module's variables after running its top level, with the builtins that read some sources."""
        return module(self.source, sources)

    def codes(self) -> dict[Key, types.CodeType]:
        return function_codes(self.source)


def plain(source: str, entry: str) -> Program:
    """The program as written, one line at a time."""
    if entry not in {name for name, _ in _layout(source).functions}:
        raise BadProgram(f"No function {entry!r} in the program. Name one of its functions as entry.")
    return Program(source, entry, "plain", tuple(range(1, source.count("\n") + 2)))


def decomposed(source: str, entry: str, level: str = "operations") -> Program:
    """The program as one operation a line."""
    try:
        rewritten = decompose(source, entry, level=level)  # type: ignore[arg-type]
    except DecomposeError as error:
        raise BadProgram(str(error)) from None
    return Program(
        source=rewritten.source,
        entry=entry,
        level=level,
        origin=rewritten.origin,
        temporaries=rewritten.temporaries,
        live=tuple(rewritten.live.get(line, frozenset()) for line in range(1, len(rewritten.origin) + 1)),
        atomic=rewritten.atomic,
    )


@bounded_cache(8 * MIB, per_character=5)
def _lines(source: str) -> list[str]:
    """Lines as Python's parser counts them: `str.splitlines` would also break at a form feed."""
    return _NEWLINE.split(source.removesuffix("\n"))


@bounded_cache(24 * MIB, per_character=80)
def _layout(source: str) -> LineMap:
    return LineMap.of(source)


@bounded_cache(8 * MIB, per_character=5)
def _compiled(source: str) -> types.CodeType:
    with program_warnings_ignored():
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            return compile(tree_of(source), FILENAME, "exec", dont_inherit=True)  # parsed already, mostly
        try:  # once more from its text, whose errors say more
            return compile(source, FILENAME, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise BadProgram(f"the program does not compile: {error}.") from None


def module(source: str, sources: "SourceSet | None" = None) -> dict[str, object]:
    namespace: dict[str, object] = program_module.program_namespace(source)
    if sources is not None:
        namespace["__builtins__"] = sources.builtins()
    run_module(_compiled(source), namespace)
    return namespace


def run_module(code: types.CodeType, namespace: dict[str, object]) -> None:
    """Run a module's top level, or BadProgram where that raises."""
    try:
        exec(code, namespace)
    except (Exception, SystemExit) as error:
        raise BadProgram(f"the module raises {error!r} when it is run, before any function is called.") from None


@bounded_cache(8 * MIB, per_character=5)
def function_codes(source: str) -> dict[Key, types.CodeType]:
    """Code of every function by name and first line, nested ones included.

    Lambdas that stand on one line have one key, under which none of them is found: no text says which of them is meant.
    """
    found: dict[Key, types.CodeType] = {}
    twins: set[Key] = set()
    pending = [_compiled(source)]
    while pending:
        code = pending.pop()
        key = code.co_name, code.co_firstlineno
        if key in found and code.co_name == "<lambda>":
            twins.add(key)
        found[key] = code
        pending += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return {key: code for key, code in found.items() if key not in twins}
