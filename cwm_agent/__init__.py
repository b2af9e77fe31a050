"""Plan inside a Code World Model: search imagined executions, act for real, verify step by step."""

__version__ = "0.1.0"
