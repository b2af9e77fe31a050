"""Forms of expressions by type, with typed holes; knows no names and draws nothing.

A hole `{ints}` needs a list of integers that a variable holds or that can be made from one; `{1-9}` is a literal from
that range, `{char!}` and `{word!}` are literals, `{index}` is a loop index or a small number,
`{charof}` a character of a variable. A number in front is the weight of a form.
"""

from cwm_agent.training.program_writer.container_forms import CONTAINERS
from cwm_agent.training.program_writer.scalar_forms import SCALARS

FORMS: dict[str, str] = {
    **SCALARS,
    **CONTAINERS,
    "float": """
        2 {int} / {2-8}
        1 sum({ints}) / len({ints})
        1 round({int} / {2-8}, {1-2})
        1 {float} + {int}
        1 {float} * {2-4}
        1 float({int})
        1 sum({ints}) / max(len({ints}), 1)
    """,
}

ALTERNATIVES: dict[str, tuple[str, ...]] = {
    "cmp": ("<", ">", "<=", ">=", "==", "!=", "<", ">"),
    "eq": ("==", "!=", "=="),
    "is": tuple("isalpha isdigit isupper islower isalnum isspace isnumeric isdecimal istitle isascii".split()),
    "+-*": ("+", "-", "*"),
}  # fmt: skip
