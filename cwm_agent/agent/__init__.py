"""Where imagination meets planning: worlds that planners search, the loop from plan to real run, its record."""
