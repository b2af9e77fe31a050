"""One module a foreign format: how its files say program, calls and results. They parse, never run."""
