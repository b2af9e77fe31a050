"""Errors of rollout collection that the user can repair."""

from cwm_agent.records.jsonl_file import BadRecords


class BadRolloutRun(ValueError):
    """Settings of a collection that are not possible; the message says what to give."""


class NotPlannable(ValueError):
    """An environment that `GymModel` cannot copy or list the actions of; the message says which argument helps."""


class NotImaginable(ValueError):
    """An environment that no oracle can imagine."""


class UnknownPolicy(ValueError):
    """A name without a policy, or a policy that does not fit the environment."""


class BadRollouts(BadRecords):
    """A file of rollouts that cannot be read or added to; the message says what to do."""
