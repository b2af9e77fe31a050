"""Common statements as forms with typed holes; knows no names and draws nothing.

Forms are separated by blank lines; the first line `# 3 tag` gives the weight and, if any, where a form may be used.
Holes besides those of `grammar.py`: `{=item:int}` assigns a new variable, named as an item and holding an int;
`{@ints}` is a variable that holds one; `{@ints$1}` and `{=item:int$1}` can be used again as `{$1}`; `{block}` is a
block of further statements, `{gather}` a statement that adds to the loop's result. Tags: `loop` forms collect a result,
`inner` forms occur inside loops only, `outer` forms never do.
"""

from cwm_agent.training.text_tables import read_table

STATEMENTS = read_table("programs/statements")
"""Every form of a statement."""
GATHERING = read_table("programs/collecting")
"""Statements that add to what a loop collects; the tags are the type of the result and its start value."""
