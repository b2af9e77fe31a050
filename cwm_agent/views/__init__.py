"""What a model is shown and how its answer is read: text both ways, whatever model is behind it."""
