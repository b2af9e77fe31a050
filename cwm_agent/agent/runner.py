"""A whole set of tasks solved: episodes on disk as they end, resumable, summed up; the same for every domain.

A folder holds `settings.json`, `episodes.jsonl`, the adapter of a run that learns, and at the end `summary.json`. A
lock keeps a second run out; a run that was killed loses at most the current task.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from cwm_agent.agent.domain import DomainKind, Summarises, Task
from cwm_agent.agent.domain_registry import domain_named
from cwm_agent.agent.episodes.episode import BadEpisodes, Episode, read
from cwm_agent.agent.episodes.task_digest import digest_of
from cwm_agent.agent.learning.online_learner import check_learning
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.worker_state import Watcher
from cwm_agent.agent.workplace import Workplace
from cwm_agent.jobs.job_loop import JobListeners, run_jobs
from cwm_agent.jobs.node_tally import OnNodes
from cwm_agent.jobs.placement import HERE, Placement
from cwm_agent.jobs.protocol import LostItem, Runner, Tell
from cwm_agent.records.jsonl_file import BadRecords, JsonlFile, RecordsInUse
from tasks.errors import TaskError
from tasks.output.atomic_file import write_file
from tasks.reading.bounded_files import read_file
from tasks.reading.json_text import NotJson, read_object

FOLDER_VERSION = 1
MAX_SETTINGS_BYTES = 2**20


class FolderInUse(RuntimeError):
    """Another solve writes to the same folder."""


class Listeners(NamedTuple):
    """Callbacks for the progress of a run."""

    on_progress: Callable[[str], None]
    """Called with the progress of the current task, where one process solves."""
    watcher: Watcher | None
    """Told what each worker does."""
    on_nodes: OnNodes | None
    """Told what each machine has done."""


def run_tasks(
    kind: DomainKind,
    tasks: Sequence[Task],
    settings: Settings,
    out: Path,
    *,
    placement: Placement = HERE,
    on_episode: Callable[[Episode, int, int], None] = lambda episode, done, total: None,
    on_progress: Callable[[str], None] = lambda note: None,
    watcher: Watcher | None = None,
    on_nodes: OnNodes | None = None,
) -> dict[str, Any]:
    """Solve every task that the folder does not hold yet, or holds with other content; returns the summary of all.

    Each episode is on disk as soon as it ends, and `on_episode` is called with it. In between `watcher` is told what
    the workers do; where this process solves, `on_progress` is called with the progress of the current task. A task
    whose worker was lost has an episode with the reason and the worker's log. A run that ends before its first
    episode, such as one whose oracle cannot be opened, leaves nothing behind.
    """
    check_learning(settings, "" if placement.is_here else "this placement")
    path = out / "episodes.jsonl"
    digests = {task.id: digest_of(task) for task in tasks}
    with _opened(out) as file:
        try:
            _check_settings(out, settings)
            known = read(path)  # says what it skips; the readings below do not repeat it
            done = {episode.task for episode in known if episode.content == digests.get(episode.task)}
            left = [task for task in tasks if task.id not in done]
            listeners = Listeners(on_progress, watcher, on_nodes)
            solving = (
                _learning_episodes(kind, left, settings, out, listeners)
                if settings.learn
                else _episodes(kind, left, settings, placement, listeners)
            )
            for count, episode in enumerate(solving, start=len(tasks) - len(left) + 1):
                _write_settings(out, settings)
                file.append(asdict(replace(episode, content=digests[episode.task])))
                on_episode(episode, count, len(tasks))
            found = _summary_of(kind, tasks, settings, path)
            write_file(out / "summary.json", json.dumps(found, indent=2) + "\n")
        finally:
            _remove_if_empty(out)
    return found


def _summary_of(kind: DomainKind, tasks: Sequence[Task], settings: Settings, path: Path) -> dict[str, Any]:
    wanted = {task.id for task in tasks}
    episodes = [episode for episode in read(path, lambda message: None) if episode.task in wanted]
    found = summary(episodes, settings)
    if isinstance(kind, Summarises):
        found |= kind.summarise(tasks, episodes)
    return found


def _remove_if_empty(out: Path) -> None:
    """Remove the folder of a run that wrote no episode and no settings."""
    path = out / "episodes.jsonl"
    with suppress(OSError):
        if not (out / "settings.json").exists() and not path.is_symlink() and path.stat().st_size == 0:
            path.unlink()
        out.rmdir()  # fails where anything else is in it


def _episodes(
    kind: DomainKind, tasks: Sequence[Task], settings: Settings, placement: Placement, listeners: Listeners
) -> Iterator[Episode]:
    given = None if settings.domain else kind  # a plug-in is loaded by name: its module is found nowhere else
    watched = listeners.watcher is not None
    isolates = kind.name == "repair" or settings.runs_programs
    work = SolveWork(settings, kind if placement.is_here else given, isolates, watched)
    if placement.is_here:
        work = replace(work, on_progress=listeners.on_progress)
    told = JobListeners(listeners.watcher, listeners.on_nodes)
    for found in run_jobs(work, ([task] for task in tasks), placement.at_most(len(tasks)), told):
        if isinstance(found, LostItem):
            yield Episode(found.item.id, False, None, settings=settings.described(), problem=str(found))
        else:
            yield found.value


def _learning_episodes(
    kind: DomainKind, tasks: Sequence[Task], settings: Settings, out: Path, listeners: Listeners
) -> Iterator[Episode]:
    """Solve one task after another, and adapt the oracle after each; the episode is on disk before it is learnt from.

    A kill during an update loses what that one task would have taught.
    """
    with Workplace(settings) as workplace:
        workplace.on_progress, workplace.watcher = listeners.on_progress, listeners.watcher
        learner = workplace.learner(out)
        assert learner is not None
        for task in tasks:
            yield workplace.solve(kind, task)
            workplace.learn(learner, task)


@dataclass(frozen=True, slots=True)
class SolveWork:
    """Solves tasks in one worker, with one workplace for all of them."""

    settings: Settings
    kind: DomainKind | None
    """None where the settings name a plug-in."""
    isolates: bool
    watched: bool = False
    on_progress: Callable[[str], None] | None = None
    """Called with the progress of the current task, where this process solves."""

    @contextmanager
    def opened(self, tell: Tell) -> Iterator[Runner[Task, Episode]]:
        kind = self.kind or domain_named(self.settings.domain)
        with Workplace(self.settings) as workplace:
            workplace.watcher = tell if self.watched else None
            if self.on_progress is None:
                workplace.open(kind)
            else:
                workplace.on_progress = self.on_progress

            def run(tasks: Sequence[Task]) -> Iterator[tuple[int, Episode]]:
                for place, task in enumerate(tasks):
                    yield place, workplace.solve(kind, task)

            yield run


def _opened(out: Path) -> JsonlFile:
    try:
        return JsonlFile(out / "episodes.jsonl")
    except RecordsInUse as error:
        raise FolderInUse(f"Another solve writes to {out}. Wait for it, or give another folder with --out.") from error
    except BadRecords as error:
        raise BadEpisodes(f"{out} cannot be written to: {error}") from error


def _described(settings: Settings) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps({"folder": FOLDER_VERSION, **settings.described()}))
    return found


def _write_settings(out: Path, settings: Settings) -> None:
    path = out / "settings.json"
    if not path.exists():
        write_file(path, json.dumps(_described(settings), indent=2) + "\n")


def other_settings(out: Path, settings: Settings) -> list[str]:
    """The names of the settings in which the run of a folder differs from these; none where it holds no run."""
    path = out / "settings.json"
    if not path.exists():
        return []
    known, described = _known_settings(path), _described(settings)
    return sorted(key for key in described.keys() | known.keys() if described.get(key) != known.get(key))


def _check_settings(out: Path, settings: Settings) -> None:
    """Refuse a folder of other settings: its episodes could not be summed up with ours."""
    differing = other_settings(out, settings)
    if differing:
        raise BadEpisodes(
            f"{out} holds a run with other settings ({', '.join(differing)}). Give another folder with --out."
        )


def _known_settings(path: Path) -> dict[str, Any]:
    try:
        return read_object(read_file(path, MAX_SETTINGS_BYTES))
    except (TaskError, NotJson) as error:
        raise BadEpisodes(
            f"{path} holds no settings ({error}). Give another folder with --out, or delete the file if the folder "
            "holds a run with these settings."
        ) from error


def summary(episodes: Sequence[Episode], settings: Settings) -> dict[str, Any]:
    """The figures of a run; unsolved tasks count with their whole budget."""
    limit = settings.budget.executions
    executions = {each.task: each.executions if each.solved else limit for each in episodes}
    judged = [each for each in episodes if each.solved and each.right is not None]
    ordered = sorted(each.executions for each in episodes if each.solved)
    return {
        "tasks": len(episodes),
        "solved": sum(each.solved for each in episodes),
        "right": sum(bool(each.right) for each in judged) if judged else None,
        "with_hidden": len(judged) if judged else None,
        "executions": executions,
        "executions_median": statistics.median(executions.values()) if executions else None,
        "executions_at_50": _mark(ordered, len(episodes), 0.5),
        "executions_at_60": _mark(ordered, len(episodes), 0.6),
        "tokens": sum(int(each.spent.get("tokens", 0)) for each in episodes),
        "seconds": sum(each.spent.get("seconds", 0.0) for each in episodes),
        "failed": {each.task: each.problem for each in episodes if each.problem},
        "settings": asdict(settings) | {"guide": settings.guide.name},
    }


def _mark(ordered: Sequence[int], tasks: int, share: float) -> int | None:
    """The real executions within which a share of all tasks is solved; None where it never is."""
    needed = -int(-share * tasks // 1)
    return ordered[needed - 1] if 0 < needed <= len(ordered) else None
