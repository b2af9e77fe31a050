"""Errors of studies that the user can repair."""


class UnknownStudy(ValueError):
    """A name that stands for no study."""


class BadLedger(ValueError):
    """A file of results that cannot be gone on with."""


class CannotMeasure(ValueError):
    """An oracle that cannot be asked, or is not the one whose results are held."""
