"""Forms of expressions by type, with typed holes; knows no names and draws nothing.

A hole `{ints}` needs a list of integers that a variable holds or that can be made from one; `{1-9}` is a literal from
that range, `{char!}` and `{word!}` are literals, `{index}` is a loop index or a small number,
`{charof}` a character of a variable. A number in front is the weight of a form.
"""

from cwm_agent.training.text_tables import read_table

_SECTIONS = read_table("programs/expressions").strip().split("\n\n")
FORMS: dict[str, list[str]] = {kind: rows for kind, *rows in map(str.splitlines, _SECTIONS)}
"""The rows of each type; in the table they follow its name."""
ALTERNATIVES: dict[str, tuple[str, ...]] = {
    "cmp": ("<", ">", "<=", ">=", "==", "!=", "<", ">"),
    "eq": ("==", "!=", "=="),
    "is": tuple("isalpha isdigit isupper islower isalnum isspace isnumeric isdecimal istitle isascii".split()),
    "+-*": ("+", "-", "*"),
}  # fmt: skip
