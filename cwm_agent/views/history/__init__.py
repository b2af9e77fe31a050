"""The history view: the source, then every frame so far with its source line, as published code world models read it.

`frame_format` writes frames as pieces, `history_state` holds which functions a history has under way, `action_places`
finds the lines that an action may mean and those that may follow, `frame_reader` reads frames back, `byte_marks` turns
pieces into bytes and back. Knows no tokenizer and no model. Open `frame_format.py` first.
"""
