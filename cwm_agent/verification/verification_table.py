"""Prints the figures of `verify` as a table for a terminal; computes nothing."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.output.terminal_text import visible_line

Figures = Mapping[str, Any]
_COLUMNS = (
    "guide",
    "programs",
    "attempted",
    "output_exact",
    "trace_exact",
    "step_exact",
    "action_exact",
    "by_rule",
    "d50",
    "d90",
)


def table(runs: Sequence[Figures]) -> str:
    """Return the table: one line of shares for each run, with its details below."""
    lines: list[str] = []
    head = None
    for run in runs:
        if head != (head := (run["file"], run["oracle"], run["view"])):
            about = f"{run['file']} ({run['rows']} rows), oracle {run['oracle']}, view {run['view']}"
            lines.append(visible_line(about))
            lines.append("  ".join(f"{name:>12}" for name in _COLUMNS))
        lines.append("  ".join(f"{_cell(run[name]):>12}" for name in _COLUMNS))
        lines += [f"    {line}" for line in _details(run)]
    return "\n".join(lines)


def _details(run: Figures) -> Iterator[str]:
    intervals = [
        f"{name} {run[name]:.3f} ({low:.3f} to {high:.3f})"
        for name in ("output_exact", "trace_exact")
        for low, high in [run.get(f"{name}_interval") or (None, None)]
        if low is not None
    ]
    if intervals:
        yield f"95 % intervals, exact binomial over {run['programs']} programs: {', '.join(intervals)}"
    yield f"kinds {run['kinds']}"
    by_type = ", ".join(f"{kind} {share:.3f}" for kind, share in run["step_exact_by_type"].items())
    tokens = f"tokens: {run['step_tokens']} of single steps, {run['tokens']} of rollouts"
    yield f"by type: {by_type}; {tokens}; {run['seconds']:.1f} s"
    if run.get("copied") is not None:
        yield (
            f"steps by rule {run['by_rule']:.3f} of all; of the answers {run['copied']:.3f} only copy a loop's item, "
            f"{run['completed']:.3f} say a change that a rule completes"
        )
    if run.get("mutants"):
        yield _mutants(run["mutants"])
    for what, matrix in (run.get("verdicts") or {}).items():
        yield _verdicts(what, matrix)
    for what, found in (run.get("calibration") or {}).items():
        if found:
            yield f"calibration of {what}: Brier {found['brier']:.4f}, ECE {found['ece']:.4f} over {found['count']}"


def _mutants(found: Figures) -> str:
    low, high = found["step_exact_interval"] or (None, None)
    return (
        f"mutants: {found['drawn']} of {found['of']} (seed {found['seed']}), {found['steps']} steps of "
        f"{found['tasks']} tasks; step_exact within {_cell(low)} to {_cell(high)} by tasks, mean of tasks "
        f"{_cell(found['step_exact_mean_of_tasks'])}"
    )


def _verdicts(what: str, matrix: Figures) -> str:
    cells = "; ".join(
        f"imagined {name}: {matrix[name]['real_pass']} pass, {matrix[name]['real_fail']} fail"
        for name in ("pass", "fail", "unknown")
    )
    rates = f"true passes {_cell(matrix['true_pass_rate'])}, false passes {_cell(matrix['false_pass_rate'])}"
    return f"verdicts of {what}: {rates} ({cells})"


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
