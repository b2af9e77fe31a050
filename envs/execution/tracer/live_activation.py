"""Functions under way in a real run, and which of their values a frame shows; knows no event, no heap, no limit."""

import ast
import types
from collections.abc import Mapping

from envs.execution.decompose.program import Program
from envs.execution.state.frames import Activation
from envs.execution.syntax.line_map import LineMap
from envs.execution.syntax.python_version import comprehension_variables, misreported_lines
from envs.execution.text.value_writers import SCALARS, Waiting
from envs.execution.tracer.callees import looked_up
from envs.execution.tracer.spurious_events import spurious_lines


class LiveActivation:
    """One function under way; changes with it."""

    def __init__(self, frame: types.FrameType, program: Program, cells: dict[str, types.CellType]) -> None:
        self.frame = frame
        self.line = self.first_line = frame.f_code.co_firstlineno
        self._borrowed = comprehension_variables(frame.f_code)
        self.spurious = (spurious_lines if program.level != "plain" else misreported_lines)(frame.f_code)
        """Instructions whose line events announce a line that does not run."""
        self.raised: BaseException | None = None
        """The exception that arrived since the last line event."""
        self.values: dict[str, object] = {}
        """What the last frame showed of this function, by name."""
        self.objects: list[object] = []
        """Of `values` those that may lead to the heap, in the order of names; set when the function calls another."""
        self.activation = Activation(frame.f_code.co_name, self.line)
        """The text of `values`, as the last frame showed it."""
        self.attempts = 0
        """Functions that the objects of the current line have led to so far."""
        self.held: Waiting | None = None
        """What the current line must remember while it waits: shown in the row `@0`."""
        self._program = program
        self._stepwise = program.level != "plain"
        self._given = _given_functions(frame) if frame.f_code.co_cellvars else []
        """Functions among its arguments: their cells are those of other calls."""
        self._cells = cells
        """Variables shared with functions around it or nested in it; frames of decomposed programs show their cells."""
        self._needed: frozenset[str] = frozenset()
        """Temporaries that are still needed at the current line."""
        self._waiting: dict[int, Waiting] = {}
        """What waits at which `try`, by its line."""
        self._places: tuple[int, ...] = ()
        """Lines of the `try` statements at which something may wait while the current line is about to run."""

    def reach_line(self, line: int) -> None:
        """Control has come to a line that is about to run."""
        program = self._program
        if self._stepwise:
            places = tuple(program.layout.waiting_places(line))
            self._waiting = self._waiting_at(places)
            self._places = places
        self.line, self.raised = line, None
        self.attempts, self.held = 0, None
        self._needed = program.live[line - 1] if program.temporaries else frozenset()
        self.refresh()

    def wait_for_call(self) -> None:
        """The current line has called a function: until that returns, frames show this one as it is now."""
        if self.attempts and self.held is None:
            rows = tuple(row for row in self.activation.locals if row[0] != "@0")
            self.activation = Activation(self.activation.function, self.line, rows)
        self.objects = [self.values[name] for name in sorted(self.values) if type(self.values[name]) not in SCALARS]

    def resume(self, line: int) -> None:
        """The function is a generator that resumes at the `yield` of a line."""
        self.line = line
        self._needed = self._program.live[line - 1] if self._program.temporaries else frozenset()
        self.refresh()

    def hold(self, what: Waiting) -> None:
        """Remember something until the function that the current line calls has returned."""
        self.held = what

    def show_held(self, text: str) -> None:
        """Add the text of what is remembered to the text of the variables."""
        rows = tuple(row for row in self.activation.locals if row[0] != "@0")
        self.activation = Activation(self.activation.function, self.line, (("@0", text), *rows))

    def leave(self) -> None:
        """The function is about to return: nothing waits and no temporary is needed any more."""
        self._waiting, self._needed = {}, frozenset()
        self.refresh()

    def refresh(self) -> None:
        """Read all variables to show: temporaries only while they are needed, cells as cells, and what waits."""
        hidden, needed = self._program.temporaries, self._needed
        present = self.frame.f_locals
        values = {name: value for name, value in present.items() if name not in hidden or name in needed}
        for name in self._borrowed.get(self.frame.f_lasti, ()):  # an exception inside a comprehension
            values.pop(name, None)
            if name in self.values:
                values[name] = self.values[name]
        if self._stepwise:
            if self.frame.f_code.co_cellvars:
                self._find_cells(present)
            values.pop("__class__", None)
            for name in self._cells.keys() - hidden:
                values[name] = self._cells[name]
            for line, waiting in self._waiting.items():
                values[f"@{line}"] = waiting
        self.values = values

    def _find_cells(self, present: Mapping[str, object]) -> None:
        """Variables shared with a nested function are cells from the moment that function is made."""
        code = self.frame.f_code
        for value in present.values():
            if isinstance(value, types.FunctionType) and value.__code__ in code.co_consts:
                if any(value is each for each in self._given):
                    continue
                closed = dict(zip(value.__code__.co_freevars, value.__closure__ or (), strict=True))
                shared = {name: cell for name, cell in closed.items() if name in code.co_cellvars}
                if all(_holds(cell, name, present) for name, cell in shared.items()):
                    self._cells |= shared | self._cells

    def _waiting_at(self, places: tuple[int, ...]) -> dict[int, Waiting]:
        """What waits at which of these `try` statements once control has come from the last line to the next."""
        kept = {place: self._waiting[place] for place in places if place in self._waiting}
        if not places or (places[0] in self._places and self.raised is None):
            return kept
        arrived = self._arrival(places, self._program.layout)
        return kept | {places[0]: arrived} if arrived else kept

    def _arrival(self, places: tuple[int, ...], layout: LineMap) -> Waiting | None:
        """What begins to wait at the first place: an exception, a jump, or what waited at a place that is left."""
        if self.raised is not None:
            return Waiting("raise", self.raised)
        left = [place for place in self._places if place in self._waiting and place not in places]
        match layout.places[self.line].node:
            case ast.Return(value=value):
                return Waiting("return", looked_up(value, self.values, {}) if value else None)
            case ast.Break() | ast.Continue() as jump:
                around = layout.enclosing(self.line)
                loop = next(node for node, part in around if isinstance(node, ast.For | ast.While) and part == "body")
                if loop.lineno < places[0]:  # else the loop is inside the `try`, which control then left by its end
                    return Waiting("break" if isinstance(jump, ast.Break) else "continue")
                left = [place for place in left if place < loop.lineno]  # what waited inside the loop is given up
        return self._waiting[left[0]] if left else None


def _given_functions(frame: types.FrameType) -> list[object]:
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values = [frame.f_locals.get(name) for name in names]
    return [value for value in values if isinstance(value, types.FunctionType)]


def _holds(cell: types.CellType, name: str, present: Mapping[str, object]) -> bool:
    """Whether a cell may be that of a variable; one of an earlier call, which made such a function too, is not."""
    try:
        held = cell.cell_contents
    except ValueError:
        return name not in present
    return name in present and held is present[name]
