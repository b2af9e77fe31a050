"""Edits of a program's source: the families of edits, their generation, and their priors.

`likely/` holds the families that often repair a program, `forgotten/` those that add what was forgotten, `classes/`
those about attributes and methods of the program's own classes, `unlikely/` many more edits for a search that has
tried these, `learnt_priors.py` the rate at which each class of edits repaired a program.

Nothing here runs a program or knows tests, tasks or search. Open `edit.py` first, then `edit_generation.py`.
"""
