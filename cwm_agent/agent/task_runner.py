"""A whole set of tasks solved: episodes on disk as they end, resumable, summed up.

A folder holds `settings.json`, `episodes.jsonl` and, at the end, `summary.json`. A lock keeps a second solve out; a run
that was killed loses at most the task in hand.
"""

import fcntl
import gc
import json
import os
import statistics
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from cwm_agent.agent.episode import BadEpisodes, Episode, append, read, trim
from cwm_agent.agent.planner_registry import planner_named
from cwm_agent.agent.repair.edit_ranking import Policy
from cwm_agent.agent.repair.history_beliefs import told_by
from cwm_agent.agent.repair.model_edits import Proposer
from cwm_agent.agent.repair.repair_loop import Settings, solve_repair
from cwm_agent.oracles.backends.no_oracle import NoOracle
from cwm_agent.oracles.history_protocol import HistoryOracle
from cwm_agent.oracles.history_registry import NoHistory, history_oracle_named
from cwm_agent.oracles.protocol import Forgets, Oracle, OracleError
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.wrappers.answer_cache import AnswerCache
from cwm_agent.oracles.writer_protocol import writer_named
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.history_recorder import Recorder
from envs.execution.tracer.reality import Reality
from tasks import PermutationTask, RepairTask

FOLDER_VERSION = 1
T = TypeVar("T", RepairTask, PermutationTask)


class FolderInUse(RuntimeError):
    """Another solve writes to the same folder."""


@dataclass(slots=True)
class Workplace:
    """What one process needs to solve tasks: a sandbox, an oracle; opened once."""

    sandbox: Sandbox
    oracle: Oracle | HistoryOracle
    memory: AnswerCache = field(default_factory=dict)
    """What the oracle said so far, where tasks share it."""
    proposer: Proposer | None = None
    policy: Policy | None = None

    @classmethod
    def open(cls, settings: Settings) -> "Workplace":
        sandbox = Sandbox()
        proposer = Proposer(writer_named(settings.proposer), seed=settings.seed) if settings.proposer else None
        oracle = oracle_of(settings, lambda: sandbox)
        return cls(sandbox, oracle, proposer=proposer, policy=policy_of(settings))

    def solve(self, task: RepairTask, settings: Settings) -> Episode:
        """One episode; a task that breaks something is a failed row with its reason.

        A backend that fails is no matter of the task: it ends the run, which can be gone on with when it is mended.
        """
        if isinstance(self.oracle, Forgets):
            self.oracle.forget()  # so that an episode is the same whatever this process solved before
        try:
            planner, memory = planner_named(settings.planner), self.memory if settings.share else None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)  # of candidates such as `x is 1`, which are no news
                return solve_repair(
                    task, self.oracle, planner, self.sandbox, settings, memory, self.proposer, self.policy
                )
        except (KeyboardInterrupt, OracleError):
            raise
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            return Episode(task.id, False, None, settings=settings.described(), problem=problem)


def policy_of(settings: Settings) -> Policy | None:
    """The policy that the settings name; a blind baseline has none."""
    if settings.policy == "none" or settings.planner.startswith("baseline"):
        return None
    from cwm_agent.engine.weights import WeightsError
    from cwm_agent.policy.edit_policy import EditPolicy

    try:
        return EditPolicy.shipped() if settings.policy == "embedded" else EditPolicy.load(settings.policy)
    except WeightsError as error:
        raise OracleError(f"The policy {settings.policy!r} cannot be asked: {error}") from error


def oracle_of(settings: Settings, sandbox: Callable[[], Sandbox]) -> Oracle | HistoryOracle:
    """The oracle that the settings name, of the kind that their view asks; a sandbox is opened where it runs programs.

    A baseline's has nothing to say in any view.
    """
    if not settings.imagines:
        return NoHistory() if settings.view == "history" else NoOracle()
    if settings.view == "history":
        return history_oracle_named(settings.oracle, told_by(lambda: Recorder(sandbox())))
    return oracle_named(settings.oracle, lambda: Reality(sandbox()))


def solve_all(
    tasks: Sequence[RepairTask],
    settings: Settings,
    out: Path,
    *,
    jobs: int = 1,
    told: Callable[[Episode, int, int], None] = lambda episode, done, total: None,
) -> dict[str, Any]:
    """Solve every task that the folder does not hold yet; returns the summary of all."""
    return carry_on(
        tasks, settings, out, lambda left: _episodes(left, settings, jobs), lambda all_: summary(all_, settings), told
    )


def carry_on(
    tasks: Sequence[T],
    settings: Settings,
    out: Path,
    solved: Callable[[list[T]], Iterator[Episode]],
    summed: Callable[[list[Episode]], dict[str, Any]],
    told: Callable[[Episode, int, int], None],
) -> dict[str, Any]:
    """Go on with the run in a folder, whatever its tasks are: each episode is on disk before the next begins."""
    with _locked(out):
        _check_folder(out, settings)
        path = out / "episodes.jsonl"
        trim(path)
        done = {episode.task for episode in read(path)}
        left = [task for task in tasks if task.id not in done]
        for count, episode in enumerate(solved(left), start=len(tasks) - len(left) + 1):
            append(path, episode)
            told(episode, count, len(tasks))
        wanted = {task.id for task in tasks}
        found = summed([episode for episode in read(path) if episode.task in wanted])
        (out / "summary.json").write_text(json.dumps(found, indent=2) + "\n")
    return found


def _episodes(tasks: Sequence[RepairTask], settings: Settings, jobs: int) -> Iterator[Episode]:
    if jobs == 1:
        place = Workplace.open(settings) if tasks else None
        for task in tasks:
            assert place is not None
            yield place.solve(task, settings)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (settings,)) as pool:
        yield from pool.map(_solve, tasks)


_place: list[tuple[Workplace, Settings] | OracleError] = []
"""What this process solves with, or why it cannot: a process that fails at its start could not say so."""


def _begin(settings: Settings) -> None:
    """A process of its own: one thread each, since processes share the cores better than threads do."""
    os.environ["OMP_NUM_THREADS"] = "1"  # before torch is loaded
    leave_with_parent()
    try:
        _place.append((Workplace.open(settings), settings))
    except OracleError as error:
        _place.append(error)
    settle_down()


def settle_down() -> None:
    """Look for garbage seldom, and not among what is there to stay: it took a tenth of the time of a search."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


def leave_with_parent() -> None:
    """End this process as soon as the one that started it is gone, however that ended: nobody would take its result."""
    if (parent := parent_process()) is not None:
        Thread(target=_leave_after, args=(parent,), daemon=True).start()


def _leave_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _solve(task: RepairTask) -> Episode:
    if isinstance(_place[0], OracleError):
        raise _place[0]
    place, settings = _place[0]
    return place.solve(task, settings)


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock = (out / "lock").open("w")
    except OSError as error:
        raise BadEpisodes(f"{out} cannot be written to ({error}). Give another folder with --out.") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FolderInUse(
                f"Another solve writes to {out}. Wait for it, or give another folder with --out."
            ) from error
        yield


def _check_folder(out: Path, settings: Settings) -> None:
    """Refuse a folder of other settings: its episodes could not be summed up with ours."""
    path = out / "settings.json"
    described = json.loads(json.dumps({"folder": FOLDER_VERSION, **settings.described()}))
    if not path.exists():
        path.write_text(json.dumps(described, indent=2) + "\n")
        return
    known = json.loads(path.read_text())
    differing = sorted(key for key in described.keys() | known.keys() if described.get(key) != known.get(key))
    if differing:
        raise BadEpisodes(
            f"{out} holds a run with other settings ({', '.join(differing)}). Give another folder with --out."
        )


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
