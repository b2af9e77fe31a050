"""The edit policy: a small language model that gives every edit of a program a probability of being the right repair.

The world model predicts what an edit does; the policy says which edits are worth imagining, like the policy network of
MuZero. It sees the source of the program only: no test, no run, no search. It was trained on functions of published
packages into which bugs were injected (`cwm_agent.training.policy`). Open `edit_policy.py` first; `edit_notation.py` is
the text form of programs and edits.
"""
