"""Compares imagined histories with real ones: finds the first frame that differs, and the kind of error.

The kinds are those of `verifier.py`. A model writes a frame in an order (event, locals, line), and the first wrong part
names the kind:

    action         another event or line than the real run's: `unwritten` if the program holds no such line,
                   `impossible` if control cannot go there, `branch` if it can
    control-state  an exception imagined, missed or of another class, or a wrong value that a branch or loop ahead
                   tests: a line as written does not show the value of its test, so no rule tells which way it goes
    state          any other wrong value, by its type
    malformed      the oracle's text is no frame
    outcome        all frames agree and the end does not, or one ended before the other
"""

from itertools import zip_longest

from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.verification.control_decisions import decisions
from cwm_agent.verification.verifier import Divergence, TraceComparison, judged, value_type
from cwm_agent.views.history.action_places import Action, ActionPlaces
from cwm_agent.views.history.history_state import HistoryState
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Activation, Frame
from envs.execution.state.history_frames import History, HistoryFrame

_NO_HEAP = Frame("line", (Activation("", 1),))
"""Reprs refer to no labels, so their type needs no heap."""


def compare_histories(program: Program, imagined: HistoryRollout, real: History) -> TraceComparison:
    """Return the comparison of a rollout with the real run, with the first difference."""
    return judged(imagined, real, first_wrong_frame(program, imagined.frames, real.frames))


def first_wrong_frame(
    program: Program, imagined: tuple[HistoryFrame, ...], real: tuple[HistoryFrame, ...]
) -> Divergence | None:
    """Return the first difference among the frames that both runs have; None if there is none."""
    standing = HistoryState()
    for index, (guess, truth) in enumerate(zip_longest(imagined, real)):
        if guess is None or truth is None:
            return None
        if not same_frame(guess, truth):
            return _classified(program, index, standing, guess, truth=truth)
        standing = standing.then(truth)
    return None


def same_frame(guess: HistoryFrame, truth: HistoryFrame) -> bool:
    """Whether a frame equals the real one; the order of locals does not count."""
    return (
        (guess.event, guess.action, guess.arg, guess.depth) == (truth.event, truth.action, truth.arg, truth.depth)
        and set(truth.lines) <= set(guess.lines)
        and (guess.locals == truth.locals or dict(guess.locals) == dict(truth.locals))
    )


def same_action(guess: HistoryFrame, truth: HistoryFrame) -> bool:
    """Whether event and line are the real ones."""
    return (guess.event, guess.action) == (truth.event, truth.action) and set(truth.lines) <= set(guess.lines)


def _classified(
    program: Program, index: int, standing: HistoryState, guess: HistoryFrame, truth: HistoryFrame
) -> Divergence:
    if guess.event != truth.event:
        if "exception" in (guess.event, truth.event):
            return Divergence(index, "control-state", "exception")
        return Divergence(index, "action", _wrong_action(program, standing, guess))
    wrong = _wrong_local(guess, truth)
    if wrong is not None:
        name, kind = wrong
        deciding = any(decisions(program, line, name) for line in truth.lines)
        return Divergence(index, "control-state" if deciding else "state", kind)
    if not same_action(guess, truth) or guess.depth != truth.depth:
        return Divergence(index, "action", _wrong_action(program, standing, guess))
    if truth.event == "exception":  # handlers depend on the class alone
        other = (guess.arg or "").partition("(")[0] != (truth.arg or "").partition("(")[0]
        return Divergence(index, "control-state" if other else "state", "exception")
    return Divergence(index, "state", value_type(truth.arg or "", _NO_HEAP))


def _wrong_action(program: Program, standing: HistoryState, guess: HistoryFrame) -> str:
    if not guess.lines:
        return "unwritten"
    possible = Action(guess.event, guess.action) in ActionPlaces.of(program).allowed(standing)
    return "branch" if possible else "impossible"


def _wrong_local(guess: HistoryFrame, truth: HistoryFrame) -> tuple[str, str] | None:
    """Return the first local that differs, with the type it should have."""
    guessed, held = dict(guess.locals), dict(truth.locals)
    for name in [*held, *(name for name in guessed if name not in held)]:
        if guessed.get(name) != held.get(name):
            return name, value_type(held.get(name, ""), _NO_HEAP)
    return None
