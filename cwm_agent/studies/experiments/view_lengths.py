"""Tokens of an execution in each view, counted on texts of a real run; asks no oracle.

Tokens are bytes of the embedded models' spelling. A history is in the context as a whole. A Markov view shows one
question and its answer at a time; the program view the source too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cwm_agent.training.steps.trace_examples import Examiner
from cwm_agent.views.history.byte_marks import spelt
from cwm_agent.views.history.frame_format import marked_source, written
from cwm_agent.views.history.history_state import HistoryState
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame
from envs.execution.state.history_frames import History


@dataclass(frozen=True, slots=True)
class ViewLength:
    """Tokens of one execution in one view."""

    tokens: int
    """Of all questions and answers together."""
    longest: int
    """Most tokens in the context at once."""
    left_out: int = 0
    """Steps that a model is asked about but whose text is not counted."""


def history_length(program: Program, history: History, *, dense: bool = False) -> ViewLength:
    """Length of a history with changed values only, or with all values in every frame (dense)."""
    length, state = len(marked_source(program)), HistoryState()
    for frame in history.frames:
        length += len(spelt(written(frame, HistoryState() if dense else state)))
        state = state.then(frame)
    return ViewLength(length, length)


def markov_lengths(program: Program, frames: Sequence[Frame], *, reruns: bool) -> dict[str, ViewLength]:
    """Lengths in the local and the program view, over all steps that no rule decides.

    With `reruns` lines may run again in this process; without it steps whose effect two frames do not show are left
    out, and counted as such.
    """
    examiner = Examiner(program, reruns=reruns)
    steps = examiner.steps(frames)
    asked = [step for step in steps if examiner.asks(step)]
    local = [len(each.query) + len(each.answer) for each in map(examiner.local_example, asked) if each is not None]
    whole = [len(each.query) + len(each.answer) for each in map(examiner.program_example, steps) if each is not None]
    source = len(examiner.context)
    return {
        "local": ViewLength(sum(local), max(local, default=0), len(asked) - len(local)),
        "program": ViewLength(sum(whole) + source, max(whole, default=0) + source),
    }
