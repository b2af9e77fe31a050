"""The permutation domain: plans of commands, searched in imagination and carried out for real.

Knows nothing of repair. Open `permutation_domain.py` first: it has the five methods of a domain.
"""
