"""Rollouts as a Minari dataset: numeric observations, actions, rewards and ends, with the environment that made them.

    from cwm_agent.rollouts.exchange.minari_export import to_minari
    to_minari("runs/random.jsonl", "cwm_agent/permutation/random-v0")
    minari.load_dataset("cwm_agent/permutation/random-v0")

Minari is imported inside the function: it belongs to the extra `learners`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cwm_agent.plugins import missing_extra
from cwm_agent.rollouts.environment_factory import make_environment
from cwm_agent.rollouts.errors import BadRollouts
from cwm_agent.rollouts.rollout_rows import EpisodeRow, read_rows


def to_minari(path: str | Path, dataset: str, *, algorithm: str | None = None) -> Any:
    """Writes the episodes of a file as a new Minari dataset and returns it; `dataset` is its id, such as `a/b-v0`."""
    try:
        import minari
        from minari.data_collector import EpisodeBuffer
    except ModuleNotFoundError as error:
        raise missing_extra("Minari", "learners") from error
    rows = [row for row in read_rows(path) if row.actions]
    if not rows:
        raise BadRollouts(f"{path} holds no episode with an action. Make some with `cwm-agent rollout`.")
    if any(row.observations is None for row in rows):
        raise BadRollouts(
            f"{path} holds no numeric observations. Roll out RepairArrays-v0 or TraceArrays-v0 in place of the texts."
        )
    env = make_environment(rows[0].run["env"], **rows[0].run["options"])
    try:
        return minari.create_dataset_from_buffers(
            dataset_id=dataset,
            buffer=[EpisodeBuffer(id=at, seed=row.seed, **_arrays(row, env)) for at, row in enumerate(rows)],
            action_space=env.action_space,
            observation_space=env.observation_space,
            algorithm_name=algorithm or rows[0].run["policy"],
            description=f"{rows[0].run['world']} rollouts of {rows[0].run['env']} by cwm-agent",
            data_format="arrow",
        )
    except ValueError as error:
        raise BadRollouts(f"Minari refuses the dataset {dataset!r}: {error}") from error
    finally:
        env.close()


def _arrays(row: EpisodeRow, env: Any) -> dict[str, Any]:
    last = len(row.actions) - 1
    return {
        "observations": np.array(row.observations, dtype=env.observation_space.dtype),
        "actions": np.array(row.actions, dtype=env.action_space.dtype),
        "rewards": list(row.rewards),
        "terminations": [at == last and row.terminated for at in range(last + 1)],
        "truncations": [at == last and row.truncated for at in range(last + 1)],
    }
