"""Progress of a run: sums over the last seconds and over the whole run; knows no tensor."""

from dataclasses import dataclass, field, replace

LINE_EVERY = 10.0
"""Seconds between progress lines."""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """Sums over steps; the fields are keys of `model.json`."""

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
        return replace(
            self,
            steps=self.steps + 1,
            tokens=self.tokens + tokens,
            loss=self.loss + loss,
            answer=self.answer + answer,
            exact=self.exact + exact,
            norm=self.norm + norm,
            waited=self.waited + waited,
        )

    def mean(self, total: float) -> float:
        """The mean per step of a sum."""
        return total / max(1, self.steps)


@dataclass(frozen=True, slots=True)
class LossTally:
    """Sums since the last progress line and since the start."""

    started: float
    budget: float
    """Seconds of the run."""
    tokens_per_step: int
    since: float = field(default=-1.0)
    """Time of the last line; negative before the first."""
    recent: TrainingProgress = TrainingProgress()
    total: TrainingProgress = TrainingProgress()
    last: TrainingProgress = TrainingProgress()
    """Sums of the last written line, used at the end if no step followed it."""

    def add(self, found: list[float], waited: float) -> "LossTally":
        """This tally with one more step."""
        return replace(
            self,
            recent=self.recent.add(found, waited, self.tokens_per_step),
            total=self.total.add(found, waited, self.tokens_per_step),
        )

    def line(self, now: float) -> str:
        """A progress line if one is due, otherwise an empty text."""
        since = self.since if self.since >= 0 else self.started
        taken = now - since
        if taken < LINE_EVERY or not self.recent.steps:
            return ""
        p = self.recent
        return (
            f"{now - self.started:6.0f} s of {self.budget:.0f}  step {self.total.steps:6d}  "
            f"{p.tokens / taken / 1e6:6.3f} M tokens/s  loss {p.mean(p.loss):.4f}  answer {p.mean(p.answer):.4f}  "
            f"tokens right {p.mean(p.exact):.4f}  gradient {p.mean(p.norm):.2f}  waiting {p.waited / taken:4.0%}"
        )

    def renew(self, now: float) -> "LossTally":
        """This tally after a line was written."""
        return replace(self, since=now, recent=TrainingProgress(), last=self.recent)

    def end(self, now: float) -> TrainingProgress:
        """The sums of the whole run, with the mean losses of its last seconds."""
        end = self.recent if self.recent.steps else self.last
        return replace(
            self.total,
            loss=end.mean(end.loss),
            answer=end.mean(end.answer),
            exact=end.mean(end.exact),
            norm=end.mean(end.norm),
            seconds=now - self.started,
        )
