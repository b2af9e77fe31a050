"""The pages of a real run, each put down for what its step changed; knows the stack, the heap and the limits.

What a line cannot have changed (`watch_list.py`) is not written again: a page is the last one with what came, changed
and went. Where that cannot be told at a glance, the page is written anew from the live objects.
"""

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from envs.execution.decompose.program import FILENAME, Program
from envs.execution.state.frames import Activation, Bindings, Ending, Event, Frame, Outcome
from envs.execution.state.value_grammar import is_supported, references
from envs.execution.text.module_variables import shared_names, shared_values
from envs.execution.text.object_renderer import ObjectRenderer
from envs.execution.text.value_writers import SCALARS, Waiting, scalar
from envs.execution.tracer.changed_objects import Changed, are_plain, changed_by, is_ordinary
from envs.execution.tracer.fast_frames import BlankActivation, BlankFrame, quick_activation, quick_frame, quick_outcome
from envs.execution.tracer.heap_update import amended, iterators, parted
from envs.execution.tracer.hidden_effects import HiddenEffect
from envs.execution.tracer.line_transitions import LineWatch, ProgramWatch
from envs.execution.tracer.live_activations import LiveActivation, waits
from envs.execution.tracer.mutation_facts import HARMLESS

Emit = Callable[[Frame], None]
Follow = Callable[..., Any]
"""A trace function; what it returns is one as well."""


class Stop(BaseException):
    """Ends the run from inside the trace function. A bare `except` catches it all the same, and the rest runs untraced:
    so whoever raises it also notes why, and the run counts as truncated whatever it comes to."""


@dataclass(frozen=True, slots=True)
class TraceLimits:
    """What one run may take before it is cut off as truncated."""

    steps: int = 10_000
    characters: int = 50_000_000
    """Of all frames together."""
    output: int = 100_000
    """Characters printed."""


class FrameWriter:
    """Writes a page at each event of one run; changes with it."""

    def __init__(
        self, program: Program, namespace: dict[str, object], limits: TraceLimits, emit: Emit, watches: ProgramWatch
    ) -> None:
        self.unsupported: str | None = None
        self._program = program
        self._namespace = namespace
        self._emit = emit
        self._renderer = ObjectRenderer(namespace, FILENAME)
        self.stack: list[LiveActivation] = []
        """Functions under way, outermost first."""
        self._local = self.follow
        self._left: types.CodeType | None = None
        """The function that was left last; where that is the entry itself, nothing ran after its last page."""
        self._below: tuple[Activation, ...] = ()
        self._below_labels: dict[int, int] = {}
        """How often the functions that wait refer to an object."""
        self._names = shared_names(program, namespace)
        self._shared: dict[str, object] = {}
        self._shared_rows: Bindings = ()
        self._said: str | None = None
        """Text of the value that the last page passed."""
        self._shadowed = not (HARMLESS.isdisjoint(namespace) and HARMLESS.isdisjoint(watches.declared))
        """Whether the name of a harmless builtin stands for something else, or operators may run builtin methods."""
        self._anew = False
        """Whether every page is written anew: a class is no longer found, so rows that show its objects are stale."""
        self._has_classes = watches.has_classes
        self._shadowed = self._shadowed or (self._has_classes and not are_plain(namespace))
        self._wild = self._shadowed
        """Whether any line may change any object: a function may run that the line does not name."""
        self._steps = 0
        self._characters = 0
        self._last_step, self._last_character = limits.steps, limits.characters
        self._stopped: str | None = None

    def outcome(self, ending: Ending, value: object, entry: types.CodeType | None) -> Outcome:
        """How the run ended, with what it came to written out; if `entry` was left last, the last page says that."""
        if self._stopped is not None:
            return Outcome("truncated", self._stopped)
        if type(value) in SCALARS:
            return quick_outcome(ending, scalar(value))
        if self._left is entry and self._said is not None:
            return quick_outcome(ending, self._renderer.written_out(self._said))
        _, texts, _ = self._renderer.page([], [value])
        return quick_outcome(ending, self._renderer.written_out(texts[0]))

    def close(self) -> None:
        """Let go of itself, so that the pages are freed with the trace and not when Python next looks for rings."""
        del self._local

    # -- events

    def enter(self, live: LiveActivation) -> None:
        """A function was entered, by the running line of the one on top."""
        steady = live.watched.outside.steady
        changed: Changed = None
        if self.stack:
            caller = self.stack[-1]
            # All that a plain call does before the first line of the function is to spread its arguments.
            known = steady and caller.scene.watch.steady and not self._wild
            changed = iterators(self._renderer) if known else self._changed(caller)
            caller.called = True
            self._below += (caller.activation,)
            caller.mentions = _labels(caller.activation)
            for label in caller.mentions:
                self._below_labels[label] = self._below_labels.get(label, 0) + 1
        elif steady:
            changed = ()
            if self._names:
                self._look_outside(live)
        self.stack.append(live)
        self._said = None
        if steady:
            live.begin()
        else:
            live.look_anew(self._program, live.watched.outside)
        if changed or changed is None or live.gone:
            self._renew(live, changed)
        else:  # nothing is new but its arguments
            live.join(self._renderer, False)
            if self._renderer.reached:
                self._renderer.put()
            if live.doubtful or self._renderer.doubtful:
                self._judge(live)
        self._put("call", live, None)

    def startle(self, frame: types.FrameType, effect: HiddenEffect) -> None:
        """A function of the program runs that leaves no pages: the line that it serves may change more than it says."""
        if effect.changes == "anything" or self._shadowed or not all(map(self._is_own, effect.calls)):
            self._wild = True
        elif effect.changes == "itself":
            thing = frame.f_locals[effect.first]  # type: ignore[index]
            if id(thing) in self._renderer.labels or isinstance(thing, type):  # else it is new, or nobody's
                self._wild = True

    def _is_own(self, name: str) -> bool:
        """Whether a module variable is a function or a class of the program."""
        thing = self._namespace.get(name)
        if type(thing) is types.FunctionType:
            return thing.__code__.co_filename == FILENAME
        return type(thing) is type and is_ordinary(thing, self._renderer)

    def follow(self, frame: types.FrameType, event: str, arg: object) -> Follow:
        """Put down the page of an event in a function under way.

        Lines are the bulk of a run, so theirs is written right here; whatever is new on it is left to `_renew`.
        """
        live = self.stack[-1]
        if event != "line" or live.frame is not frame:
            if live.frame is frame:
                self._other(live, event, arg)
            return self._local
        scene, at = live.scene, frame.f_lasti
        way = scene.ways.get(at)
        if way is None or live.waiting:
            watch = live.lines.get(at)
            if watch is None:
                return self._local
            if live.waiting or not watch.easy:
                self._hard_line(live, watch)
                return self._local
            way = scene.ways[at] = scene.way_to(watch)
        self._steps += 1
        if self._steps > self._last_step:
            self._stop("steps")
        renderer = self._renderer
        changed = () if way.still and not self._wild else changed_by(live, self._wild, self._namespace, renderer)
        live.raised = None
        live.line = way.line
        if not live.look(way, renderer, changed is not None) or changed is None:
            self._renew(live, changed)
        else:
            if (changed or renderer.reached) and not amended(renderer, changed):
                self._write_anew(live, changed, ())
            if live.gone or renderer.lost:
                self._part(live)
            if renderer.doubtful:
                self._judge(live)
        self._characters += renderer.size + live.size
        if self._characters > self._last_character:
            self._stop("characters")
        activation: Any = BlankActivation()
        activation.function = live.name
        activation.line = way.line
        activation.locals = live.rows
        activation.__class__ = Activation
        live.activation = activation
        page: Any = BlankFrame()
        page.event = "line"
        page.stack = self._below + (activation,)  # noqa: RUF005  # unpacking would take a list in between
        page.heap = renderer.whole
        page.globals = self._shared_rows
        page.arg = None
        page.__class__ = Frame
        self._emit(page)
        return self._local

    def _other(self, live: LiveActivation, event: str, arg: object) -> None:
        if event == "exception":
            self._exception(live, arg[1])  # type: ignore[index]
        elif event == "return":
            if live.frame.f_lasti in live.watched.returns:
                self._returned(live, arg)
            self._leave(live)

    def _leave(self, live: LiveActivation) -> None:
        """A function is no longer under way."""
        self._left = live.frame.f_code
        self.stack.pop()
        if self.stack:
            caller = self.stack[-1]
            self._below = self._below[:-1]
            for label in caller.mentions:
                self._below_labels[label] -= 1
                if not self._below_labels[label]:
                    del self._below_labels[label]
            caller.gone += live.gone
            caller.gone += [text for _, text in live.rows if "#" in text]

    def _hard_line(self, live: LiveActivation, watch: LineWatch) -> None:
        """A line at which something may wait, or of which everything is looked at since the function is not steady."""
        changed = self._changed(live)
        waiting = waits(live, watch, self._program.layout)
        live.raised = None
        live.line = watch.line
        self._look(live, watch, waiting)
        self._step("line", live, changed)

    def _look(self, live: LiveActivation, watch: LineWatch, waiting: dict[int, Waiting], raising: bool = False) -> None:
        if watch.steady and live.scene.watch.steady:
            live.look(live.scene.way_out(watch, raising), self._renderer, False)
            live.wait(waiting)
        else:
            live.waiting = waiting
            live.look_anew(self._program, watch)

    def _exception(self, live: LiveActivation, error: BaseException) -> None:
        """Something was raised while the line ran, or arrived there."""
        live.raised = error
        changed = self._changed(live)
        self._look(live, live.scene.watch, live.waiting, raising=True)
        self._step("exception", live, changed, error)

    def _returned(self, live: LiveActivation, value: object) -> None:
        """The function is about to leave with a value."""
        outside = live.watched.outside
        still = live.scene.still and not self._wild
        changed = () if still else self._changed(live)
        self._look(live, outside, {})
        if still and type(value) in SCALARS and not (live.arrived or live.doubtful or live.gone):
            self._said = arg = scalar(value)
            self._put("return", live, arg)
            return
        self._step("return", live, changed, value)

    # -- what there is to write

    def _changed(self, ran: LiveActivation) -> Changed:
        return changed_by(ran, self._wild, self._namespace, self._renderer)

    def _step(self, event: Event, live: LiveActivation, changed: Changed, *values: object) -> None:
        """Write a page that passes a value, or of which everything was looked at."""
        self._renew(live, changed, *values)
        arg = self._said
        self._put(event, live, arg)
        if values and arg is not None and "#" in arg and type(values[0]) not in SCALARS:
            live.gone.append(arg)

    def _put(self, event: Event, live: LiveActivation, arg: str | None) -> None:
        self._steps += 1
        if self._steps > self._last_step:
            self._stop("steps")
        self._characters += self._renderer.size + live.size
        if self._characters > self._last_character:
            self._stop("characters")
        live.activation = activation = quick_activation(live.name, live.line, live.rows)
        self._emit(quick_frame(event, (*self._below, activation), self._renderer.whole, self._shared_rows, arg))

    def _renew(self, live: LiveActivation, changed: Changed, *values: object) -> None:
        """Bring the page up to date with what came, changed and went, and with the value it passes."""
        renderer = self._renderer
        everything = changed is None
        if everything:
            renderer.ordinary.clear()
            if self._names:
                self._look_outside(live)
            if self._anew or not renderer.knows_its_classes():
                self._shadowed = self._anew = True
                live.same = False
        if not live.same or not self._kept_up(live, changed, values):
            self._write_anew(live, changed, values)
        if everything or live.doubtful or renderer.doubtful:
            self._judge(live)
        live.same = True

    def _kept_up(self, live: LiveActivation, changed: Changed, values: tuple[object, ...]) -> bool:
        """Whether the last page could be brought up to date."""
        renderer = self._renderer
        if live.arrived or changed is None:
            live.join(renderer, changed is None)
        self._said = renderer.text(values[0]) if values else None
        if changed is None:
            changed = [*renderer.alive.values()]
        if (changed or renderer.reached) and not amended(renderer, changed):
            return False
        if live.gone or renderer.lost:
            self._part(live, self._said)
        return True

    def _part(self, live: LiveActivation, said: str | None = None) -> None:
        """Take from the page what went with values that left it."""
        renderer = self._renderer
        gone, live.gone = live.gone, []
        if renderer.lost:
            gone += renderer.lost
            renderer.lost = []
        more = [said] if said is not None and "#" in said else []
        if self._shared:
            more += [text for _, text in self._shared_rows if "#" in text]
        parted(renderer, gone, live.rows, more, self._below_labels)

    def _look_outside(self, live: LiveActivation) -> None:
        """Take up the module variables; `live` is told what went."""
        before, self._shared = self._shared, shared_values(self._names, self._namespace)
        known, text = dict(self._shared_rows), self._renderer.text
        rows = [(name, text(value)) for name, value in self._shared.items()]
        live.gone += [
            text for name, text in known.items() if name in before and "#" in text and (name, text) not in rows
        ]
        if rows:
            self._shared_rows = tuple(rows)

    def _write_anew(self, live: LiveActivation, changed: Changed, values: tuple[object, ...]) -> None:
        renderer = self._renderer
        renderer.begin()
        if self._shared:
            self._shared_rows = renderer.bindings(self._shared)
        for each in self.stack[:-1]:
            each.reach(renderer)
        live.write(renderer)
        self._said = renderer.text(values[0]) if values else None
        renderer.heap(changed)

    def _judge(self, live: LiveActivation) -> None:
        """Note the first value that could not be written down, and whether any line may now change anything."""
        live.doubtful = False
        self._shadowed = self._shadowed or not HARMLESS.isdisjoint(self._namespace)
        if self._has_classes and not self._shadowed:
            self._shadowed = not are_plain(self._namespace)
        if self.unsupported is None:
            self.unsupported = self._renderer.unsupported
            for _, text in live.rows:
                if "?" in text and self.unsupported is None and not is_supported(text):
                    self.unsupported = text[1:]
        self._wild = self._shadowed or self.unsupported is not None or self._renderer.runs_program
        self._renderer.doubtful = self._wild

    def _stop(self, limit: str) -> None:
        self._stopped = limit
        raise Stop(limit)


def _labels(activation: Activation) -> list[int]:
    return [label for _, text in activation.locals if "#" in text for label in references(text)]
