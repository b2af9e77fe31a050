"""The error for bad input to environments and their problems; errors of execution are in `envs.execution`."""


class BadEnvOption(ValueError):
    """An option of an environment, or a part of its problem, that cannot be; the message says what to give."""


class MissingExtra(Exception):
    """A package that an option needs is not installed; the message names the extra that brings it."""
