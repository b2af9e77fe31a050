"""One rollout episode as one row of a JSONL file.

    version, run           the format, and the settings shared by all rows of a file
    episode, seed, task    number of the episode in its run, its seed, and the task that the seed drew
    messages               the episode as a conversation: prompt, then actions and answers by turns
    actions, rewards       one per step; `logprobs` too, null where the policy gives none
    observations           numeric observations, one more than actions; null for other observation spaces
    terminated, truncated, done    how the episode ended; `done` is always true: only whole episodes are written
    stop_reason            why an imagined episode stopped early; version 1 called it `woke`

Knows no environment and no policy.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cwm_agent.records.jsonl_file import JsonlFile, read_jsonl
from cwm_agent.rollouts.errors import BadRollouts

VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRow:
    """One whole episode."""

    run: dict[str, Any]
    episode: int
    seed: int
    task: str
    messages: tuple[dict[str, str], ...]
    actions: tuple[Any, ...]
    rewards: tuple[float, ...]
    logprobs: tuple[float | None, ...]
    observations: tuple[Any, ...] | None
    terminated: bool
    truncated: bool
    stop_reason: str = ""
    """Why an imagined episode stopped early; empty where it did not."""
    done: bool = True
    version: int = VERSION

    @property
    def total(self) -> float:
        """The episode's return, undiscounted."""
        return sum(self.rewards)


def read_rows(path: str | Path) -> list[EpisodeRow]:
    """All whole rows of a file, sorted by episode; an incomplete last row is left out.

    An episode of a run that occurs twice counts once, by its last row.
    """
    try:
        records = read_jsonl(path)
    except FileNotFoundError as error:
        raise BadRollouts(
            f"There is no file {path}. Make one with `python -m cwm_agent.rollout ENV_ID --out {path}`."
        ) from error
    found = [_row(record, f"{path}:{number}") for number, record in enumerate(records, start=1)]
    last = {(json.dumps(row.run, sort_keys=True), row.episode): row for row in found}
    return sorted(last.values(), key=lambda row: row.episode)


def upgraded(record: dict[str, Any]) -> dict[str, Any]:
    """A row of any version with the names of this one: the first version called `stop_reason` `woke`."""
    if record.get("version") != 1 or "woke" not in record:
        return record
    return {("stop_reason" if name == "woke" else name): value for name, value in record.items()}


_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("version", "episode", "seed"), (int,)),
    **dict.fromkeys(("task", "stop_reason"), (str,)),
    **dict.fromkeys(("messages", "actions", "rewards", "logprobs"), (list,)),
    **dict.fromkeys(("terminated", "truncated", "done"), (bool,)),
    "run": (dict,),
    "observations": (list, type(None)),
}
"""What each part of a row may be."""


def _check(record: dict[str, Any]) -> None:
    """Raise ValueError where a part of a row has another type, or its lists do not belong together."""
    for name, value in record.items():
        wanted = _TYPES.get(name, (object,))
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted == (int,)):
            raise ValueError(f"{name} is {value!r:.40}")
    if record["version"] > VERSION or record["version"] < 1:
        newer = "a newer version" if record["version"] > VERSION else "no known version"
        raise ValueError(f"it was written by {newer}, {record['version']}")
    steps = len(record["actions"])
    if len(record["rewards"]) != steps or len(record["logprobs"]) != steps:
        raise ValueError(
            f"it has {steps} actions, {len(record['rewards'])} rewards, {len(record['logprobs'])} logprobs"
        )
    if record["observations"] is not None and len(record["observations"]) != steps + 1:
        raise ValueError(f"it has {steps} actions and {len(record['observations'])} observations, not one more")
    for step, reward in enumerate(record["rewards"]):
        if isinstance(reward, bool) or not isinstance(reward, int | float) or not math.isfinite(reward):
            raise ValueError(f"the reward of step {step} is {reward!r:.40}")
    for logprob in record["logprobs"]:
        if logprob is not None and (isinstance(logprob, bool) or not isinstance(logprob, int | float)):
            raise ValueError(f"a logprob is {logprob!r:.40}")


def _row(record: dict[str, Any], place: str) -> EpisodeRow:
    try:
        record = upgraded(record)
        _check(record)
        lists = {name: tuple(record[name]) for name in ("messages", "actions", "rewards", "logprobs")}
        observations = None if record["observations"] is None else tuple(record["observations"])
        return EpisodeRow(**{**record, **lists, "observations": observations})
    except (ValueError, TypeError, KeyError) as error:
        raise BadRollouts(f"{place} is no rollout ({error}). Delete the line, or use another file.") from error


@contextmanager
def opened(path: Path, run: dict[str, Any]) -> Iterator[tuple[RolloutWriter, frozenset[int]]]:
    """A writer for the file, and the numbers of the episodes that the file holds already.

    Raises `BadRollouts` where the file holds rows of another run, `RecordsInUse` where another process writes to it.
    """
    with JsonlFile(path) as file:
        rows = read_rows(path)
        _check_run(path, rows, run)
        yield RolloutWriter(file), frozenset(row.episode for row in rows)


def _check_run(path: Path, rows: list[EpisodeRow], run: dict[str, Any]) -> None:
    known = rows[0].run if rows else run
    differing = sorted(key for key in run.keys() | known.keys() if run.get(key) != known.get(key))
    if differing:
        raise BadRollouts(
            f"{path} holds rollouts with other settings ({', '.join(differing)}). Give another file with --out."
        )


@dataclass(frozen=True, slots=True)
class RolloutWriter:
    """Adds episodes to an open file."""

    file: JsonlFile

    def append(self, row: EpisodeRow) -> None:
        """Add one episode, whole or not at all; it is on the disk when this returns."""
        self.file.append(asdict(row))
