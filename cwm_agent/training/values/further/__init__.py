"""Values that ordinary programs hold and the first tables did not: flags, closures, text buffers, classes as values.

Each module is one kind of value; recipes are `(rng, *values drawn before) -> value`, and `KINDS` are classes that
frames write by name. Knows nothing of the lines that use them. Open `flag_members.py` first.
"""
