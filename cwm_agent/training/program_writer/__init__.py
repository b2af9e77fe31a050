"""Random programs as people write them: names, inputs, expressions, statements and templates, one concept a file."""
