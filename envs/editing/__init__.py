"""One small change to a program at a time: the families of edits, each in its own file.

`page` knows where everything stands in the text, `kinds` what a name may hold, `generate` puts the families
together. Nothing here runs a program, and nothing knows tests, tasks or search.
"""
