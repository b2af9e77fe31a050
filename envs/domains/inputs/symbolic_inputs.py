"""Arguments on which two programs differ, found by CrossHair's symbolic execution in a sandbox (extra `symbolic`).

What CrossHair says is a proposal: the caller runs both programs on these arguments and sees for itself.
"""

from importlib.util import find_spec
from types import TracebackType
from typing import Self

from envs.domains.inputs.argument_types import ArgumentTypes
from envs.domains.inputs.typed_inputs import require
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits
from tasks.errors import TaskError
from tasks.value import read_value

SECONDS = 4.0
"""CPU seconds of one search; half for each order of the two programs."""
MEMORY = 3 << 30
"""Address space of a search; the solver alone reserves a gigabyte."""
LONGEST = 400
"""Characters of a proposed input; longer ones explain nothing to a reader."""
_PACKAGES = (
    "z3",
    "typing_extensions",
    "mypy_extensions",
    "typing_inspect",
    "typeshed_client",
    "importlib_resources",
    "packaging",
    "_crosshair_tracers",
    "crosshair",
)
"""What CrossHair imports; some of them only on some versions of Python."""
_SEARCH = "envs.domains.inputs.symbolic_search:differing_arguments"


class SymbolicInputs:
    """Searches for differences; holds a sandbox of its own, since only these searches may import CrossHair."""

    def __init__(self, seconds: float = SECONDS) -> None:
        """MissingExtra where CrossHair is not installed."""
        require("crosshair")
        self._seconds = seconds
        limits = SandboxLimits(cpu_s=2 * seconds + 2, wall_s=60 * seconds, load_s=30.0, memory_bytes=MEMORY)
        self._sandbox = Sandbox(packages=[name for name in _PACKAGES if find_spec(name)], limits=limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the sandbox."""
        self._sandbox.close()

    def differing(self, one: str, other: str, entry: str, types: ArgumentTypes) -> list[str]:
        """Argument texts on which CrossHair saw the programs differ, the shortest first; none where it saw nothing."""
        payload = {"sources": [one, other], "entry": entry, "types": [list(each) for each in types]}
        with self._sandbox.stream(_SEARCH, {**payload, "seconds": self._seconds}) as stream:
            found = {text for row in stream if (text := _arguments(row, types)) is not None}
        return sorted(found, key=lambda text: (len(text), text))


def _arguments(row: object, types: ArgumentTypes) -> str | None:
    """The text of a call's arguments; None for a row that has not exactly one plain value for each parameter."""
    if not isinstance(row, dict) or set(row) != {name for name, _ in types}:
        return None
    texts = [row[name] for name, _ in types]
    if not all(isinstance(text, str) for text in texts) or sum(map(len, texts)) > LONGEST:
        return None
    try:
        for text in texts:
            read_value(text)
    except TaskError:
        return None
    return ", ".join(f"{name}={text}" for (name, _), text in zip(types, texts, strict=True))
