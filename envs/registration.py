"""Registers the environments in Gymnasium; `import envs` calls `register`."""

from __future__ import annotations

ENVIRONMENTS = {
    "cwm_agent/Permutation-v0": "envs.gym.permutation_env:PermutationEnv",
    "cwm_agent/Repair-v0": "envs.gym.repair_env:RepairEnv",
    "cwm_agent/Trace-v0": "envs.gym.trace_env:TraceEnv",
    "cwm_agent/RepairArrays-v0": "envs.gym.repair_arrays:make_repair_arrays",
    "cwm_agent/TraceArrays-v0": "envs.gym.trace_arrays:make_trace_arrays",
    "cwm_agent/HiddenPermutation-v0": "envs.gym.hidden_permutation_env:HiddenPermutationEnv",
    "cwm_agent/HiddenState-v0": "envs.gym.hidden_state_env:HiddenStateEnv",
    "cwm_agent/FunctionProbe-v0": "envs.gym.function_probe_env:FunctionProbeEnv",
}


def register() -> bool:
    """Registers every environment and returns True; returns False if Gymnasium is not installed. Safe to call twice."""
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
