"""How long a repair imagines: verdicts of real runs that are near, not near, or worse than the buggy program's."""

from dataclasses import dataclass
from typing import Any, cast

import pytest

from cwm_agent import defaults
from cwm_agent.agent.repair.details.repair_details import RunCandidate
from cwm_agent.agent.repair.persistence import Marks, most_effort


@dataclass(frozen=True)
class Verdicts:
    marks: Marks


def run_of(marks: Marks) -> RunCandidate:
    """A candidate that was run with these verdicts; nothing else of it is asked."""
    return RunCandidate(cast(Any, None), 0.0, cast(Any, Verdicts(marks)))


@pytest.mark.parametrize(
    ("runs", "near"),
    [
        ([], False),
        ([(True, False, False, False, False)], False),
        ([(True, True, False, False, False)], False),  # one of four
        ([(True, True, True, False, False)], True),  # two of four
        ([(False, True, True, False, None)], False),  # two of four, and one lost
        ([(False,) * 5, (True,) * 5], True),
        ([(False,) * 5, (None,) * 5], False),
    ],
)
def test_imagining_goes_on_longer_where_a_real_run_fixed_half_of_what_failed(runs: list[Marks], near: bool) -> None:
    patiences = defaults.HOPEFUL_PATIENCE if near else defaults.MOST_PATIENCE
    assert most_effort(100, (True, False, False, None, False), map(run_of, runs)) == 100 * patiences
