"""The neural debugger's parts: `worlds` imagine one step, `walk` goes through steps, `commands` are what one types.

`showing` writes it all down; the command itself is `cwm_agent/debug.py`.
"""
