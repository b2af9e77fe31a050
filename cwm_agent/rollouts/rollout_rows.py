"""One episode as one JSONL row, and the file of them: whole rows only, on the disk as each episode ends.

    version, run           the format, and the settings shared by all rows of a file
    episode, seed, task    which episode of the run this is, and what was drawn for it
    messages               the episode as a conversation: prompt, then action and answer in turn
    actions, rewards       one a step; `logprobs` likewise, null where the policy gives none
    observations           where they are numbers, one more than actions; else null: the messages say all
    terminated, truncated, done    how it ended; `done` is always true, since only whole episodes are written

Knows no environment and no policy.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cwm_agent.rollouts.errors import BadRollouts

VERSION = 1


@dataclass(frozen=True, slots=True)
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
    woke: str = ""
    """Why a dream broke off."""
    done: bool = True
    version: int = VERSION

    @property
    def total(self) -> float:
        """The episode's return, undiscounted."""
        return sum(self.rewards)


def read_rows(path: str | Path) -> list[EpisodeRow]:
    """All whole rows of a file by episode; a last one that was cut in half is left out."""
    path = Path(path)
    if not path.exists():
        raise BadRollouts(f"There is no file {path}. Make one with `python -m cwm_agent.rollout ENV_ID --out {path}`.")
    found = []
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
        try:
            found.append(_row(json.loads(line)))
        except (ValueError, TypeError, KeyError) as error:
            raise BadRollouts(
                f"{path}:{number} is no rollout ({error}). Take the line out, or use another file."
            ) from error
    return sorted(found, key=lambda row: row.episode)


def _row(record: dict[str, Any]) -> EpisodeRow:
    if record["version"] > VERSION:
        raise ValueError(f"it was written by a newer version, {record['version']}")
    lists = {name: tuple(record[name]) for name in ("messages", "actions", "rewards", "logprobs")}
    observations = None if record["observations"] is None else tuple(record["observations"])
    return EpisodeRow(**{**record, **lists, "observations": observations})


@contextmanager
def opened(path: Path, run: dict[str, Any]) -> Iterator[tuple[RolloutWriter, frozenset[int]]]:
    """A file to add to, held against other writers, with the episodes it holds already."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise BadRollouts(f"{path} cannot be written to ({error}). Give another file with --out.") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BadRollouts(f"Another rollout writes to {path}. Wait for it, or give another file.") from error
        _trim(path, descriptor)
        rows = read_rows(path)
        _check_run(path, rows, run)
        yield RolloutWriter(path, descriptor), frozenset(row.episode for row in rows)
    finally:
        os.close(descriptor)


def _trim(path: Path, descriptor: int) -> None:
    """Cut off a last row that was never finished, so that the next one starts on its own line."""
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        os.ftruncate(descriptor, data.rfind(b"\n") + 1)


def _check_run(path: Path, rows: list[EpisodeRow], run: dict[str, Any]) -> None:
    known = rows[0].run if rows else run
    differing = sorted(key for key in run.keys() | known.keys() if run.get(key) != known.get(key))
    if differing:
        raise BadRollouts(
            f"{path} holds rollouts with other settings ({', '.join(differing)}). Give another file with --out."
        )


@dataclass(frozen=True, slots=True)
class RolloutWriter:
    """Adds rows to an open file."""

    path: Path
    descriptor: int

    def append(self, row: EpisodeRow) -> None:
        """Add one row, whole or not at all, and on the disk before this returns."""
        data = (json.dumps(asdict(row)) + "\n").encode()
        end = os.lseek(self.descriptor, 0, os.SEEK_END)
        try:
            written = 0
            while written < len(data):
                written += os.write(self.descriptor, data[written:])
            os.fsync(self.descriptor)
        except BaseException as error:  # a Ctrl-C in mid-write too leaves no half row
            os.ftruncate(self.descriptor, end)
            if isinstance(error, OSError):
                raise BadRollouts(f"{self.path}: episode {row.episode} could not be written ({error}).") from error
            raise
