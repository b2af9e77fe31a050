"""The result of a training run as text for a terminal; knows no tensor."""

from cwm_agent.training.exactness import Exactness
from cwm_agent.training.training_run import TrainingResult

KINDS_SHOWN = 60


def table(result: TrainingResult) -> str:
    """Steps, losses and exactness by kind, the worst kinds first."""
    progress = result.progress
    rate = progress.tokens / max(progress.seconds, 1e-9) / 1e6
    lines = [
        "",
        f"{progress.steps} steps, {progress.tokens / 1e6:.1f} M tokens in {progress.seconds:.0f} s "
        f"({rate:.3f} M tokens/s, "
        f"{progress.waited / max(progress.seconds, 1e-9):.0%} of it waiting for examples)",
        f"at the end: loss {progress.loss:.4f}, answer loss {progress.answer:.4f}, "
        f"answer tokens right {progress.exact:.4f}",
    ]
    for exactness in result.exactness:
        lines += _section(exactness)
    lines.append(f"\nweights: {result.folder}")
    return "\n".join(lines)


def _section(exactness: Exactness) -> list[str]:
    left_out = f", {exactness.left_out} too long for a row" if exactness.left_out else ""
    lines = [
        "",
        f"{exactness.name}: {exactness.share:.4f} exact ({exactness.right} of {exactness.count} held out{left_out})",
    ]
    for kind, count, right in exactness.by_kind[:KINDS_SHOWN]:
        lines.append(f"  {right / count:7.4f}  {right:6d} of {count:6d}  {kind}")
    if len(exactness.by_kind) > KINDS_SHOWN:
        lines.append(f"  and {len(exactness.by_kind) - KINDS_SHOWN} kinds that do better")
    return lines
