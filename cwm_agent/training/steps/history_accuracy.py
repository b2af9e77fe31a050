"""Measures how long the network follows swap programs in the history view, by one pass over each real history.

Decoding is greedy. So a free rollout equals the real run if and only if every token after the call is the network's
first choice, given the real tokens before it; a forced rollout, if every token of the *states* is, because actions are
given. The first wrong token tells at which frame a rollout differs, and whether in an action or a state. What follows
an error needs real rollouts: `python -m cwm_agent.verify --view history`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from cwm_agent.engine.attention import BLOCK
from cwm_agent.engine.network import Network
from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.training.example import Example
from cwm_agent.training.objective import layout_of
from cwm_agent.training.packing import Field, Role, pack, step_length
from cwm_agent.training.steps.history_examples import swap_cases
from cwm_agent.views.history.byte_marks import question, spelt
from cwm_agent.views.history.frame_format import written
from cwm_agent.views.history.history_state import standing_after
from envs.execution.decompose.program import Program
from envs.execution.state.history_frames import History, HistoryFrame

LENGTHS = (8, 16, 20, 24, 32, 64, 128)
PROGRAMS = 40
Part = Literal["action", "state"]


@dataclass(frozen=True, slots=True)
class SwapAccuracy:
    """How many histories of one length are predicted completely, and the first errors of the others."""

    form: str
    swaps: int
    programs: int
    free: int
    forced: int
    free_errors: dict[str, int]
    """First wrong token of free rollouts, counted by `action` and `state`."""
    first_error: float | None
    """Median number of frames before the first error of a free rollout; None if there is none."""
    frames: int
    """Frames of all these histories that were predicted, each given the real ones before it."""
    action_errors: int
    """Frames with a wrong action."""
    state_errors: int
    """Frames with a wrong state."""

    def describe(self) -> dict[str, Any]:
        return asdict(self)


def measure_swaps(
    network: Network,
    *,
    lengths: Sequence[int] = LENGTHS,
    programs: int = PROGRAMS,
    items: int = 5,
    dtype: torch.dtype = torch.float32,
    conditional: bool = False,
) -> list[SwapAccuracy]:
    """Accuracy for each length, in order, over that many held-out programs."""
    found = []
    for swaps in lengths:
        cases = swap_cases(swaps, programs, items=items, conditional=conditional)
        verdicts = [first_errors(network, program, history, dtype) for program, history in cases]
        free = [verdict.free for verdict in verdicts]
        wrong = [each for each in free if each is not None]
        found.append(
            SwapAccuracy(
                form="branching" if conditional else "straight",
                swaps=swaps,
                programs=programs,
                free=sum(each is None for each in free),
                forced=sum(verdict.forced is None for verdict in verdicts),
                free_errors=dict(Counter(part for _, part in wrong)),
                first_error=float(np.median([frame for frame, _ in wrong])) if wrong else None,
                frames=sum(verdict.frames for verdict in verdicts),
                action_errors=sum(verdict.action_errors for verdict in verdicts),
                state_errors=sum(verdict.state_errors for verdict in verdicts),
            )
        )
    return found


FirstError = tuple[int, Part]
"""The frame (the call is 0) and the wrong part of it."""


class HistoryVerdict(NamedTuple):
    """Where the network's first choices differ from one real history."""

    free: FirstError | None
    """First error of a free rollout; None where all frames are right."""
    forced: FirstError | None
    """First error of a rollout whose actions are given."""
    frames: int
    """Those after the call, and the end."""
    action_errors: int
    """Frames with a wrong action, each given the real frames before it."""
    state_errors: int


def first_errors(network: Network, program: Program, history: History, dtype: torch.dtype) -> HistoryVerdict:
    """Compare the network with a real history, by one pass over it."""
    answer, parts, frames = labelled(history)
    example = Example(b"", question(program, history.frames[0]), answer, "")
    wrong = _wrong(network, example, dtype)
    errors = [(frames[index], parts[index]) for index in np.flatnonzero(wrong) if index < len(parts)]
    if wrong[len(parts)]:  # END must follow the last frame
        errors.append((len(history.frames), "action"))
    return HistoryVerdict(
        free=next(iter(errors), None),
        forced=next((error for error in errors if error[1] == "state"), None),
        frames=len(history.frames),
        action_errors=len({frame for frame, part in errors if part == "action"}),
        state_errors=len({frame for frame, part in errors if part == "state"}),
    )


def labelled(history: History) -> tuple[bytes, list[Part], list[int]]:
    """The bytes of the answer, with the part and the frame that each belongs to."""
    answer, parts, frames = b"", [], []
    standing = standing_after(history.frames[:1])
    for number, frame in enumerate(history.frames[1:], start=1):
        for piece, part in zip(written(frame, standing), _parts(frame), strict=True):
            data = spelt([piece])
            answer += data
            parts += [part] * len(data)
            frames += [number] * len(data)
        standing = standing.then(frame)
    return answer, parts, frames


def _parts(frame: HistoryFrame) -> tuple[Part, ...]:
    """The part that each piece of a frame belongs to; the mark that closes locals or a value belongs to them."""
    if frame.event in ("call", "line"):
        return "action", "state", "state", "action", "action"
    return "action", "action", "action", "action", "state", "state"


@torch.inference_mode()
def _wrong(network: Network, example: Example, dtype: torch.dtype) -> NDArray[np.bool_]:
    """For each byte of the answer and its END, whether the network predicts another token."""
    length = -(-step_length(example) // BLOCK) * BLOCK
    row = pack([example], length, BYTES)
    fields = torch.from_numpy(row[:, None]).to(network.embedding.device)
    tokens, layout = layout_of(fields)
    predicted = network(tokens, layout, kernel="sdpa", dtype=dtype)[0].argmax(dim=-1).cpu().numpy()
    places = np.flatnonzero(row[Field.ROLE] == Role.ANSWER)
    found: NDArray[np.bool_] = predicted[places] != row[Field.TOKEN, places + 1]
    return found


def table(rows: Sequence[SwapAccuracy]) -> str:
    """The results as text for a terminal."""
    lines = ["", "history view: whole traces followed (one pass, held-out programs)"]
    for row in rows:
        errors = ", ".join(f"{count} {part}" for part, count in sorted(row.free_errors.items())) or "none"
        at = "" if row.first_error is None else f", median frame {row.first_error:g}"
        lines.append(
            f"  {row.form:9s} {row.swaps:5d} swaps   free {row.free:3d} of {row.programs}   "
            f"forced {row.forced:3d} of {row.programs}   first errors: {errors}{at}; "
            f"wrong of {row.frames} frames: {row.action_errors} actions, {row.state_errors} states"
        )
    return "\n".join(lines)
