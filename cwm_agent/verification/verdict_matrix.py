"""What imagination says of tests against what they really say: the verdict matrix.

A rollout that came to no outcome says *unknown*: it finds no pass and is no false pass. Knows no planner.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from cwm_agent.imagination.rollout_loop import Rollout
from tasks.task import CallTest

Imagined = Literal["pass", "fail", "unknown"]


def imagined_verdict(rollout: Rollout, test: CallTest) -> Imagined:
    """Whether a test is imagined to pass."""
    if rollout.outcome is None:
        return "unknown"
    right = rollout.outcome.ending == "returned" and test.accepts_text(rollout.outcome.value)
    return "pass" if right else "fail"


def whole_verdict(verdicts: Sequence[Imagined]) -> Imagined:
    """What several tests say of their program: one fail fails it, and it passes only where all are known to."""
    if "fail" in verdicts:
        return "fail"
    return "unknown" if "unknown" in verdicts else "pass"


@dataclass(slots=True)
class VerdictMatrix:
    """Imagined against real verdicts, counted."""

    counts: Counter[tuple[Imagined, bool]] = field(default_factory=Counter)

    def add(self, imagined: Imagined, passes: bool) -> None:
        """Take one verdict with the real one."""
        self.counts[imagined, passes] += 1

    def share(self, imagined: Imagined, *, of: bool) -> float | None:
        """Share of the tests that really pass (`of=True`) or fail for which this was imagined; None without any."""
        total = sum(self.counts[each, of] for each in get_args(Imagined))
        return self.counts[imagined, of] / total if total else None

    @property
    def precision(self) -> float | None:
        """Share of the imagined passes that are real; None where none was imagined."""
        passes = self.counts["pass", True] + self.counts["pass", False]
        return self.counts["pass", True] / passes if passes else None

    def record(self) -> dict[str, Any] | None:
        """Matrix and rates as JSON; None where no verdict was compared."""
        if not self.counts:
            return None
        cells = {
            imagined: {"real_pass": self.counts[imagined, True], "real_fail": self.counts[imagined, False]}
            for imagined in get_args(Imagined)
        }
        return {
            **cells,
            "true_pass_rate": self.share("pass", of=True),
            "false_pass_rate": self.share("pass", of=False),
            "true_fail_rate": self.share("fail", of=False),
            "false_fail_rate": self.share("fail", of=True),
            "pass_precision": self.precision,
        }
