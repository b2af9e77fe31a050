"""`Recipe`: all settings of a training run as one frozen value, with its learning-rate schedule; imports no torch."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from cwm_agent.training.example import Share, SourceError


class BadRecipe(ValueError):
    """Settings with which no training run is possible; the message says what to change."""


@dataclass(frozen=True, slots=True)
class DataMix:
    """Sources with their shares, row length and seed."""

    shares: tuple[Share, ...]
    length: int = 4096
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.shares:
            raise SourceError("Training needs at least one source; give it as NAME=module:function.")
        if not 8 <= self.length < 2**15:
            raise BadRecipe(f"Rows of {self.length} tokens cannot be packed; choose from 8 to {2**15 - 1}.")


@dataclass(frozen=True, slots=True)
class Recipe:
    """All settings of a run; saved as JSON beside its result."""

    data_mix: DataMix
    """Sources and their shares; its key in JSON is `diet`."""
    size: str = "main"
    seconds: float = 480.0
    """Training time after the first step, so that compilation is not included."""
    deadline: float | None = None
    """Seconds after the start by which training must stop, compilation included; may shorten `seconds`."""
    batch: int = 32
    """Rows per step."""
    rate: float = 4e-3
    """Highest learning rate of Muon."""
    adam_rate: float = 2e-3
    """Highest learning rate of AdamW, for embedding, head, gains and convolutions."""
    weight_decay: float = 0.1
    """Weight decay of matrices, times the learning rate."""
    clip: float = 1.0
    """Largest norm of the whole gradient."""
    query_weight: float = 0.1
    """Weight of the loss on tokens outside answers."""
    hard_rows: int = 0
    """Most rows of a batch with examples that the network got wrong some hundred steps before."""
    warm_up: float = 0.03
    """Share of the time in which the learning rate rises from 0."""
    decay: float = 0.35
    """Share of the time in which the learning rate falls."""
    rate_left: float = 0.0
    """Share of the highest rate that is left at the end, so that several runs can share one fall: 0.6, then 0."""
    attention: Literal["auto", "flex", "sdpa"] = "auto"
    """`auto`: block-sparse attention on an accelerator if it works there, otherwise a plain mask."""
    device: str = "auto"
    precision: Literal["auto", "bf16", "fp32"] = "auto"
    """Type of activations and products; `auto` is bf16 on an accelerator, fp32 elsewhere."""
    rounded: bool = False
    """Whether products round to int8 as the engine does on a CPU, so that answers depend on it less."""
    compiled: bool | None = None
    """Whether to use `torch.compile`; by default only on an accelerator."""
    workers: int = 0
    """Processes that generate examples; 0 generates them in the training process."""
    checkpoints: tuple[float, ...] = ()
    """Shares of the time after which the weights are kept in a folder of their own."""

    def __post_init__(self) -> None:
        if self.seconds <= 0 or self.batch < 1 or self.workers < 0:
            raise BadRecipe(
                f"A run needs seconds above 0, a batch of at least 1 and workers from 0; got seconds={self.seconds}, "
                f"batch={self.batch}, workers={self.workers}."
            )
        if not all(0 < share <= 1 for share in self.checkpoints):
            raise BadRecipe(f"Checkpoints are shares of the time, above 0 and at most 1; got {self.checkpoints}.")
        if not 0 <= self.hard_rows < self.batch:
            raise BadRecipe(f"Of {self.batch} rows 0 to {self.batch - 1} can be shown again; got {self.hard_rows}.")
        if not 0 <= self.rate_left <= 1:
            raise BadRecipe(f"The rate that is left at the end is a share, from 0 to 1; got {self.rate_left}.")
        if not 0 <= self.warm_up + self.decay <= 1:
            raise BadRecipe(
                f"Warm-up {self.warm_up} and decay {self.decay} are shares of the time and must fit into 1; "
                "lower one of them."
            )

    def factor(self, passed: float) -> float:
        """Factor of the learning rate after that share of the time: rises, stays at 1, falls to what is left."""
        rising = passed / self.warm_up if self.warm_up else 1.0
        ahead = (1 - passed) / self.decay if self.decay else 1.0
        falling = self.rate_left + (1 - self.rate_left) * ahead
        return max(0.0, min(1.0, rising, falling))

    def describe(self) -> dict[str, Any]:
        """The recipe as JSON."""
        fields = asdict(self)
        return {"diet": fields.pop("data_mix"), **fields}
