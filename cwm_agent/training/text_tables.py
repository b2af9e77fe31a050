"""The text tables that the generators draw from: `tables/FOLDER/NAME.txt`.

    patterns/     single lines with typed slots; `patterns/pattern.py` defines the notation
    templates/    whole functions with slots, separated by `---`; `program_writer/template.py`
    programs/     forms of statements and expressions with typed holes; `program_writer/idioms.py` and `grammar.py`

The order of the rows is part of what a seed means: a new row changes the examples of every seed.
"""

from importlib.resources import files


def read_table(name: str) -> str:
    """The text of a table, named `FOLDER/NAME`."""
    return files("cwm_agent.training").joinpath("tables", f"{name}.txt").read_text(encoding="utf-8")
