"""Operands that are changed a little, and what programs with changed inputs showed to be weak."""
