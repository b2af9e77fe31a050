"""What CPython 3.11, 3.12 and 3.13 do differently in ways that a program's lines show; every other module asks here.

The decomposer, the tracer and the stepper follow the interpreter that runs them, so that a decomposed program behaves
as the original does there. `docs/execution.md` lists all differences, with those that need no code.
"""

import sys

COMPENSATED_SUM = sys.version_info >= (3, 12)
"""`sum` adds floats with a correction, so its result is not that of repeated addition."""

COMPREHENSIONS_INLINED = sys.version_info >= (3, 12)
"""Comprehensions run in the function around them: an unbound local inside is UnboundLocalError, not NameError.

Generator expressions keep a scope of their own.
"""
