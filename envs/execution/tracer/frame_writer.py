"""The frames of a real run, each rendered from the live objects; knows the stack, the heap and the limits."""

from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

from envs.execution.decompose.program import FILENAME, Program
from envs.execution.sources.source_set import SourceSet
from envs.execution.state.frames import Activation, Ending, Event, Frame, Outcome
from envs.execution.state.value_grammar import expanded, is_supported
from envs.execution.stepper.exception_fields import uncaught_text
from envs.execution.text.module_variables import shared_names, shared_values
from envs.execution.text.object_renderer import ObjectRenderer
from envs.execution.text.suspended_variables import SuspendedVariables
from envs.execution.tracer.live_activation import LiveActivation

Emit = Callable[[Frame], None]


class Stop(BaseException):
    """Ends the run from inside the trace function.

    A bare `except` of the program can catch it, and the rest of the program then runs untraced. So `FrameWriter` also
    stores which limit was reached, and the run counts as truncated whatever it returns.
    """


@dataclass(frozen=True, slots=True)
class TraceLimits:
    """What one run may take before it is cut off as truncated."""

    steps: int = 10_000
    characters: int = 50_000_000
    """Of all frames together."""
    output: int = 100_000
    """Characters printed."""


class FrameWriter:
    """Renders a frame at each event of one run; changes with it."""

    def __init__(
        self,
        program: Program,
        namespace: dict[str, object],
        limits: TraceLimits,
        emit: Emit,
        *,
        sources: SourceSet | None = None,
    ) -> None:
        self._sources = sources
        self.unsupported: str | None = None
        """The first value that some frame could not show completely."""
        self.stack: list[LiveActivation] = []
        """Functions under way, outermost first."""
        self._namespace = namespace
        self._limits = limits
        self._emit = emit
        suspended = SuspendedVariables(program) if program.level != "plain" else None
        self._renderer = ObjectRenderer(namespace, FILENAME, suspended=suspended, is_running=self._is_running)
        self._module_names = shared_names(program, namespace)
        self._steps = 0
        self._characters = 0
        self._stopped: str | None = None

    def write(self, event: Event, *values: object) -> None:
        """Render a frame that shows the stack and, for a return or an exception, the value passed."""
        self._steps += 1
        if self._steps > self._limits.steps:
            self._stop("steps")
        renderer = self._renderer
        renderer.begin()
        sources = {} if self._sources is None else self._sources.rows()
        module_rows = renderer.bindings(sources | shared_values(self._module_names, self._namespace))
        for caller in self.stack[:-1]:  # its text stays as it was when it called
            if caller.held is not None:
                caller.show_held(renderer.text(caller.held))
            for thing in caller.objects:
                renderer.text(thing)
        top = self.stack[-1]
        rows = renderer.bindings(top.values)
        arg = renderer.text(values[0]) if values else None
        heap = renderer.heap()
        texts = [text for _, text in (*rows, *module_rows[: len(sources)])]
        if self.unsupported is None:
            self.unsupported = renderer.unsupported or next(
                (text[1:] for text in texts if not is_supported(text)), None
            )
        self._characters += renderer.size + sum(map(len, texts))
        if self._characters > self._limits.characters:
            self._stop("characters")
        top.activation = Activation(top.frame.f_code.co_name, top.line, rows)
        self._emit(Frame(event, tuple([live.activation for live in self.stack]), heap, module_rows, arg=arg))

    def _is_running(self, frame: FrameType) -> bool:
        return any(live.frame is frame for live in self.stack)

    def outcome(self, ending: Ending, value: object) -> Outcome:
        """How the run ended, with its result written out."""
        if self._stopped is not None:
            return Outcome("truncated", self._stopped)
        _, texts, heap = self._renderer.render([], [value])
        if ending == "raised":
            return Outcome(ending, uncaught_text(texts[0], dict(heap)))
        return Outcome(ending, expanded(texts[0], dict(heap)))

    def _stop(self, limit: str) -> None:
        self._stopped = limit
        raise Stop(limit)
