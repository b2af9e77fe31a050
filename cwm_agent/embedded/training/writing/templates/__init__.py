"""Templates by what functions work on; each module holds `TEMPLATES`, source with slots (`writing/template.py`)."""

from cwm_agent.embedded.training.writing.templates import (
    control,
    grids,
    mappings,
    numbers,
    recursion,
    sequences,
    strings,
    tables,
)

FAMILIES: dict[str, tuple[str, ...]] = {
    "numbers": numbers.TEMPLATES,
    "strings": strings.TEMPLATES,
    "sequences": sequences.TEMPLATES,
    "mappings": mappings.TEMPLATES,
    "control": control.TEMPLATES,
    "recursion": recursion.TEMPLATES,
    "grids": grids.TEMPLATES,
    "tables": tables.TEMPLATES,
}
