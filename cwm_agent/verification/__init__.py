"""Imagination held against reality: where they part, of what kind the error is, and how long they stay together."""
