"""Edits that are tried when those of every day are spent: there are many of them, and each is unlikely."""
