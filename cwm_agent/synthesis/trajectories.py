"""Trajectories of games: every state with its rules as they were seen, recorded, written, read and checked.

A row is one state: the player to move and its actions, the action taken, the state that followed, what each player
saw, and the returns. Values are written as Python literals, so that a row becomes a unit test of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from cwm_agent.records.jsonl_file import JsonlFile, numbered_rows
from planners.players.game import LONGEST, Chooser, Game, draw_chance, never_ends


class BadTrajectories(ValueError):
    """Trajectories that cannot be read, or that contradict each other; the message names the lines."""


@dataclass(frozen=True, slots=True)
class Transition:
    """One state of a game, and what was done in it."""

    state: Any
    turn: tuple[int | None, list[Any]]
    observations: tuple[Any, ...]
    """What each player has seen."""
    returns: tuple[float, ...]
    action: Any = None
    after: Any = None
    """The state after the action; None at the end of the game, where nothing was done."""
    line: int = 0
    """Line of the file, from 1."""


def plain(value: Any) -> Any:
    """Return a value with named tuples as tuples, so that its text is a literal."""
    if isinstance(value, tuple):
        return tuple(plain(each) for each in value)
    return [plain(each) for each in value] if isinstance(value, list) else value


def longest_game(transitions: Sequence[Transition]) -> int:
    """Return the number of states of the longest game; where no end is recorded, all count as one game."""
    longest = length = 1
    for each in transitions:
        length = 1 if each.action is None else length + 1
        longest = max(longest, length)
    return longest


def record_games(
    game: Game[Any, Any], choosers: Sequence[Chooser[Any, Any]], games: int, rng: Random
) -> list[Transition]:
    """Return the transitions of so many games between these players, the end of each included."""
    found: list[Transition] = []
    for _ in range(games):
        state = game.initial()
        for _ in range(LONGEST):
            player, actions = game.legal(state)
            action = None
            if actions:
                action = draw_chance(actions, rng) if player is None else choosers[player](state, rng)
            found.append(seen_transition(game, state, action, line=len(found) + 1))
            if not actions:
                break
            state = game.step(state, action)
        else:
            raise never_ends(game)
    return found


def seen_transition(game: Game[Any, Any], state: Any, action: Any, line: int = 0) -> Transition:
    """Return what a game says of one state and one action in it; of None, nothing was done."""
    player, actions = game.legal(state)
    return Transition(
        plain(state),
        (player, plain(list(actions))),
        tuple(plain(game.observe(state, watcher)) for watcher in range(game.players)),
        tuple(float(each) for each in game.returns(state)),
        action=action,
        after=plain(game.step(state, action)) if actions else None,
        line=line,
    )


def write_trajectories(path: Path, transitions: Iterable[Transition]) -> None:
    """Write one row for each transition."""
    with JsonlFile(path) as file:
        for each in transitions:
            fields = ("state", "turn", "observations", "returns", "action", "after")
            file.append({name: repr(getattr(each, name)) for name in fields})


def read_trajectories(path: Path) -> list[Transition]:
    """Read what `write_trajectories` wrote; BadTrajectories names the line of a bad or contradicting row."""
    found = []
    for number, row in numbered_rows(path):
        if isinstance(row, str):
            raise BadTrajectories(f"{path}:{number} {row}.")
        found.append(_read(path, number, row))
    check_consistent(found, str(path))
    return found


def _read(path: Path, number: int, row: dict[str, Any]) -> Transition:
    try:
        values = {name: ast.literal_eval(row[name]) for name in ("state", "turn", "observations", "returns")}
        values |= {name: ast.literal_eval(row[name]) for name in ("action", "after")}
        _, actions = values["turn"]
        if not isinstance(actions, list) or not isinstance(values["observations"], tuple):
            raise ValueError("turn is no (player, [actions]), or observations are no tuple")
    except (KeyError, ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise BadTrajectories(
            f"{path}:{number} is no transition ({type(error).__name__}: {error!s:.100}); "
            "rows hold state, turn, observations, returns, action and after as Python literals."
        ) from error
    return Transition(**values, line=number)


def check_consistent(transitions: Iterable[Transition], name: str = "line") -> None:
    """Raise BadTrajectories with both lines where two rows say different things of one state or move."""
    states: dict[str, Transition] = {}
    moves: dict[tuple[str, str], Transition] = {}
    for each in transitions:
        first = states.setdefault(repr(each.state), each)
        if (first.turn, first.observations, first.returns) != (each.turn, each.observations, each.returns):
            raise BadTrajectories(
                f"{name}:{each.line} contradicts line {first.line}: the same state {each.state!r:.100} has other "
                "actions, observations or returns. A game's state must hold all that its rules depend on."
            )
        if each.after is None:
            continue
        moved = moves.setdefault((repr(each.state), repr(each.action)), each)
        if moved.after != each.after:
            raise BadTrajectories(
                f"{name}:{each.line} contradicts line {moved.line}: action {each.action!r:.50} leads to "
                f"{each.after!r:.100} and to {moved.after!r:.100}. Let chance have a move of its own."
            )
