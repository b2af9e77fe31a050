"""Independent observers of programs, which check decompose without sharing its code."""
