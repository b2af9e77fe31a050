"""Names for what decompose introduces; knows which names the program uses and nothing else of it."""

from dataclasses import dataclass, field

from envs.execution.syntax.name_scopes import ProgramScopes


@dataclass(slots=True)
class FreshNames:
    """Fresh names for one function: `_1`, `_2`, `_l1` for a lambda, `_e1` for an exception, `_x` for a variable x."""

    program: ProgramScopes
    introduced: set[str]
    """All names introduced in the program, shared between its functions."""
    given: set[str] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    """Names given to comprehension variables; the next comprehension may use them again."""
    counters: dict[str, int] = field(default_factory=dict)

    def fresh(self, prefix: str = "") -> str:
        """A name that occurs nowhere in the program and not yet in this function."""
        while True:
            number = self.counters[prefix] = self.counters.get(prefix, 0) + 1
            name = f"_{prefix}{number}"
            if name not in self.program.identifiers and name not in self.given:
                return self._give(name)

    def renamed(self, variable: str, active: set[str]) -> str:
        """The name that stands for a comprehension's variable, other than those in use around it."""
        number = 1
        while True:
            name = f"_{variable}" if number == 1 else f"_{variable}{number}"
            taken = name in self.program.identifiers or name in self.given
            if name not in active and (name in self.variables or not taken):
                self.variables.add(name)
                return self._give(name)
            number += 1

    def _give(self, name: str) -> str:
        self.given.add(name)
        self.introduced.add(name)
        return name
