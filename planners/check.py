"""A conformance check that authors of a model run on their model; knows no world and no planner."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from planners.errors import BadModel
from planners.model import Model, Refused, Step, root_step

S = TypeVar("S")
A = TypeVar("A")


def check_model(model: Model[S, A], state: S | Step[S], *, steps: int = 3, seed: int = 0) -> None:
    """Raise BadModel with all faults found along a short walk from `state`; else return None.

    It checks that actions are a sequence, the same each time; that step returns one Step or Refused for each move,
    none for no moves, the same for the same seed, and does not change the state; that a prior has one entry for each
    action.
    """
    faults: list[str] = []
    rng = Random(seed)
    here = root_step(state)
    for depth in range(steps):
        answers = _check_state(model, here, seed, f"after {depth} steps", faults=faults)
        onward = [answer for answer in answers if isinstance(answer, Step) and answer.end is None]
        if not onward:
            break
        here = rng.choice(onward)
    if faults:
        raise BadModel(f"{type(model).__name__} breaks the contract of planners.Model:\n- " + "\n- ".join(faults))


def _check_state(
    model: Model[S, A], here: Step[S], seed: int, where: str, faults: list[str]
) -> Sequence[Step[S] | Refused]:
    """Add the faults found in one state to `faults`, and return the answers to all of its moves."""
    shown = repr(here.state)
    actions: object = model.actions(here.state)
    if not isinstance(actions, Sequence):
        faults.append(f"{where}: actions() gives a {type(actions).__name__}; give a list or tuple.")
        return []
    if list(actions) != list(model.actions(here.state)):
        faults.append(f"{where}: actions() gives another list when asked again; its order must be fixed.")
    if here.prior is not None and len(here.prior) != len(actions):
        faults.append(f"{where}: prior has {len(here.prior)} entries for {len(actions)} actions.")
    if len(model.step([], Random(seed))) != 0:
        faults.append(f"{where}: step() answers an empty batch with something; give an empty list.")
    moves = [(here.state, action) for action in actions]
    answers = model.step(moves, Random(seed))
    again = model.step(moves, Random(seed))
    faults += [f"{where}: {fault}" for fault in _answer_faults(moves, answers, again)]
    if repr(here.state) != shown:
        faults.append(f"{where}: step() changed the state it was given; return a new one.")
    return [answer for answer in answers if isinstance(answer, (Step, Refused))]


def _answer_faults(
    moves: Sequence[tuple[S, A]], answers: Sequence[Step[S] | Refused], again: Sequence[Step[S] | Refused]
) -> list[str]:
    if len(answers) != len(moves):
        return [f"step() got {len(moves)} moves and gave {len(answers)} answers; give one each."]
    wrong = [answer for answer in answers if not isinstance(answer, (Step, Refused))]
    if wrong:
        return [f"step() answers {wrong[0]!r:.100}; answer with Step(...) or Refused(...)."]
    faults = [
        f"step() gives another answer for the same seed (action {move[1]!r:.80}); take all chance from `rng`."
        for move, one, two in zip(moves, answers, again, strict=False)
        if one != two
    ]
    return faults[:1]
