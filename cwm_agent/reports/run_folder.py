"""A run as the report reads it: everything that can be read, and the names of what cannot.

Nothing here refuses a run because a part of it is broken: a row that is no episode, settings that are no JSON and an
incomplete last row become sentences that the report shows. Runs no program.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cwm_agent.agent.episodes.episode import BadEpisodes, Episode, read
from cwm_agent.records.jsonl_file import BadRecords
from tasks.errors import TaskError
from tasks.reading.bounded_files import read_file
from tasks.reading.json_text import NotJson, read_object

MAX_SETTINGS_BYTES = 2**20


class NoRun(ValueError):
    """A path that holds nothing to report; the message says what to give."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The episodes of one run, with its settings and what could not be read."""

    name: str
    episodes: list[Episode]
    settings: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def budget(self) -> int | None:
        """Real executions that a task may use; None where the settings do not say."""
        found = self.settings.get("budget")
        value = found.get("executions") if isinstance(found, dict) else None
        return value if isinstance(value, int) else None


def read_run(path: Path) -> RunFolder:
    """The run in a folder, or in a file of episodes."""
    folder, file = (path, path / "episodes.jsonl") if path.is_dir() else (path.parent, path)
    if not file.exists():
        raise NoRun(f"{path} holds no run: there is no {file.name} in it. Give the folder that `solve` wrote to.")
    problems: list[str] = []
    try:
        episodes = read(file, problems.append)
    except (BadEpisodes, BadRecords) as error:
        problems.append(str(error))
        episodes = []
    if _is_cut(file):
        problems.append(f"The last row of {file} is incomplete: its task is not shown.")
    settings = _settings(folder / "settings.json", problems)
    if not settings and episodes:
        settings = episodes[0].settings
    return RunFolder(folder.resolve().name or "run", episodes, settings, problems)


def _is_cut(file: Path) -> bool:
    with file.open("rb") as opened:
        size = opened.seek(0, 2)
        if not size:
            return False
        opened.seek(size - 1)
        return opened.read(1) != b"\n"


def _settings(path: Path, problems: list[str]) -> dict[str, Any]:
    if not path.exists():
        problems.append(f"There is no {path.name}: the settings are those of the first episode.")
        return {}
    try:
        return read_object(read_file(path, MAX_SETTINGS_BYTES))
    except (TaskError, NotJson) as error:
        problems.append(f"{path.name} cannot be read ({error}): the settings are those of the first episode.")
        return {}
