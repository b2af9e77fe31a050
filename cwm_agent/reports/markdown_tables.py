"""Tables in Markdown, for pages and terminals. Computes nothing."""

from collections.abc import Sequence

from tasks.output.terminal_text import visible_line


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; floats have three significant digits, None is a dash. No text ends its cell or is HTML."""
    lines = [[_cell(name) for name in head], ["---"] * len(head), *[[_cell(value) for value in row] for row in rows]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}"
    return visible_line(str(value)).replace("|", "\\|").replace("<", "\\<")
