"""Effect cache shared by all candidate programs of one search, and the compiled steps of the latest programs.

Knows no oracle: cached effects are what one oracle answers, so each oracle has a cache of its own.
"""

from envs.bounded_cache import ENTRY_BYTES, MIB, characters
from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame
from envs.execution.step_cache.step_compiler import StepCompiler, Store
from envs.execution.stepper.stepper import Stepper

MOST_EFFECT_BYTES = 64 * MIB
"""Of the cached effects, with the texts that their lines read; when they exceed it, all are dropped."""
MOST_PROGRAM_BYTES = 32 * MIB
"""Of the compiled steps, at `_BYTES_A_CHARACTER` of the programs; the oldest programs are dropped first."""
_BYTES_A_CHARACTER = 100


class StepCache:
    """The effects that one oracle gave, by line and by what the line read; dropped entries can be learned again."""

    def __init__(self) -> None:
        self._store: Store = {}
        self._compilers: dict[tuple[Program, frozenset[str]], StepCompiler] = {}
        self._effect_bytes = 0
        self._program_bytes = 0
        self.used = 0
        """Steps for which the oracle was not asked because their effect was cached."""

    def compiler(self, stepper: Stepper, frame: Frame) -> StepCompiler:
        """The compiled steps of a frame's program."""
        shared = frozenset([name for name, _ in frame.globals])
        found = self._compilers.get((stepper.program, shared))
        if found is None:
            self._program_bytes += _BYTES_A_CHARACTER * len(stepper.program.source)
            while self._compilers and self._program_bytes > MOST_PROGRAM_BYTES:
                oldest = next(iter(self._compilers))
                del self._compilers[oldest]
                self._program_bytes -= _BYTES_A_CHARACTER * len(oldest[0].source)
            found = self._compilers[stepper.program, shared] = StepCompiler(stepper, shared, self._store)
        return found

    def learn(self, stepper: Stepper, frame: Frame, question: Question, effect: Effect, *, logprob: float) -> None:
        """Cache the effect of a line, for all programs that have the same line and read the same there.

        `logprob` is the log-probability of the oracle's answer.
        """
        texts = (question.reads, question.heap, effect.bound, effect.contents)
        self._effect_bytes += 2 * ENTRY_BYTES + characters(texts)
        if self._effect_bytes > MOST_EFFECT_BYTES:
            self._effect_bytes = self._program_bytes = 0
            self._store.clear()
            self._compilers.clear()
        self.compiler(stepper, frame).learn(frame, question, effect, logprob)
