"""Commands of the debugger: each one changes or shows the walk, and answers with lines of text.

step [N]      imagine N steps (one operation each)                     s
next          imagine up to the next line, through whole calls         n
out           imagine until the current function returns               o
until LINE    imagine up to a line                                     u
continue      imagine up to a breakpoint or the end                    c
back [N]      undo N steps                                             b
break [LINE]  set or clear a breakpoint; without LINE list them
print [NAME]  show all variables, or the named ones                    p
set X = VALUE change a variable; the next steps use the new value
list          show the program and mark the current line               l
view V        continue in another view: local, program or history
guide G       choose the rule for the next line: free, cfg, grounded or forced
real [all]    show the real run beside the imagined one, with the first divergence   r
export FILE   write all steps as an episode (JSON)
quit          end the debugger                                         q
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from cwm_agent.debugger import step_display
from cwm_agent.debugger.debugger_worlds import World
from cwm_agent.debugger.step_display import Paint
from cwm_agent.debugger.step_position import DebugError, Difference
from cwm_agent.debugger.step_walk import Walk
from cwm_agent.imagination.guides import BadGuide, parse_guide
from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.oracles.protocol import VIEWS, View
from tasks.errors import did_you_mean
from tasks.output.atomic_file import WriteError, write_file
from tasks.output.terminal_text import visible_line

SHORT = {"s": "step", "n": "next", "o": "out", "u": "until", "c": "continue", "b": "back", "p": "print", "l": "list"}
SHORT |= {"r": "real", "q": "quit", "h": "help", "?": "help"}
Rest = str


class Debugger:
    """Executes typed commands on a walk.

    Args:
        world: makes the world for a view and a guide.
        written: lines of the program as the user wrote it.
        about: file, call and oracle, for exported episodes.
    """

    def __init__(
        self,
        world: Callable[[View, str], World],
        view: View,
        guide: str,
        *,
        written: Sequence[str],
        about: dict[str, Any],
        paint: Paint | None = None,
    ) -> None:
        self._world, self._view, self._guide = world, view, guide
        self._written, self._about = written, about
        self._paint = paint or Paint(False)
        self._compared = False
        self.walk = Walk(world(view, guide))
        self.done = False
        self._commands: dict[str, Callable[[Rest], list[str]]] = {
            "step": self._step, "next": lambda rest: self._go(self.walk.next), "back": self._back,
            "out": lambda rest: self._go(self.walk.out), "until": self._until, "break": self._break,
            "continue": lambda rest: self._go(self.walk.resume), "print": self._print, "set": self._set,
            "list": lambda rest: step_display.source(self.walk, self._written, self._paint), "view": self._switch_view,
            "guide": self._switch_guide, "real": self._real, "export": self._export, "quit": self._quit,
            "help": lambda rest: (__doc__ or "").strip().splitlines(),
        }  # fmt: skip

    def do(self, text: str) -> list[str]:
        """The answer to one command; a command that cannot be executed is answered with the reason.

        A failure of the oracle is raised.
        """
        word, _, rest = text.strip().partition(" ")
        if not word:
            return []
        command = self._commands.get(SHORT.get(word, word))
        if command is None:
            hint = did_you_mean(word, self._commands, otherwise="`help` shows all commands.")
            return [f"No command {word!r}. {hint}"]
        try:
            return command(rest.strip())
        except DebugError as error:
            return [visible_line(str(error))]

    def where(self) -> str:
        """The current step as one line of text."""
        return step_display.here(self.walk, self._paint)

    def _go(self, move: Callable[[], None]) -> list[str]:
        if self.walk.over:
            return [self.where(), "The run is over. `back` undoes steps."]
        try:
            move()
        except DebugError as error:
            return [visible_line(str(error)), self.where()]
        return [self.where()]

    def _step(self, rest: Rest) -> list[str]:
        return [line for _ in range(_number(rest or "1", "step")) for line in self._go(self.walk.step)]

    def _back(self, rest: Rest) -> list[str]:
        self.walk.back(_number(rest or "1", "back"))
        return [self.where()]

    def _until(self, rest: Rest) -> list[str]:
        line = _number(rest, "until")
        return self._go(lambda: self.walk.until(line))

    def _break(self, rest: Rest) -> list[str]:
        points = self.walk.breakpoints
        if not rest:
            return [f"breakpoint at line {line}" for line in sorted(points)] or ["no breakpoints"]
        line = _number(rest, "break")
        if line > len(self._written):
            raise DebugError(
                f"The program has no line {line}; its last line is {len(self._written)}. `list` shows its lines."
            )
        points ^= {line}
        return [f"breakpoint at line {line}" if line in points else f"breakpoint at line {line} cleared"]

    def _print(self, rest: Rest) -> list[str]:
        return step_display.variables(self.walk.place, rest.replace(",", " ").split())

    def _set(self, rest: Rest) -> list[str]:
        name, equals, value = (part.strip() for part in rest.partition("="))
        if not equals or not name.isidentifier() or not value:
            raise DebugError(f"set {rest!r} has no value. Write set NAME = VALUE, as in: set x = [1, 2]")
        self.walk.set(name, value)
        return [self.where()]

    def _switch_view(self, rest: Rest) -> list[str]:
        view = next((each for each in VIEWS if each == rest), None)
        if view is None:
            raise DebugError(f"No view {rest!r}. Choose one of: {', '.join(VIEWS)}.")
        if adapter_of(view).frame_type is adapter_of(self._view).frame_type:
            return self._switched(view, self._guide, self.walk.frames, self.walk.marks)
        begun = len(self.walk.frames) > 1
        lines = ["Frames of the two views differ: starting again at the first step."] if begun else []
        return [*lines, *self._switched(view, self._guide, [], [])]

    def _switch_guide(self, rest: Rest) -> list[str]:
        try:
            guide = parse_guide(rest)
        except BadGuide as error:
            raise DebugError(str(error)) from None
        if guide.looks:
            name = guide.name.partition(":")[0]
            raise DebugError(f"{name} works on whole rollouts only. Use guide forced, or change a variable with set.")
        return self._switched(self._view, rest, self.walk.frames, self.walk.marks)

    def _switched(self, view: View, guide: str, frames: list[Any], marks: list[Any]) -> list[str]:
        old = self.walk
        self.walk = Walk(self._world(view, guide), list(frames), list(marks), old.breakpoints, tokens=old.tokens)
        self._view, self._guide = view, guide
        return [f"imagining in the {view} view, {guide}", self.where()]

    def _real(self, rest: Rest) -> list[str]:
        if rest not in ("", "all"):
            raise DebugError(f"real takes no argument {rest!r}. Write real, or real all for every step.")
        frames, outcome = self.walk.world.real()
        self._compared = True
        return step_display.beside(
            self.walk, frames, outcome, difference=self._difference(), paint=self._paint, whole=rest == "all"
        )

    def _difference(self) -> Difference | None:
        return self.walk.world.difference(self.walk.frames) if self._compared else None

    def _export(self, rest: Rest) -> list[str]:
        if not rest:
            raise DebugError("export needs a file. Write export FILE.json.")
        about = {**self._about, "view": self._view, "guide": self._guide}
        row = step_display.episode(self.walk, about, self._difference(), compared=self._compared)
        try:
            write_file(rest, json.dumps(row, indent=1) + "\n")
        except WriteError as error:
            raise DebugError(str(error)) from None
        return [f"{len(self.walk.frames)} steps written to {visible_line(rest)}"]

    def _quit(self, rest: Rest) -> list[str]:
        self.done = True
        return []


def _number(text: str, command: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise DebugError(f"{command} needs a number of at least 1, not {text!r}.")
    return int(text)
