"""Unit tests of a game's functions, made from transitions; each transition gives one test for each function."""

from __future__ import annotations

from collections.abc import Sequence

from cwm_agent.synthesis.trajectories import Transition
from tasks.task import CallTest


def rule_tests(transitions: Sequence[Transition]) -> dict[str, tuple[CallTest, ...]]:
    """Return the different tests of each function, in the order of the transitions."""
    calls: dict[str, dict[str, str]] = {name: {} for name in ("initial", "legal", "step", "observe", "returns")}
    if transitions:
        calls["initial"][""] = repr(transitions[0].state)
    for each in transitions:
        state = repr(each.state)
        calls["legal"][state] = repr(each.turn)
        for player, seen in enumerate(each.observations):
            calls["observe"][f"{state}, {player}"] = repr(seen)
        calls["returns"][state] = repr(each.returns)
        if each.after is not None:
            calls["step"][f"{state}, {each.action!r}"] = repr(each.after)
    return {name: tuple(CallTest(call, value) for call, value in found.items()) for name, found in calls.items()}
