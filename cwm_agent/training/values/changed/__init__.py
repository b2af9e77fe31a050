"""Operands that are changed a little or made small, and what programs with changed inputs showed to be weak.

Knows nothing of the lines that use them. Open `disturbed_values.py` first: `slip_operands.py` draws on its
changes. `near_operands.py` has what almost fits a line, `near_results.py` what almost gives the plain result;
`small_values.py` stands alone.
"""
