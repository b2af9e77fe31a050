"""Public API of `envs.editing`: list the edits of a program, read and apply them.

    >>> source = "def first(xs, n):\\n    return xs[:n]  # keep\\n"
    >>> found = edits(source)
    >>> len(found) == len(set(found))
    True
    >>> edit = Edit.read("one-off 2:15: 'n' -> 'n + 1'")
    >>> print(edit.apply(source))
    def first(xs, n):
        return xs[:n + 1]  # keep
    <BLANKLINE>

The families of edits live in `envs.editing`, one per module.
"""

from envs.editing.class_priors import class_priors, prior_of
from envs.editing.edit import BadEdit, Edit, apply_patch
from envs.editing.edit_generation import edits

__all__ = ["BadEdit", "Edit", "apply_patch", "class_priors", "edits", "prior_of"]
