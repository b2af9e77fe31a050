"""Parts of the debugger for imagined runs; the command itself is `cwm_agent/debug.py`.

`debugger_worlds.py` and `history_world.py` imagine one step, `step_walk.py` keeps the steps of a session,
`debugger_commands.py` answers typed commands, `step_display.py` formats steps as text, `debugger_session.py` opens a
debugger on a file. Knows no agent and no planner. Open `debugger_commands.py` first.
"""
