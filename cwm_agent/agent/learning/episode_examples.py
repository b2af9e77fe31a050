"""Training rows of episodes: lists of edits with the one that repaired, and candidates with whether they led to it.

An episode names its edits and what was believed and seen of each candidate that ran; the task brings the program and
its tests. The buggy program is run once more for its marks. Knows no fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cwm_agent.agent.episodes.episode import Episode, read
from cwm_agent.agent.episodes.task_digest import digest_of
from cwm_agent.agent.learning.candidate_features import candidate_features
from cwm_agent.agent.learning.edit_features import Matrix, edit_features
from cwm_agent.agent.learning.errors import CannotLearn
from cwm_agent.agent.repair.edit_ranking import LIKELY_COMPLETE, Policy, edit_priors
from envs.domains.evaluation import Evaluator
from envs.domains.repair_core import RepairCore
from envs.execution.sandbox.sandbox import Sandbox
from tasks import RepairTask


@dataclass(slots=True)
class Examples:
    """What a prior and a value are fitted to."""

    lists: list[tuple[Matrix, int]] = field(default_factory=list)
    """Features of all edits of a buggy program, and the place of the first edit of its repair."""
    candidates: list[Matrix] = field(default_factory=list)
    """Features of candidates that ran."""
    led: list[bool] = field(default_factory=list)
    """Whether each was the repair, or the beginning of it."""
    tasks: list[str] = field(default_factory=list)
    """Tasks whose episodes were used."""


def episodes_of(runs: Iterable[str | Path], tasks: Sequence[RepairTask]) -> list[tuple[RepairTask, Episode]]:
    """The episodes of results folders beside their tasks; CannotLearn where a folder or a task is missing."""
    known = {task.id: task for task in tasks}
    found = []
    for run in runs:
        path = Path(run) / "episodes.jsonl"
        if not path.is_file():
            raise CannotLearn(f"{run} holds no episodes. Give a folder that `cwm-agent solve --out` wrote.")
        for episode in read(path):
            task = known.get(episode.task)
            if task is None:
                raise CannotLearn(
                    f"{path} has an episode of {episode.task!r}, which is none of the tasks: give --tasks."
                )
            if episode.content and episode.content != digest_of(task):
                raise CannotLearn(f"{path}: the task {episode.task!r} has changed since. Solve it again.")
            found.append((task, episode))
    return found


def examples_of(
    episodes: Sequence[tuple[RepairTask, Episode]],
    policy: Policy | None,
    sandbox: Sandbox,
    on_task: Callable[[str, int, int], None] = lambda task, done, total: None,
) -> Examples:
    """The training rows of episodes; those in which nothing ran are left out."""
    found = Examples()
    for number, (task, episode) in enumerate(episodes, start=1):
        if episode.runs:
            _add(found, task, episode, policy, sandbox=sandbox)
        on_task(task.id, number, len(episodes))
    if not found.lists:
        raise CannotLearn("No episode ends with a repair, so there is nothing to learn from. Give more episodes.")
    return found


def _add(found: Examples, task: RepairTask, episode: Episode, policy: Policy | None, sandbox: Sandbox) -> None:
    core = RepairCore.of_task(task)
    edits = core.actions(core.initial())
    logprobs = None if policy is None else policy.logprobs(task.source, edits, complete=LIKELY_COMPLETE)
    priors = dict(zip(map(str, edits), edit_priors(edits, {}, logprobs), strict=True))
    original = Evaluator(task, sandbox).original.marks
    if episode.solved and episode.patch and episode.patch[0] in priors:
        place = list(priors).index(episode.patch[0])
        found.lists.append((edit_features(task.source, edits, logprobs), place))
    for run in episode.runs:
        if len(run.beliefs) == len(original) and any(belief is not None for belief in run.beliefs):
            prior = float(np.prod([priors.get(edit, 1e-4) for edit in run.patch]))
            features = candidate_features(
                run.beliefs, original, expected=run.imagined, edits=len(run.patch), prior=prior
            )
            found.candidates.append(features)
            found.led.append(episode.solved and run.patch == episode.patch[: len(run.patch)])
    found.tasks.append(task.id)
