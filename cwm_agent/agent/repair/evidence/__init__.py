"""What the buggy program's one real run says of an edit, before anything is imagined.

Its traces tell the values of all variables before each line. So it can be calculated which tests see another value or
branch by an edit: one that changes no failing test repairs nothing. Names that the program never reads say more
(`unread_names.py`). Open `run_evidence.py` first. Knows no model.
"""
