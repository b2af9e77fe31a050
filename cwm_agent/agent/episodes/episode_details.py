"""The details of an episode within their limit of size: the least important part goes first, and is named.

Knows no domain; `docs/episodes.md` has the fields.
"""

import json
from collections.abc import Mapping
from typing import Any

from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.imagination.imagined_rollout import Rollout
from cwm_agent.records.frame_deltas import frame_deltas

MOST_BYTES = 200_000
"""Of the details of one task, as JSON."""
LONGEST_TEXT = 4_000
"""Characters of a test's arguments or expected result; a longer test cannot be run again by the report."""
LONGEST_VALUE = 400
FIRST_TO_GO = ("rollouts", "tree", "runs", "suspicion", "before", "tests", "program")
"""Fields in the order in which they are left out; fields that are not named here go before all of them."""
_NAMES = {
    "rollouts": "the frames of imagined runs",
    "tree": "the search tree",
    "runs": "the results of real runs",
    "suspicion": "the fault localisation",
    "before": "the results of the buggy program",
    "tests": "the tests",
    "program": "the program",
}


_MARKS = {"imagined": "m", "constrained": "g", "rule": "r", "given": "w"}


def size_of(value: object) -> int:
    """Bytes of a value as JSON."""
    return len(json.dumps(value))


def within_limit(details: Mapping[str, Any], limit: int = MOST_BYTES) -> dict[str, Any]:
    """The details without the fields that are too much; `left_out` names them."""
    found = dict(details)
    left_out = list(found.pop("left_out", ()))
    sizes = {name: size_of(value) for name, value in found.items()}
    order = [name for name in found if name not in FIRST_TO_GO] + list(FIRST_TO_GO)
    for name in order:
        if sum(sizes.values()) <= limit:
            break
        if sizes.pop(name, None) is not None:
            del found[name]
            left_out.append(f"{_NAMES.get(name, name)}: more than the {limit:,} bytes that a task may have")
    return {**found, **({"left_out": left_out} if left_out else {})}


def rollout_row(rollout: Rollout | HistoryRollout) -> dict[str, Any]:
    """An imagined run as JSON: frames as deltas, a letter for what decided each, log-probabilities of the answers."""
    marks = "".join(_MARKS[mark] for mark in rollout.marks)
    said = [round(each, 5) for each, mark in zip(rollout.logprobs, marks, strict=False) if mark in "mg"]
    return {
        "frames": list(frame_deltas(rollout.frames)),
        "marks": marks,
        "logprobs": said if any(rollout.logprobs) else [],
        "end": rollout.end,
        "outcome": None if rollout.outcome is None else [rollout.outcome.ending, rollout.outcome.value[:LONGEST_TEXT]],
        "reason": rollout.reason[:LONGEST_VALUE],
    }
