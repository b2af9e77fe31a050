"""A training run as one frozen value, and its learning-rate schedule; knows no torch."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from cwm_agent.training.example import Share, SourceError


@dataclass(frozen=True, slots=True)
class Diet:
    """What rows are made of."""

    shares: tuple[Share, ...]
    length: int = 4096
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.shares:
            raise SourceError("Training needs at least one source; give it as NAME=module:function.")
        if not 8 <= self.length < 2**15:
            raise ValueError(f"Rows of {self.length} tokens cannot be packed; choose from 8 to {2**15 - 1}.")


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides a run; saved as JSON beside its result."""

    diet: Diet
    size: str = "main"
    seconds: float = 480.0
    """Time to train, from the end of the first step, so that compilation is not part of it."""
    deadline: float | None = None
    """Seconds after the start by which training must stop, compilation included; shortens `seconds` where needed."""
    batch: int = 32
    """Rows a step."""
    rate: float = 4e-3
    """Muon's learning rate at its height."""
    adam_rate: float = 2e-3
    """AdamW's, for embedding, head, gains and convolutions."""
    weight_decay: float = 0.1
    """On matrices, times the learning rate."""
    clip: float = 1.0
    """Largest norm of the whole gradient."""
    query_weight: float = 0.1
    """Loss on tokens that are no answer."""
    warm_up: float = 0.03
    """Share of the time in which the rate rises from 0."""
    decay: float = 0.35
    """Share of the time in which it falls back to 0."""
    attention: Literal["auto", "flex", "sdpa"] = "auto"
    """`auto`: blocks on an accelerator if they work there, else the plain mask."""
    device: str = "auto"
    precision: Literal["auto", "bf16", "fp32"] = "auto"
    """Of activations and products; `auto` is bf16 on an accelerator, fp32 elsewhere."""
    compiled: bool | None = None
    """`torch.compile`; by default on an accelerator only."""
    workers: int = 0
    """Processes that generate; 0 generates in the training process."""

    def __post_init__(self) -> None:
        if self.seconds <= 0 or self.batch < 1 or self.workers < 0:
            raise ValueError(f"A run needs seconds above 0, a batch of at least 1, workers from 0; got {self}.")
        if not 0 <= self.warm_up + self.decay <= 1:
            raise ValueError(
                f"Warm-up {self.warm_up} and decay {self.decay} are shares of the time and must fit into 1."
            )

    def factor(self, passed: float) -> float:
        """The learning rate's factor when that share of the time has passed: up, level, down to 0."""
        rising = passed / self.warm_up if self.warm_up else 1.0
        falling = (1 - passed) / self.decay if self.decay else 1.0
        return max(0.0, min(1.0, rising, falling))

    def describe(self) -> dict[str, Any]:
        """The recipe as JSON says it."""
        return asdict(self)
