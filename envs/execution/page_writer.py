"""The pages of a real run, each put down for what its step changed; knows the stack, the heap and the limits, no event.

What a line cannot have changed (`watching.py`) is not written again: a page is the last one with what came, changed and
went. Where that cannot be told at a glance, the page is written anew from the live objects.
"""

import types
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from envs.execution.activations import Live, waits
from envs.execution.frames import (
    Activation,
    Bindings,
    Ending,
    Event,
    Frame,
    Outcome,
    quick_activation,
    quick_frame,
)
from envs.execution.module_variables import shared_names, shared_values
from envs.execution.program import FILENAME, Program
from envs.execution.rendering import ITERATORS_ONLY, Renderer
from envs.execution.values import expanded, is_supported, references
from envs.execution.watching import HARMLESS, Watch
from envs.execution.writers import CONTENTS, SCALARS, VALUES, Waiting, scalar

Emit = Callable[[Frame], None]
_Changed = tuple[object, ...] | None
"""Objects that a line may have changed, besides iterators; None: any object."""
_PLAIN = frozenset({*CONTENTS, *VALUES}) - {map, filter, types.CellType, defaultdict, types.ModuleType, Waiting}
"""Kinds of objects whose use runs no function."""


@dataclass(frozen=True, slots=True)
class TraceLimits:
    """What one run may take before it is cut off as truncated."""

    steps: int = 10_000
    characters: int = 50_000_000
    """Of all frames together."""
    output: int = 100_000
    """Characters printed."""


class Stop(BaseException):
    """Ends the run from inside the trace function. A bare `except` catches it all the same, and the rest runs untraced:
    so whoever raises it also notes why, and the run counts as truncated whatever it comes to."""


class Writer:
    """Writes a page at each event of one run; changes with it."""

    def __init__(
        self, program: Program, namespace: dict[str, object], limits: TraceLimits, emit: Emit, binds_globals: bool
    ) -> None:
        self.unsupported: str | None = None
        self._program = program
        self._namespace = namespace
        self._emit = emit
        self._renderer = Renderer(namespace, FILENAME)
        self._waiting: list[Live] = []
        self._below: tuple[Activation, ...] = ()
        self._below_labels: dict[int, int] = {}
        """How often the functions that wait refer to an object."""
        self._names = shared_names(program, namespace)
        self._shared: dict[str, object] = {}
        self._shared_rows: Bindings = ()
        self._said: str | None = None
        """Text of the value that the last page passed."""
        self._passed: str | None = None
        """Text of the value that the last page passed, where it refers to objects."""
        self._wild = False
        """Whether any line may change any object: a function may run that the line does not name."""
        self._binds = bool(self._names) and binds_globals
        self._measured: Bindings | None = None
        """The last rows that were looked through for what could not be written down."""
        self._steps = 0
        self._characters = 0
        self._last_step, self._last_character = limits.steps, limits.characters
        self._stopped: str | None = None

    def outcome(self, ending: Ending, value: object, *, on_page: bool = False) -> Outcome:
        """How the run ended, with what it came to written out; `on_page`: the last page passed this very value."""
        if self._stopped is not None:
            return Outcome("truncated", self._stopped)
        if type(value) in SCALARS:
            return Outcome(ending, scalar(value))
        if on_page and self._said is not None:
            return Outcome(ending, expanded(self._said, dict(self._renderer.whole)))
        _, texts, heap = self._renderer.page([], [value])
        return Outcome(ending, expanded(texts[0], dict(heap)))

    # -- events

    def enter(self, live: Live, caller: Live | None) -> None:
        """A function was entered, by the caller's running line."""
        changed: _Changed = None
        steady = caller is not None and caller.watch.steady and live.watch.steady
        if caller is not None:
            # All that a plain call does before the first line of the function is to spread its arguments.
            changed = ITERATORS_ONLY if steady and not self._wild else self._changed(caller)
            caller.called = True
            self._waiting.append(caller)
            self._below = (*self._below, caller.activation)
            for label in _labels(caller.activation):
                self._below_labels[label] = self._below_labels.get(label, 0) + 1
        if live.watch.steady:
            live.begin()
        else:
            self._look(live, live.watch)
        self._step("call", live, steady and self._placed(live), changed)

    def _placed(self, live: Live) -> bool:
        """Whether the function's arguments stand on the page already; their rows are then written."""
        held = live.held
        names = [name for name in live.shown if name in held]
        texts = self._renderer.placed(map(held.__getitem__, names))
        if texts is None:
            return False
        live.put({name: (name, text) for name, text in zip(names, texts, strict=True)})
        return True

    def leave(self, live: Live, caller: Live | None) -> None:
        """A function is no longer under way."""
        if caller is not None:
            self._waiting.pop()
            self._below = self._below[:-1]
            for label in _labels(caller.activation):
                self._below_labels[label] -= 1
                if not self._below_labels[label]:
                    del self._below_labels[label]
            caller.gone += [text for _, text in live.rows if "#" in text]

    def line(self, live: Live, watch: Watch) -> None:
        """A line is about to run."""
        if not watch.easy or live.waiting:
            self._hard_line(live, watch)
            return
        changed = () if live.watch.still and not self._wild else self._changed(live)
        live.raised = None
        live.line = watch.line
        same = live.look(watch)
        if self._binds or live.arrived or self._passed:
            self._step("line", live, same, changed)
            return
        if live.gone and (changed == () or changed is ITERATORS_ONLY):
            # An iterator takes up no new object, so who still refers to what went is told by the last page.
            same = same and self._parted(live, None)
        if not same or live.gone or (changed != () and not self._kept_up(changed)):
            self._step("line", live, same, changed)
            return
        self._steps += 1
        self._characters += self._renderer.size + live.size
        if self._steps > self._last_step or self._characters > self._last_character:
            self._stop("steps" if self._steps > self._last_step else "characters")
        live.activation = activation = quick_activation(live.name, watch.line, live.rows)
        self._emit(quick_frame("line", (*self._below, activation), self._renderer.whole, self._shared_rows, None))

    def _kept_up(self, changed: _Changed) -> bool:
        """Whether the heap is up to date once these objects changed, and all of it could be written down."""
        renderer = self._renderer
        return changed is not None and renderer.amended(changed) and renderer.unsupported is None

    def _hard_line(self, live: Live, watch: Watch) -> None:
        """A line of which everything is looked at: something waits, or the function is not steady."""
        changed = self._changed(live)
        live.waiting = waits(live, watch, self._program.layout)
        live.raised = None
        live.line = watch.line
        self._look(live, watch)
        self._step("line", live, False, changed)

    def exception(self, live: Live, error: BaseException) -> None:
        """Something was raised while the line ran, or arrived there."""
        live.raised = error
        changed = self._changed(live)
        if live.waiting or not live.watch.easy:
            self._look(live, live.watch)
            self._step("exception", live, False, changed, error)
        else:
            self._step("exception", live, live.look(live.watch), changed, error)

    def returned(self, live: Live, value: object) -> None:
        """The function is about to leave with a value."""
        changed = self._changed(live)
        outside = live.watched.outside
        if live.waiting or not outside.steady:
            live.waiting = {}
            self._look(live, outside)
            self._step("return", live, False, changed, value)
        else:
            self._step("return", live, live.look(outside), changed, value)

    # -- what there is to write

    def _changed(self, ran: Live) -> _Changed:
        """Objects that the line just run may have changed, besides iterators; None: any object."""
        called, ran.called = ran.called, False
        names = ran.watch.touches
        if self._wild or names is None:
            return None
        if called and ran.watch.steady:  # what the function did stands on its own pages
            return ()
        found = []
        for name in names:
            if name in ran.held:
                value = ran.held[name]
            elif name in self._shared:
                value = self._shared[name]
            elif name in HARMLESS and name not in self._namespace:
                continue
            else:
                return None
            if type(value) is types.BuiltinMethodType:  # it changes at most what it belongs to and what it is given
                value = value.__self__
            kind = type(value)
            if kind in SCALARS:
                continue
            if kind not in _PLAIN:
                return None
            found.append(value)
        return ITERATORS_ONLY if found and ran.watch.gentle else tuple(found)

    def _look(self, live: Live, watch: Watch) -> None:
        """Take up all variables to show: temporaries only while they are needed, cells as cells."""
        program = self._program
        stepwise = program.level != "plain"
        values = live.frame.f_locals
        if program.temporaries:
            needed = program.live[watch.line - 1] if watch.line else frozenset[str]()
            hidden = program.temporaries
            scope = {name: value for name, value in values.items() if name not in hidden or name in needed}
        else:
            scope = dict(values)
        if live.frame.f_code.co_cellvars and stepwise:
            live.adopt_cells(values)
        if live.cells and stepwise:
            scope.update((name, cell) for name, cell in live.cells.items() if name not in program.temporaries)
        if live.waiting:
            scope.update((f"@{line}", waiting) for line, waiting in live.waiting.items())
        live.look_anew(scope, watch)

    def _step(self, event: Event, live: Live, same: bool, changed: _Changed, *values: object) -> None:
        """Write the page; `same`: it starts from the objects of the last one and at most one more."""
        self._steps += 1
        if self._steps > self._last_step:
            self._stop("steps")
        if self._names and (changed is None or self._binds):
            same = self._look_outside() and same
        plain = not values or type(values[0]) in SCALARS
        arg = scalar(values[0]) if values and plain else None
        done = same and changed is not None and (plain or live.arrived is None) and self._amended(live, changed)
        if done and not plain:
            arg = self._renderer.joined(values[0], ())
            done = arg is not None
        if done and (live.gone or self._passed):
            done = self._parted(live, None if plain else arg)
        if not done:
            arg = self._written_anew(live, changed, values)
        self._said = arg
        self._passed = None if plain or "#" not in (arg or "") else arg
        live.activation = quick_activation(live.name, live.line, live.rows)
        self._measure(live)
        self._emit(quick_frame(event, (*self._below, live.activation), self._renderer.whole, self._shared_rows, arg))

    def _amended(self, live: Live, changed: tuple[object, ...]) -> bool:
        """Whether the last page could be brought up to date with what changed and with one object that came."""
        if live.arrived is None:
            return not changed or self._renderer.amended(changed)
        text = self._renderer.joined(live.held[live.arrived], changed)
        if text is not None:
            live.join(text)
        return text is not None

    def _parted(self, live: Live, arg: str | None) -> bool:
        """Whether it is plain which objects went with the values that left the page."""
        gone = live.gone if self._passed is None else [*live.gone, self._passed]
        live.gone = []
        texts = [text for _, text in live.rows]
        if self._shared_rows:
            texts += [text for _, text in self._shared_rows]
        left = "\n".join(["", *texts, arg or "", ""])
        return self._renderer.parted(gone, left, self._below_labels)

    def _look_outside(self) -> bool:
        """Take up the module variables; False where one of them was bound anew."""
        before, self._shared = self._shared, shared_values(self._names, self._namespace)
        pairs = zip(before.items(), self._shared.items(), strict=False)
        return len(before) == len(self._shared) and all(a == b and c is d for (a, c), (b, d) in pairs)

    def _written_anew(self, live: Live, changed: _Changed, values: tuple[object, ...]) -> str | None:
        renderer = self._renderer
        renderer.begin()
        if self._shared:
            self._shared_rows = renderer.bindings(self._shared)
        for each in self._waiting:
            each.reach(renderer)
        live.write(renderer)
        arg = renderer.text(values[0]) if values else None
        renderer.heap(changed)
        return arg

    def _measure(self, live: Live) -> None:
        renderer = self._renderer
        self._characters += renderer.size + live.size
        if self._characters > self._last_character:
            self._stop("characters")
        if self.unsupported is None:
            self.unsupported = renderer.unsupported
            if live.rows is not self._measured:
                self._measured = live.rows
                for _, text in live.rows:
                    if "?" in text and self.unsupported is None and not is_supported(text):
                        self.unsupported = text[1:]
        self._wild = self.unsupported is not None or renderer.runs_program

    def _stop(self, limit: str) -> None:
        self._stopped = limit
        raise Stop(limit)


def _labels(activation: Activation) -> list[int]:
    return [label for _, text in activation.locals for label in references(text)]
