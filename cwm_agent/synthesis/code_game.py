"""A game whose rules are any source code: its functions run in the sandbox, and their answers are cached.

What the code cannot answer (an exception, a hang, an answer of the wrong shape) counts as an end that is worth nothing,
so a search in a faulty model goes on; `failures` counts them by function. A faulty model may never end a game: give
the most moves, so that a search does not follow it for long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from random import Random
from types import TracebackType
from typing import Any

from cwm_agent.synthesis.trajectories import plain
from envs.execution.sandbox.call_results import read_call_result
from envs.execution.sandbox.call_values import value_of
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits, Session
from envs.games.rule_server import NAME
from planners.errors import NoParticles
from planners.players.game import LONGEST

_LIMITS = SandboxLimits(wall_s=2.0, cpu_s=2.0)
FAILED = "failed"
"""The state after a move that the code could not make."""


class CodeGame:
    """A synthesised game; close it, or use `with`."""

    highest = float("inf")

    def __init__(self, source: str, players: int, sandbox: Sandbox, *, longest: int = LONGEST) -> None:
        self.source, self.players, self.longest = source, players, longest
        self.failures: Counter[str] = Counter()
        self._sandbox = sandbox
        self._session: Session | None = None
        self._known: dict[str, Any] = {}
        self.reached: dict[Any, None] = {}
        """States whose actions were asked for, in order: those that a search in this model reached."""

    def __enter__(self) -> CodeGame:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the fork that runs the code."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def initial(self) -> Any:
        return self._answer("initial()", FAILED)

    def legal(self, state: Any) -> tuple[int | None, Sequence[Any]]:
        if state == FAILED:
            return None, ()
        self.reached[state] = None
        turn = self._answer(f"legal({state!r})", None)
        if not _is_turn(turn, self.players):
            self.failures["legal"] += turn is not None
            return None, ()
        return turn[0], turn[1]

    def step(self, state: Any, action: Any) -> Any:
        call = f"step({state!r}, {action!r})"
        if call not in self._known:
            player, actions = self.legal(state)
            offered = [each[0] for each in actions] if player is None else actions
            self._ask([f"step({state!r}, {each!r})" for each in offered] + [call])
        after = self._answer(call, FAILED)
        return after if isinstance(after, Hashable) else FAILED

    def observe(self, state: Any, player: int) -> Any:
        if state == FAILED:
            return FAILED
        seen = self._answer(f"observe({state!r}, {player})", FAILED)
        return seen if isinstance(seen, Hashable) else FAILED

    def returns(self, state: Any) -> Sequence[float]:
        nothing = (0.0,) * self.players
        found = nothing if state == FAILED else self._answer(f"returns({state!r})", nothing)
        return found if _is_returns(found, self.players) else nothing

    def _answer(self, call: str, otherwise: Any) -> Any:
        if call not in self._known:
            self._ask([call])
        kind, value = self._known[call]
        if kind == "failed":
            self.failures[call.partition("(")[0]] += 1
            return otherwise
        return value

    def _ask(self, calls: Sequence[str]) -> None:
        """Get the answers to calls in one request; where the code ends its process, each call is asked alone."""
        new = [call for call in dict.fromkeys(calls) if call not in self._known]
        answers = self._request(new) if new else []
        if answers is None:
            for call in new:
                alone = self._request([call])
                self._known[call] = ("failed", None) if alone is None else _read(alone[0])
            return
        self._known.update(zip(new, map(_read, answers), strict=True))

    def _request(self, calls: list[str]) -> list[Any] | None:
        if self._session is None:
            self._session = self._sandbox.session(NAME, self.source, limits=_LIMITS)
        answers = self._session.request(calls)
        if not isinstance(answers, list) or len(answers) != len(calls):
            self.close()
            return None
        return answers


class HiddenCodeGame(CodeGame):
    """A synthesised game with hidden information, whose source also has an inference function."""

    def infer(self, observation: Any, player: int, rng: Random) -> Any:
        """Return a state that explains the observation, by the model's own `infer`; NoParticles if it finds none."""
        answers = self._request([f"infer({observation!r}, {player}, {rng.randrange(2**30)})"])
        kind, state = ("failed", None) if answers is None else _read(answers[0])
        if kind == "failed" or state is None:
            self.failures["infer"] += 1
            raise NoParticles(f"The synthesised game explains nothing that player {player} saw: {observation!r:.200}")
        return state


def open_game(source: str, players: int, sandbox: Sandbox, *, longest: int = LONGEST) -> CodeGame:
    """Return the game of a source, with its inference function where it has one."""
    kind = HiddenCodeGame if "def infer(" in source else CodeGame
    return kind(source, players, sandbox, longest=longest)


def _read(message: Any) -> tuple[str, Any]:
    try:
        return "value", plain(value_of(read_call_result(message)))
    except ValueError:
        return "failed", None


def _is_turn(turn: Any, players: int) -> bool:
    if not isinstance(turn, tuple) or len(turn) != 2 or not isinstance(turn[1], (list, tuple)):
        return False
    player, actions = turn
    if player is None:
        return all(isinstance(each, tuple) and len(each) == 2 and isinstance(each[1], float) for each in actions)
    return isinstance(player, int) and 0 <= player < players and all(isinstance(each, Hashable) for each in actions)


def _is_returns(found: Any, players: int) -> bool:
    return (
        isinstance(found, (list, tuple))
        and len(found) == players
        and all(isinstance(each, (int, float)) and abs(each) < 1e9 for each in found)
    )
