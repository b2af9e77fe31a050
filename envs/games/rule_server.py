"""Answers calls of a game's source inside the sandbox, request after request; runs there only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from envs.execution.sandbox.call_runner import attempt, evaluate, load

NAME = "envs.games.rule_server:serve"


def serve(source: str) -> Callable[[list[str]], list[dict[str, Any]]]:
    """Return the function that evaluates a list of calls over the program's names."""
    namespace: dict[str, Any] = {}
    loaded = attempt(lambda: namespace.update(load(source)))

    def answer(calls: list[str]) -> list[dict[str, Any]]:
        if "raised" in loaded:
            return [loaded for _ in calls]
        return [attempt(lambda call=call: evaluate(call, namespace)) for call in calls]  # type: ignore[misc]

    return answer
