"""A worker's end of the service: an oracle that sends its queries to a replica, and the names that are served here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cwm_agent.oracles.protocol import BackendFailed, Oracle, OracleError, Prediction, Query

_SERVED: dict[str, Oracle] = {}
"""Oracles that replicas hold for this process, by the name of the command line."""


def served(text: str) -> Oracle | None:
    """The oracle that replicas hold under a name; None where this process opens its own."""
    return _SERVED.get(text)


def serve_from(text: str, oracle: Oracle) -> None:
    """Let this process ask replicas wherever it names this oracle."""
    _SERVED[text] = oracle


class ServedOracle:
    """Asks one replica; a batch is one message each way.

    Answers come as whole batches, never as a stream: the order in which a shared replica is ready depends on what
    others ask, and a search must not.
    """

    def __init__(self, replica: Any) -> None:
        self._replica = replica
        self._name, self._deterministic = self._fetched(replica.description.remote())

    @property
    def name(self) -> str:
        found: str = self._name
        return found

    @property
    def deterministic(self) -> bool:
        return bool(self._deterministic)

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        if not queries:
            return []
        found: list[Prediction] = self._fetched(self._replica.imagine.remote(list(queries)))
        return found

    def _fetched(self, reference: Any) -> Any:
        """What a replica returns; Ray starts a replica that died anew and asks it again."""
        import ray

        try:
            return ray.get(reference)
        except OracleError:  # of the replica's oracle itself
            raise
        except ray.exceptions.RayError as error:
            reason = " ".join(str(error).split())[:300]
            raise BackendFailed(f"The oracle's replica cannot answer: {reason} The same command goes on.") from error
