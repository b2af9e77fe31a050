"""Counts the tokens and the money spent on a server, and stops at a limit; safe to use from several threads."""

import threading
from dataclasses import dataclass, field

from cwm_agent.oracles.protocol import OutOfBudget


@dataclass(slots=True)
class TokenAllowance:
    """Tokens and money spent so far, and their limits; None is no limit."""

    tokens: int | None = None
    money: float | None = None
    price_in: float = 0.0
    """Price of a million tokens read."""
    price_out: float = 0.0
    """Price of a million tokens written."""
    read: int = 0
    written: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def cost(self) -> float:
        return (self.read * self.price_in + self.written * self.price_out) / 1e6

    def add(self, read: int, written: int) -> None:
        """Count one answer."""
        with self._lock:
            self.read += read
            self.written += written

    def check(self) -> None:
        """Raise OutOfBudget if nothing is left; requests under way may still exceed the limit a little."""
        with self._lock:
            if self.tokens is not None and self.read + self.written >= self.tokens:
                spent = self.read + self.written
                raise OutOfBudget(f"All {self.tokens} tokens are spent ({spent}). Allow more with tokens=.")
            if self.money is not None and self.cost >= self.money:
                raise OutOfBudget(f"The budget of {self.money:g} is spent ({self.cost:.4g}). Allow more with money=.")
