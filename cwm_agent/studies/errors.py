"""Errors of studies that the user can repair."""

from cwm_agent.records.jsonl_file import BadRecords


class UnknownStudy(ValueError):
    """A name without a study."""


class BadLedger(BadRecords):
    """A file of results that this version cannot continue; the message says what to do."""


class CannotMeasure(ValueError):
    """An oracle that fails, or that differs from the one that made the earlier results."""
