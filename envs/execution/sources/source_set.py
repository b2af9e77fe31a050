"""The sources of one run as live objects, and the modules and builtins by which a program reaches them.

`SourceSet.of_world` begins a run. While `installed()` is open, imports of `random`, `time` and `datetime` give modules
whose functions read these sources; `input` and `open` stand in the builtins of the program's own module. The modules of
this process are put back afterwards.
"""

import builtins
import contextlib
import datetime
import random
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from envs.execution.sources.counted_random import CountedRandom, ModuleRandom
from envs.execution.sources.memory_files import MemoryFiles
from envs.execution.sources.scripted_sources import OTHER_READINGS, READINGS, ScriptedClock, ScriptedInput

Source = ModuleRandom | ScriptedInput | ScriptedClock | MemoryFiles
SOURCE_NAMES = ("@clock", "@files", "@input", "@random")
"""The rows of a frame that show a source's position, sorted."""


@dataclass(slots=True)
class SourceSet:
    """Live sources; `used` names those that the program can reach, which are the rows that its frames show."""

    used: frozenset[str]
    random: ModuleRandom = field(default_factory=lambda: ModuleRandom(0))
    input: ScriptedInput = field(default_factory=ScriptedInput)
    clock: ScriptedClock = field(default_factory=ScriptedClock)
    files: MemoryFiles = field(default_factory=MemoryFiles)

    @classmethod
    def of_world(cls, used: frozenset[str], world: Mapping[str, Any]) -> "SourceSet":
        """The sources at the beginning of a run; `world` is the record of a `tasks.scripted_world.ScriptedWorld`."""
        clock = {name: world[given] for name, given in (("now", "clock"), ("tick", "tick")) if given in world}
        return cls(
            used,
            ModuleRandom(world.get("seed", 0)),
            ScriptedInput(world.get("inputs", ())),
            ScriptedClock(**clock),
            files=MemoryFiles(world.get("files", {})),
        )

    def rows(self) -> dict[str, object]:
        """The sources that the program uses, by the names of their rows."""
        every = {"@clock": self.clock, "@files": self.files, "@input": self.input, "@random": self.random}
        return {name: every[name] for name in SOURCE_NAMES if name in self.used}

    def states(self) -> tuple[str, ...]:
        """All positions as text: equal before and after what read no source."""
        return self.random.state, self.input.state, self.clock.state, self.files.state

    def fresh_seed(self) -> int:
        """The seed of a generator that the program gives none: two words of `random`."""
        return self.random.getrandbits(64)

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Let imports give modules that read these sources."""
        made = {"random": self._random_module(), "time": self._time_module(), "datetime": self._datetime_module()}
        chosen = {name: module for name, module in made.items() if self.used & _BEHIND[name]}
        before = {name: sys.modules.get(name) for name in chosen}
        seeds, CountedRandom.fresh_seed = CountedRandom.fresh_seed, staticmethod(self.fresh_seed)  # type: ignore[method-assign]
        sys.modules.update(chosen)
        try:
            yield
        finally:
            CountedRandom.fresh_seed = staticmethod(seeds)  # type: ignore[method-assign]
            for name, module in before.items():
                if module is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = module

    def builtins(self) -> dict[str, Any]:
        """The builtins of the program's module."""
        own = {"@input": ("input", self.input.input), "@files": ("open", self.files.open)}
        return {**vars(builtins), **dict(own[name] for name in own if name in self.used)}

    def _random_module(self) -> types.ModuleType:
        functions = {name: getattr(self.random, name) for name in random.__all__ if hasattr(self.random, name)}
        return _like(random, {**functions, "Random": CountedRandom})

    def _time_module(self) -> types.ModuleType:
        return _like(time, {name: getattr(self.clock, name) for name in READINGS | OTHER_READINGS})

    def _datetime_module(self) -> types.ModuleType:
        clock = self.clock
        now = _moment_class(datetime.datetime, {"now": _no_zone(clock), "utcnow": _no_zone(clock)})
        now.today = now.now  # type: ignore[attr-defined]
        today = _moment_class(datetime.date, {"today": lambda: clock.datetime().date()})
        return _like(datetime, {"datetime": now, "date": today})


_BEHIND = {"random": {"@random"}, "time": {"@clock"}, "datetime": {"@clock"}}


def _like(real: types.ModuleType, changed: Mapping[str, object]) -> types.ModuleType:
    module = types.ModuleType(real.__name__, real.__doc__)
    vars(module).update(vars(real) | dict(changed))
    return module


def _no_zone(clock: ScriptedClock) -> Callable[..., datetime.datetime]:
    def now(zone: datetime.tzinfo | None = None) -> datetime.datetime:
        found = clock.datetime()
        return found if zone is None else found.replace(tzinfo=datetime.UTC).astimezone(zone)

    return now


class _Moments(type):
    """A class that stands for `datetime` or `date`: makes and accepts the real objects, and reads another clock."""

    real: type

    def __call__(cls, *args: Any, **keywords: Any) -> Any:
        return cls.real(*args, **keywords)

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, cls.real)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.real, name)


def _moment_class(real: type, functions: Mapping[str, Callable[..., object]]) -> _Moments:
    held = {name: staticmethod(function) for name, function in functions.items()}
    return _Moments(real.__name__, (), {**held, "real": real, "__module__": "datetime"})
