"""Keys of sorts that the library makes, written so that rules follow them: getters and `cmp_to_key`.

Knows only syntax. Open `getter_rewrites.py` first.
"""
