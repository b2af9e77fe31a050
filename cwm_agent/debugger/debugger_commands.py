"""What one types at the debugger: each command changes the walk or shows it, and answers with lines of text.

step [N]      N steps of imagination (one operation each)       s
next          to the next line of the program, over calls       n
out           until the present function has left               o
until LINE    to that line                                      u
continue      to a breakpoint or the end                        c
back [N]      undo N steps                                      b
break [LINE]  set or clear a breakpoint; without LINE show them
print [NAME]  variables here, or some of them                   p
set X = VALUE change a variable and imagine on from there
list          the program, with the present line                l
view V        local, program or history: imagine on in that view
guide G       free, cfg, grounded or forced: who decides the next line
real [all]    the real run beside the imagined one, first divergence marked   r
export FILE   write what was walked through as an episode (JSON)
quit          q
"""

import json
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from cwm_agent.debugger import step_display
from cwm_agent.debugger.debugger_worlds import World
from cwm_agent.debugger.step_display import Paint
from cwm_agent.debugger.step_position import DebugError, Difference
from cwm_agent.debugger.step_walk import Walk
from cwm_agent.imagination.guides import BadGuide, parse_guide
from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.oracles.protocol import VIEWS, View

SHORT = {"s": "step", "n": "next", "o": "out", "u": "until", "c": "continue", "b": "back", "p": "print", "l": "list"}
SHORT |= {"r": "real", "q": "quit", "h": "help", "?": "help"}
Rest = str


class Debugger:
    """A walk, and the commands on it."""

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
        self._looked = False
        self.walk = Walk(world(view, guide))
        self.done = False
        self._commands: dict[str, Callable[[Rest], list[str]]] = {
            "step": self._step, "next": lambda rest: self._go(self.walk.next), "back": self._back,
            "out": lambda rest: self._go(self.walk.out), "until": self._until, "break": self._break,
            "continue": lambda rest: self._go(self.walk.on), "print": self._print, "set": self._set,
            "list": lambda rest: step_display.source(self.walk, self._written, self._paint), "view": self._switch_view,
            "guide": self._switch_guide, "real": self._real, "export": self._export, "quit": self._quit,
            "help": lambda rest: (__doc__ or "").strip().splitlines(),
        }  # fmt: skip

    def do(self, text: str) -> list[str]:
        """Carry one command out; its answer, or in one sentence why not. An oracle's failure is raised."""
        word, _, rest = text.strip().partition(" ")
        if not word:
            return []
        command = self._commands.get(SHORT.get(word, word))
        if command is None:
            near = get_close_matches(word, self._commands, n=1)
            return [f"No command {word!r}. " + (f"Did you mean {near[0]!r}?" if near else "`help` shows them all.")]
        try:
            return command(rest.strip())
        except DebugError as error:
            return [str(error)]

    def where(self) -> str:
        """Where the walk stands."""
        return step_display.here(self.walk, self._paint)

    def _go(self, move: Callable[[], None]) -> list[str]:
        if self.walk.over:
            return [self.where(), "`back` goes back from here."]
        try:
            move()
        except DebugError as error:
            return [str(error), self.where()]
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
            raise DebugError(f"The program has {len(self._written)} lines and no line {line}.")
        points ^= {line}
        return [f"breakpoint at line {line}" if line in points else f"no breakpoint at line {line} any more"]

    def _print(self, rest: Rest) -> list[str]:
        return step_display.variables(self.walk.place, rest.replace(",", " ").split())

    def _set(self, rest: Rest) -> list[str]:
        name, equals, value = (part.strip() for part in rest.partition("="))
        if not equals or not name.isidentifier() or not value:
            raise DebugError("Write set NAME = VALUE, as in: set x = [1, 2]")
        self.walk.set(name, value)
        return [self.where()]

    def _switch_view(self, rest: Rest) -> list[str]:
        view = next((each for each in VIEWS if each == rest), None)
        if view is None:
            raise DebugError(f"No view {rest!r}. Choose one of: {', '.join(VIEWS)}.")
        if adapter_of(view).frame_type is adapter_of(self._view).frame_type:
            return self._switched(view, self._guide, self.walk.frames, self.walk.marks)
        told = [] if len(self.walk.frames) == 1 else ["Frames of the two kinds differ, so the walk begins anew."]
        return [*told, *self._switched(view, self._guide, [], [])]

    def _switch_guide(self, rest: Rest) -> list[str]:
        try:
            guide = parse_guide(rest)
        except BadGuide as error:
            raise DebugError(str(error)) from None
        if guide.every is not None:
            raise DebugError("anchored counts steps of a whole rollout. Here use forced, or set a variable by hand.")
        return self._switched(self._view, rest, self.walk.frames, self.walk.marks)

    def _switched(self, view: View, guide: str, frames: list[Any], marks: list[Any]) -> list[str]:
        old = self.walk
        self.walk = Walk(self._world(view, guide), list(frames), list(marks), old.breakpoints, tokens=old.tokens)
        self._view, self._guide = view, guide
        return [f"imagining in the {view} view, {guide}", self.where()]

    def _real(self, rest: Rest) -> list[str]:
        if rest not in ("", "all"):
            raise DebugError(f"Write real, or real all for every step, not {rest!r}.")
        frames, outcome = self.walk.world.real()
        self._looked = True
        return step_display.beside(self.walk, frames, outcome, self._difference(), self._paint, whole=rest == "all")

    def _difference(self) -> Difference | None:
        return self.walk.world.difference(self.walk.frames) if self._looked else None

    def _export(self, rest: Rest) -> list[str]:
        if not rest:
            raise DebugError("Write export FILE.json.")
        about = {**self._about, "view": self._view, "guide": self._guide}
        row = step_display.episode(self.walk, about, self._difference(), self._looked)
        try:
            Path(rest).write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise DebugError(f"{rest} could not be written: {error.strerror}. Give another file.") from None
        return [f"{len(self.walk.frames)} steps written to {rest}"]

    def _quit(self, rest: Rest) -> list[str]:
        self.done = True
        return []


def _number(text: str, command: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise DebugError(f"{command} wants a number of at least 1, not {text!r}.")
    return int(text)
