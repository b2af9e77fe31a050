"""The studies: how far imagination follows reality, how deep one can plan in it, and what restores the depth."""
