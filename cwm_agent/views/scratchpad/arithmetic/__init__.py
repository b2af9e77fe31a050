"""Workings of numbers, amounts, dates and times: each module writes one kind of arithmetic out, digit by digit.

Knows only numbers and their texts. Open `long_arithmetic.py` first, then `binary_rounding.py` for floats.
"""
