"""Single lines of Python: tables of templates with typed slots (`tables/patterns`), and lines that no table can hold.

Knows nothing of programs, views and training; `cwm_agent.training.values` fills the slots. Open `pattern.py` first: it
defines the notation of the tables.
"""
