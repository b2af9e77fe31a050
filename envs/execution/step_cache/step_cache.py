"""Effect cache shared by all candidate programs of one search, and the compiled steps of the latest programs.

Knows no oracle: cached effects are what one oracle answers, so each oracle has a cache of its own.
"""

from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame
from envs.execution.step_cache.step_compiler import StepCompiler, Store
from envs.execution.stepper.stepper import Stepper

_MOST_LEARNED = 100_000
_MOST_PROGRAMS = 512


class StepCache:
    """The effects that one oracle gave, by line and by what the line read; dropped entries can be learned again."""

    def __init__(self) -> None:
        self._store: Store = {}
        self._compilers: dict[tuple[Program, frozenset[str]], StepCompiler] = {}
        self._learned = 0
        self.used = 0
        """Steps for which the oracle was not asked because their effect was cached."""

    def compiler(self, stepper: Stepper, frame: Frame) -> StepCompiler:
        """The compiled steps of a frame's program."""
        shared = frozenset([name for name, _ in frame.globals])
        found = self._compilers.get((stepper.program, shared))
        if found is None:
            if len(self._compilers) >= _MOST_PROGRAMS:
                del self._compilers[next(iter(self._compilers))]
            found = self._compilers[stepper.program, shared] = StepCompiler(stepper, shared, self._store)
        return found

    def learn(self, stepper: Stepper, frame: Frame, question: Question, effect: Effect, said: float) -> None:
        """Cache the effect of a line, for all programs that have the same line and read the same there.

        `said` is the log-probability of the oracle's answer.
        """
        self._learned += 1
        if self._learned > _MOST_LEARNED:
            self._learned = 0
            self._store.clear()
            self._compilers.clear()
        self.compiler(stepper, frame).learn(frame, question, effect, said)
