"""The history view: source, then every frame so far with its line written out, as the literature's models read it.

`format` writes frames as pieces, `standing` says where a history stands, `places` finds the lines an action may mean
and those that may follow, `parsing` reads frames back, `spelling` makes bytes of pieces and pieces of bytes.
"""
