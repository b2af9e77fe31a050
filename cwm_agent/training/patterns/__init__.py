"""Single lines of Python as tables of templates with typed slots, one module per family of lines.

Knows nothing of programs, views and training; `cwm_agent.training.values` fills the slots. Open `pattern.py` first: it
defines the notation of the tables.
"""
