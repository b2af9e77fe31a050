"""Errors of rollout collection that the user can repair."""


class BadRolloutRun(ValueError):
    """Settings of a collection that cannot be; the message says what to give."""


class NotPlannable(ValueError):
    """An environment that cannot be made a model as it stands."""


class NotImaginable(ValueError):
    """An environment whose world no oracle can imagine."""


class UnknownPolicy(ValueError):
    """A name that stands for no policy, or for none in this environment."""


class BadRollouts(ValueError):
    """A file of rollouts that cannot be read or added to; the message says what to do."""
