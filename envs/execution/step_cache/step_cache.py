"""What was learned of lines: habits for all programs that whoever imagines goes through, and the tracks of the latest.

Knows no oracle: habits come of what one always answers, so each has its own.
"""

from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame
from envs.execution.step_cache.step_compiler import StepCompiler, Store
from envs.execution.stepper.stepper import Stepper

_MOST_LEARNED = 100_000
_MOST_PROGRAMS = 512


class StepCache:
    """The habits that one oracle's answers made; all that is forgotten can be learned again."""

    def __init__(self) -> None:
        self._store: Store = {}
        self._tracks: dict[tuple[Program, frozenset[str]], StepCompiler] = {}
        self._learned = 0
        self.used = 0
        """Times that nobody had to be asked because of a habit."""

    def tracks(self, stepper: Stepper, frame: Frame) -> StepCompiler:
        """The tracks that a page of a program stands on."""
        shared = frozenset([name for name, _ in frame.globals])
        found = self._tracks.get((stepper.program, shared))
        if found is None:
            if len(self._tracks) >= _MOST_PROGRAMS:
                del self._tracks[next(iter(self._tracks))]
            found = self._tracks[stepper.program, shared] = StepCompiler(stepper, shared, self._store)
        return found

    def learn(self, stepper: Stepper, frame: Frame, question: Question, effect: Effect, said: float) -> None:
        """Keep what was said of a line for whoever reads the same there, or on an equal line of another program."""
        self._learned += 1
        if self._learned > _MOST_LEARNED:
            self._learned = 0
            self._store.clear()
            self._tracks.clear()
        self.tracks(stepper, frame).learn(frame, question, effect, said)
