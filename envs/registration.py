"""The environments' names in Gymnasium's registry; imported by `import envs` where Gymnasium is installed."""

from __future__ import annotations

ENVIRONMENTS = {
    "cwm_agent/Permutation-v0": "envs.gym.permutation_env:PermutationEnv",
    "cwm_agent/Repair-v0": "envs.gym.repair_env:RepairEnv",
    "cwm_agent/Trace-v0": "envs.gym.trace_env:TraceEnv",
}


def register() -> bool:
    """Whether Gymnasium is there; its registry then knows every environment. Calling it again changes nothing."""
    try:
        import gymnasium
    except ModuleNotFoundError as error:
        if error.name != "gymnasium":
            raise
        return False
    for name, entry_point in ENVIRONMENTS.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=entry_point)
    return True
