"""Templates of functions, one module per kind of data they work on.

Each module holds `TEMPLATES`: source text with slots, as `program_writer/template.py` defines. Knows nothing of inputs
or runs. Open `number_templates.py` first.
"""

from cwm_agent.training.program_writer.templates import (
    control_templates,
    grid_templates,
    mapping_templates,
    number_templates,
    recursion_templates,
    sequence_templates,
    string_templates,
    table_templates,
)

FAMILIES: dict[str, tuple[str, ...]] = {
    "numbers": number_templates.TEMPLATES,
    "strings": string_templates.TEMPLATES,
    "sequences": sequence_templates.TEMPLATES,
    "mappings": mapping_templates.TEMPLATES,
    "control": control_templates.TEMPLATES,
    "recursion": recursion_templates.TEMPLATES,
    "grids": grid_templates.TEMPLATES,
    "tables": table_templates.TEMPLATES,
}
