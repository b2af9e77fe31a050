"""The error for a command's options; a module of its own, so that commands import it without what they run."""


class UsageError(ValueError):
    """Options of a command that do not belong together or name nothing; the message says what to give."""
