"""The real world: Python run for real one step at a time, and the Gymnasium environments over it."""
