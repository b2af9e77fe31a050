"""What a run says while it goes: figures of the last seconds and of the whole; knows no tensor."""

from dataclasses import dataclass, field, replace

LINE_EVERY = 10.0
"""Seconds between progress lines."""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """Sums over steps."""

    steps: int = 0
    tokens: int = 0
    loss: float = 0.0
    answer: float = 0.0
    exact: float = 0.0
    norm: float = 0.0
    waited: float = 0.0
    """Seconds spent waiting for examples."""
    seconds: float = 0.0

    def add(self, found: list[float], waited: float, tokens: int) -> "TrainingProgress":
        """These sums with one more step."""
        loss, answer, exact, norm = found
        return TrainingProgress(
            self.steps + 1,
            self.tokens + tokens,
            self.loss + loss,
            self.answer + answer,
            self.exact + exact,
            self.norm + norm,
            self.waited + waited,
            self.seconds,
        )

    def mean(self, total: float) -> float:
        """A sum as a mean a step."""
        return total / max(1, self.steps)


@dataclass(frozen=True, slots=True)
class LossTally:
    """The sums since the last line, and since the start."""

    begun: float
    budget: float
    tokens_a_step: int
    since: float = field(default=-1.0)
    """When the last line was written; the start at first."""
    recent: TrainingProgress = TrainingProgress()
    total: TrainingProgress = TrainingProgress()
    last: TrainingProgress = TrainingProgress()
    """The last lines' sums once they were written, so that an end has figures too."""

    def add(self, found: list[float], waited: float) -> "LossTally":
        """This tally with one more step."""
        return replace(
            self,
            recent=self.recent.add(found, waited, self.tokens_a_step),
            total=self.total.add(found, waited, self.tokens_a_step),
        )

    def line(self, now: float) -> str:
        """A progress line where one is due, else nothing."""
        since = self.since if self.since >= 0 else self.begun
        taken = now - since
        if taken < LINE_EVERY or not self.recent.steps:
            return ""
        p = self.recent
        return (
            f"{now - self.begun:6.0f} s of {self.budget:.0f}  step {self.total.steps:6d}  "
            f"{p.tokens / taken / 1e6:6.3f} M tokens/s  loss {p.mean(p.loss):.4f}  answer {p.mean(p.answer):.4f}  "
            f"tokens right {p.mean(p.exact):.4f}  gradient {p.mean(p.norm):.2f}  waiting {p.waited / taken:4.0%}"
        )

    def renew(self, now: float) -> "LossTally":
        """This tally with a new line begun."""
        return replace(self, since=now, recent=TrainingProgress(), last=self.recent)

    def end(self, now: float) -> TrainingProgress:
        """The whole run, with the losses of its last seconds."""
        end = self.recent if self.recent.steps else self.last
        return replace(
            self.total,
            loss=end.mean(end.loss),
            answer=end.mean(end.answer),
            exact=end.mean(end.exact),
            norm=end.mean(end.norm),
            seconds=now - self.begun,
        )
