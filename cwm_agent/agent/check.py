"""Does a domain keep its protocol? `check_domain(kind, path)` raises with all that is wrong; run it on your own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from cwm_agent.agent.budget import Budget, Spending
from cwm_agent.agent.domain import (
    Correction,
    Domain,
    DomainError,
    DomainKind,
    Streams,
    checked_findings,
    checked_tasks,
    expected,
    opened,
)
from cwm_agent.agent.episodes.episode import RealRun
from cwm_agent.agent.loop import solve_task
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from planners import Leaf, Step

ROUNDS = 1_000
"""Calls of `imagine` within which a few leaves must be answered."""


def check_domain(kind: DomainKind, path: str, settings: Settings | None = None) -> None:
    """Raise DomainError with what is wrong with a domain; return None where it keeps its protocol.

    Checked: the kind loads tasks with different ids and opens them; `start` gives a Step; `actions` gives the same
    sequence when asked again; every leaf is answered once, with a Step or a refusal; a prior has one entry per action;
    `act` charges an execution and gives a RealRun; `learn` gives a Step; two episodes with one seed are equal.
    """
    settings = replace(settings or Settings(oracle="exact", ceiling=True), budget=Budget(executions=5, seconds=30.0))
    name, tasks = type(kind).__name__, checked_tasks(kind, path)
    if not tasks:
        raise DomainError(f"{name}.load({path!r}) returned no task; expected at least one to check.")
    with Workplace(settings) as workplace:
        _check_open(kind, tasks[0], workplace)
    episodes = [_solved(kind, tasks[0], settings) for _ in range(2)]
    if episodes[0] != episodes[1]:
        raise DomainError(
            f"{name} gave two different episodes of {tasks[0].id!r} with one seed: {episodes[0]!r:.100} and "
            f"{episodes[1]!r:.100}; expected all chance to come from the seed of the settings."
        )


def _check_open(kind: DomainKind, task: Any, workplace: Workplace) -> None:
    domain = opened(kind, task, workplace)
    root = expected(domain, "start", domain.start(Spending()), Step)
    if root.end is not None:
        return
    actions = _actions(domain, root.state)
    if root.prior is not None and len(root.prior) != len(actions):
        raise DomainError(
            f"{type(domain).__name__}.start gave a prior of {len(root.prior)} entries for {len(actions)} actions; "
            "expected one per action."
        )
    _check_leaves(domain, root, actions)


def _actions(domain: Domain[Any, Any], state: Any) -> Sequence[Any]:
    actions: object = domain.actions(state)
    if not isinstance(actions, Sequence):
        raise DomainError(f"{type(domain).__name__}.actions returned {actions!r:.80}; expected a list or tuple.")
    if list(actions) != list(domain.actions(state)):
        raise DomainError(
            f"{type(domain).__name__}.actions returned another list when asked again; expected a fixed order."
        )
    return actions


def _check_leaves(domain: Domain[Any, Any], root: Step[Any], actions: Sequence[Any]) -> None:
    """Imagine a few leaves until each is answered once."""
    name, chosen = type(domain).__name__, Random(0).sample(list(actions), min(3, len(actions)))
    leaves = [Leaf(ticket, root.state, action) for ticket, action in enumerate(chosen)]
    if isinstance(domain, Streams) and domain.room() < 1:
        raise DomainError(f"{name}.room() is {domain.room()} at the start; expected room for at least one leaf.")
    answered: list[int] = []
    for turn in range(ROUNDS):
        findings = checked_findings(domain, domain.imagine(leaves if turn == 0 else ()))
        answered += [found[0].ticket for found in findings if not isinstance(found, Correction)]
        if len(answered) >= len(leaves):
            break
    if sorted(answered) != list(range(len(leaves))):
        raise DomainError(
            f"{name}.imagine answered tickets {sorted(answered)} for {len(leaves)} leaves; expected each once."
        )


def _solved(kind: DomainKind, task: Any, settings: Settings) -> tuple[object, ...]:
    """What one episode of a task comes to, without its times."""
    with Workplace(settings) as workplace:
        found = solve_task(task.id, opened(kind, task, workplace), workplace.planner(kind), settings)
    runs: tuple[RealRun, ...] = found.runs
    return found.solved, found.patch, runs, found.executions
