"""Python run for real, one honest step at a time; knows no task, no oracle and no planner."""
