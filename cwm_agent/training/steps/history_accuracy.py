"""How far the network follows swap programs in the history view, by one pass over each real history.

Decoding is greedy, so a free rollout equals reality exactly when every token after the call is the network's first
choice given the real ones before it; a forced one when every token of the *states* is, since actions are given. The
first wrong token says at which frame a rollout parts from reality, and by what. What comes after an error (the final
state of a rollout that went wrong) takes real rollouts: `python -m cwm_agent.verify --view history`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

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
class Tracked:
    """How many histories of one length were followed to their end, and what went wrong first in the others."""

    form: str
    swaps: int
    programs: int
    free: int
    forced: int
    free_errors: dict[str, int]
    """First wrong token of a free rollout: `action` or `state`."""
    first_error: float | None
    """Frames before the first error of a free rollout, median; None where there was none."""

    def describe(self) -> dict[str, Any]:
        return asdict(self)


def track(
    network: Network,
    *,
    lengths: Sequence[int] = LENGTHS,
    programs: int = PROGRAMS,
    items: int = 5,
    dtype: torch.dtype = torch.float32,
    conditional: bool = False,
) -> list[Tracked]:
    """The lengths in order, each over as many held-out programs."""
    found = []
    for swaps in lengths:
        cases = swap_cases(swaps, programs, items=items, conditional=conditional)
        verdicts = [first_errors(network, program, history, dtype) for program, history in cases]
        free = [verdict[0] for verdict in verdicts]
        wrong = [each for each in free if each is not None]
        found.append(
            Tracked(
                "branching" if conditional else "straight",
                swaps,
                programs,
                sum(each is None for each in free),
                sum(forced is None for _, forced in verdicts),
                dict(Counter(part for _, part in wrong)),
                float(np.median([frame for frame, _ in wrong])) if wrong else None,
            )
        )
    return found


FirstError = tuple[int, Part]
"""The frame, counted from the call as 0, and what of it was wrong."""


def first_errors(
    network: Network, program: Program, history: History, dtype: torch.dtype
) -> tuple[FirstError | None, FirstError | None]:
    """The first error of a free rollout and of a forced one; None where it follows to the end."""
    told, parts, frames = labelled(history)
    example = Example(b"", question(program, history.frames[0]), told, "")
    wrong = _wrong(network, example, dtype)
    places = [place for place in np.flatnonzero(wrong) if place < len(parts)]
    free = next(((frames[place], parts[place]) for place in places), None)
    forced = next(((frames[place], parts[place]) for place in places if parts[place] == "state"), None)
    ended = bool(wrong[len(parts)])  # after the last frame the end must be said
    return free or ((len(history.frames), "action") if ended else None), forced


def labelled(history: History) -> tuple[bytes, list[Part], list[int]]:
    """The answer's bytes, with what each belongs to and its frame."""
    told, parts, frames = b"", [], []
    standing = standing_after(history.frames[:1])
    for number, frame in enumerate(history.frames[1:], start=1):
        for piece, part in zip(written(frame, standing), _parts(frame), strict=True):
            data = spelt([piece])
            told += data
            parts += [part] * len(data)
            frames += [number] * len(data)
        standing = standing.then(frame)
    return told, parts, frames


def _parts(frame: HistoryFrame) -> tuple[Part, ...]:
    """What each piece of a frame belongs to: a mark that closes the locals or the value belongs to them."""
    if frame.event in ("call", "line"):
        return "action", "state", "state", "action", "action"
    return "action", "action", "action", "action", "state", "state"


@torch.inference_mode()
def _wrong(network: Network, example: Example, dtype: torch.dtype) -> NDArray[np.bool_]:
    """For each byte of the answer and its end, whether the network would have said another."""
    length = -(-step_length(example) // BLOCK) * BLOCK
    row = pack([example], length, BYTES)
    fields = torch.from_numpy(row[:, None]).to(network.embedding.device)
    tokens, layout = layout_of(fields)
    guesses = network(tokens, layout, kernel="sdpa", dtype=dtype)[0].argmax(dim=-1).cpu().numpy()
    places = np.flatnonzero(row[Field.ROLE] == Role.ANSWER)
    found: NDArray[np.bool_] = guesses[places] != row[Field.TOKEN, places + 1]
    return found


def table(rows: Sequence[Tracked]) -> str:
    """The figures for a terminal."""
    lines = ["", "history view: whole traces followed (one pass, held-out programs)"]
    for row in rows:
        errors = ", ".join(f"{count} {part}" for part, count in sorted(row.free_errors.items())) or "none"
        at = "" if row.first_error is None else f", median frame {row.first_error:g}"
        lines.append(
            f"  {row.form:9s} {row.swaps:5d} swaps   free {row.free:3d} of {row.programs}   "
            f"forced {row.forced:3d} of {row.programs}   first errors: {errors}{at}"
        )
    return "\n".join(lines)
