"""Repair tasks as a `verifiers` environment with the id `cwm-repair`: verifiers imports this module by its name.

pip install 'cwm-agent[learners]'
cd docs/examples && eval cwm-repair          # the command `eval` of verifiers
"""

from cwm_agent.rollouts.exchange.verifiers_taskset import RepairTaskset, RepairTasksetConfig

__all__ = ["RepairTaskset", "RepairTasksetConfig"]
