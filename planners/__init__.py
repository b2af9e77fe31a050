"""Search over any world that can say its actions and take a batch of steps; knows no program and no oracle."""
