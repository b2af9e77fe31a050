"""The error of learning from episodes that the user can repair."""


class CannotLearn(ValueError):
    """Episodes without what learning needs, or a learnt model that cannot be read; the message says what to do."""
