"""CrossHair's search for arguments on which two programs differ; runs inside the sandbox and is called by name there.

CrossHair runs both programs on symbolic values and asks the solver Z3 for concrete ones on which they part. It must be
kept apart from the trusted process like any run of a program. Z3 would start a thread for each time limit of its own,
which the sandbox forbids: so CrossHair gets no limit for a single path, and the sandbox's limits hold for the whole.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from envs.execution.sandbox.program_module import FILENAME, program_namespace


def differing_arguments(payload: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """The text of each argument, by parameter, for each input on which the two programs of the payload differ."""
    from crosshair import core_and_libs  # noqa: F401 - registers the symbolic forms of the standard library
    from crosshair.diff_behavior import ExceptionEquivalenceType, diff_behavior
    from crosshair.fnutil import FunctionInfo
    from crosshair.options import DEFAULT_OPTIONS, AnalysisOptionSet

    functions = [FunctionInfo.from_fn(_annotated(source, payload)) for source in payload["sources"]]
    limits = AnalysisOptionSet(per_condition_timeout=payload["seconds"], per_path_timeout=float("inf"))
    found = diff_behavior(*functions, DEFAULT_OPTIONS.overlay(limits), ExceptionEquivalenceType.ALL)
    if not isinstance(found, str):
        yield from (dict(difference.args) for difference in found)


def _annotated(source: str, payload: Mapping[str, Any]) -> Any:
    """The entry function of a program, with the annotations of the payload in place of its own."""
    namespace = program_namespace(source)
    exec(compile(source, FILENAME, "exec"), namespace)  # noqa: S102 - inside the sandbox
    function = namespace[payload["entry"]]
    function.__annotations__ = {name: eval(text, {}) for name, text in payload["types"]}  # noqa: S307
    return function
