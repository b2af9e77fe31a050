"""Templates by what functions work on.

Each module holds `TEMPLATES`, source with slots (`program_writer/template.py`).
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
