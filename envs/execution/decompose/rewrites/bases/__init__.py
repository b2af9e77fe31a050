"""Classes of the library that classes of the program derive from, written as classes of the program.

Open `abstract_bases.py` first; `abstract_sources.py` has the sources. Knows no stepper.
"""
