"""The verdict matrix: imagined verdicts of tests against real ones.

The verdict of a rollout without an outcome is *unknown*: it finds no pass and is no false pass. Knows no planner.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from cwm_agent.imagination.rollout_loop import Rollout
from tasks.task import CallTest, FunctionTest

Imagined = Literal["pass", "fail", "unknown"]


def imagined_verdict(rollout: Rollout, test: CallTest | FunctionTest) -> Imagined:
    """Return the imagined verdict of a test: pass, fail or unknown."""
    if rollout.outcome is None:
        return "unknown"
    right = rollout.outcome.ending == "returned" and test.accepts_text(rollout.outcome.value)
    return "pass" if right else "fail"


def whole_verdict(verdicts: Sequence[Imagined]) -> Imagined:
    """Return the verdict of a program from those of its tests: one fail fails it, and it passes only if all pass."""
    if "fail" in verdicts:
        return "fail"
    return "unknown" if "unknown" in verdicts else "pass"


@dataclass(slots=True)
class VerdictMatrix:
    """Counts of imagined against real verdicts."""

    counts: Counter[tuple[Imagined, bool]] = field(default_factory=Counter)

    def add(self, imagined: Imagined, passes: bool) -> None:
        """Add one imagined verdict with the real one."""
        self.counts[imagined, passes] += 1

    def share(self, imagined: Imagined, *, of: bool) -> float | None:
        """Return the share of the really passing (`of=True`) or failing tests with this verdict; None without any."""
        total = sum(self.counts[each, of] for each in get_args(Imagined))
        return self.counts[imagined, of] / total if total else None

    @property
    def precision(self) -> float | None:
        """Return the share of imagined passes that are real; None if none was imagined."""
        passes = self.counts["pass", True] + self.counts["pass", False]
        return self.counts["pass", True] / passes if passes else None

    def record(self) -> dict[str, Any] | None:
        """Return matrix and rates as JSON; None if no verdict was compared."""
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
