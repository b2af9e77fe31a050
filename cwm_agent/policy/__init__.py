"""The edit policy: a small language model that says which edit a program with a bug wants, before anything is imagined.

What a policy network is to MuZero: the world model says what an edit would do, the policy which edits are worth asking
about. Trained on functions of published packages into which bugs were put; knows no tests and no run.
"""
