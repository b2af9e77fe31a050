"""Tables in Markdown, for pages and terminals. Computes nothing."""

from collections.abc import Sequence


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; floats have three significant digits, None is a dash."""
    lines = [head, ["---"] * len(head), *[[_cell(value) for value in row] for row in rows]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
