"""A prior over edits and a value of candidates, learnt from episodes: two weight vectors in one JSON file.

    model = learn(["runs/mine"], load_tasks("repair"))
    model.save("runs/model")
    solve_tasks(tasks, Settings(policy="runs/model", value="runs/model"))

The prior ranks edits by a linear function of the edit policy's log-probability, the edit's class and its shape; the
value is the probability, by a logistic function, that a candidate is a repair or the beginning of one. Knows no search.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cwm_agent.agent.learning import candidate_features as of_candidates
from cwm_agent.agent.learning import edit_features as of_edits
from cwm_agent.agent.learning.episode_examples import Examples, episodes_of, examples_of
from cwm_agent.agent.learning.errors import CannotLearn
from cwm_agent.agent.learning.linear_fit import fit_probability, fit_ranking, sigmoid, softmax
from cwm_agent.agent.repair.edit_ranking import TEMPERATURE, Policy
from envs.editing.edit import Edit
from envs.execution.sandbox.sandbox import Sandbox
from tasks import RepairTask
from tasks.output.atomic_file import write_file

VERSION = 1
FILE = "learnt.json"
_START = {"logprob": 4 / TEMPERATURE, "class prior": 1.0}
"""Weights before any data: the shipped policy at its temperature, and the class rates."""


@dataclass(frozen=True, slots=True)
class LearntModel:
    """The weights of a prior and of a value, and what they were learnt from."""

    prior: tuple[float, ...]
    """One weight for each of `edit_features.NAMES`."""
    value: tuple[float, ...]
    """One weight for each of `candidate_features.NAMES`; empty where no candidate had beliefs."""
    learnt_from: dict[str, Any]
    """Numbers of tasks, repairs and candidates, and how well they are predicted."""

    def save(self, folder: str | Path) -> Path:
        """Writes the model into a folder and returns its file."""
        rows = {
            "version": VERSION,
            "prior": dict(zip(of_edits.NAMES, self.prior, strict=True)),
            "value": dict(zip(of_candidates.NAMES, self.value, strict=False)),
            "learnt_from": self.learnt_from,
        }
        path = Path(folder) / FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, json.dumps(rows, indent=1) + "\n")
        return path

    @classmethod
    def load(cls, folder: str | Path) -> LearntModel:
        """The model in a folder; CannotLearn says why it cannot be read."""
        path = Path(folder) / FILE
        try:
            rows = json.loads(path.read_text(encoding="utf-8"))
            if rows["version"] != VERSION:
                raise CannotLearn(f"{path} has version {rows['version']}, not {VERSION}. Learn it again.")
            prior = _weights(rows["prior"], of_edits.NAMES)
            value = _weights(rows["value"], of_candidates.NAMES) if rows["value"] else ()
            return cls(prior, value, dict(rows["learnt_from"]))
        except FileNotFoundError as error:
            raise CannotLearn(f"There is no learnt model in {folder}. Make one with `cwm-agent learn`.") from error
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, CannotLearn):
                raise
            raise CannotLearn(f"{path} is no learnt model ({error}). Learn it again.") from error

    def value_of(self, features: Any) -> float:
        """The probability that a candidate with these features is a repair or leads to one."""
        return float(sigmoid(np.array([features @ np.array(self.value)]))[0])


def _weights(named: dict[str, float], names: Sequence[str]) -> tuple[float, ...]:
    found = tuple(float(named[name]) for name in names)
    if not all(map(math.isfinite, found)):
        raise CannotLearn("The learnt model has a weight that is no finite number. Learn it again.")
    return found


@dataclass(frozen=True, slots=True)
class LearntPolicy:
    """A learnt prior over edits in the place of the edit policy, on which it stands."""

    base: Policy | None
    model: LearntModel

    def logprobs(self, source: str, edits: Sequence[Edit], *, complete: int | None = None) -> list[float] | None:
        """The log-probability of each edit, times the temperature by which the search divides it."""
        if not edits:
            return []
        logprobs = None if self.base is None else self.base.logprobs(source, edits, complete=complete)
        scores = of_edits.edit_features(source, edits, logprobs) @ np.array(self.model.prior)
        return [TEMPERATURE * float(each) for each in np.log(softmax(scores) + 1e-12)]

    def proposals(self, source: str, count: int) -> list[tuple[Edit, float]]:
        """The edits that the edit policy proposes."""
        return [] if self.base is None else self.base.proposals(source, count)


def learn(
    runs: Iterable[str | Path],
    tasks: Sequence[Any],
    *,
    policy: Policy | None = None,
    on_task: Callable[[str, int, int], None] = lambda task, done, total: None,
) -> LearntModel:
    """The model that the episodes of some results folders teach; `policy` is the edit policy it stands on.

    Without a policy the shipped one is loaded. Programs of the tasks run once more, in the sandbox.
    """
    from cwm_agent.policy.edit_policy import EditPolicy

    repairs = [task for task in tasks if isinstance(task, RepairTask)]
    episodes = episodes_of(runs, repairs)
    with Sandbox() as sandbox:
        examples = examples_of(episodes, policy or EditPolicy.shipped(), sandbox, on_task)
    return fitted(examples)


def fitted(examples: Examples) -> LearntModel:
    """The model that fits some examples."""
    start = np.array([_START.get(name, 0.0) for name in of_edits.NAMES])
    prior = fit_ranking(examples.lists, start)
    value: Any = ()
    if len(set(examples.led)) == 2:
        value = fit_probability(np.array(examples.candidates), np.array(examples.led, dtype=float))
    found = {
        "tasks": len(examples.tasks),
        "repairs": len(examples.lists),
        "candidates": len(examples.led),
        "candidates that led to a repair": sum(examples.led),
        "mean rank of the repair before": _mean_rank(examples, start),
        "mean rank of the repair after": _mean_rank(examples, prior),
    }
    return LearntModel(tuple(map(float, prior)), tuple(map(float, value)), found)


def _mean_rank(examples: Examples, weights: Any) -> float:
    """The mean place of the repairing edit in the order of these weights, from 1."""
    ranks = [1 + int((rows @ weights > (rows @ weights)[chosen]).sum()) for rows, chosen in examples.lists]
    return round(sum(ranks) / len(ranks), 2)
