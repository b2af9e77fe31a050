"""No imagination: the control in every experiment. Every query stays unanswered, so planners fall back on priors."""

from collections.abc import Sequence

from cwm_agent.oracles.protocol import Malformed, Prediction, Query


class NoOracle:
    """Answers nothing, at no cost."""

    @property
    def name(self) -> str:
        return "none"

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [Prediction(Malformed("", "no oracle")) for _ in queries]
