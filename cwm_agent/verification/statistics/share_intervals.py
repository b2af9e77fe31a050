"""Exact binomial intervals of the shares that `verify` prints.

Only shares of programs get one: the steps of a program are alike, so an interval over steps would be too narrow. The
calls of one repair task are alike too; where a file holds several calls of a program, the interval is too narrow.
"""

from collections.abc import Mapping
from typing import Any

from cwm_agent.verification.statistics.exact_intervals import binomial_interval

SHARES = ("output_exact", "trace_exact")
"""Shares of all programs of a file; the interval of one is called NAME_interval."""


def with_intervals(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of one guide with the interval of each share; None where there was no program."""
    programs = figures["programs"]
    found: dict[str, Any] = dict(figures)
    for name in SHARES:
        interval = binomial_interval(round(figures[name] * programs), programs) if programs else None
        found[f"{name}_interval"] = None if interval is None else [interval.low, interval.high]
    return found
