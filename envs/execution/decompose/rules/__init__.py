"""The rules by which decompose rewrites functions to one operation a line; knows no trace and no oracle."""
