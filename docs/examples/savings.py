"""A file with a bug, for the tutorial: the interest of one year is left out.

cwm-agent solve savings.py --report
"""


def balance(amount, rate, years):
    """The balance after some years of compound interest.

    >>> balance(100, 0.5, 2)
    225.0
    >>> balance(1250.5, 0.035, 4)
    1434.98
    >>> balance(80, 0.1, 1)
    88.0
    """
    for _ in range(years - 1):
        amount = amount * (1 + rate)
    return round(amount, 2)
