"""What keeps an untrusted program inside: limits, isolation, and the worker that forks per program."""
