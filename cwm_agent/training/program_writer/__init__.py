"""Random programs that look like written ones: names, inputs, expressions, statements and templates.

Two ways lead to a function: `template.py` fills a template of `tables/templates`, `function_writer.py` composes
statements. Knows nothing of running or of training. Open `function_writer.py` first.
"""
