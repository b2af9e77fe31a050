"""OpenSpiel's searches beside ours: matches at equal simulations, and the cost of search apart from the game."""

from __future__ import annotations

from random import Random
from time import perf_counter, process_time
from typing import Any

from envs.games.game_registry import make_game
from envs.games.spiel_games import SpielGame
from planners import ISMCTS, GameMCTS
from planners.players.exact_games import exploitability, information_sets

UCT = 1.4
BOARDS = {"tic-tac-toe": "tic_tac_toe", "connect-four": "connect_four"}
POKER = {"kuhn": "kuhn_poker", "leduc": "leduc_poker"}


class ConstantEvaluator:
    """Values every state by nothing: what is left is the search."""

    def evaluate(self, state: Any) -> Any:
        import numpy

        return numpy.zeros(2)

    def prior(self, state: Any) -> list[tuple[int, float]]:
        actions = state.legal_actions()
        return [(action, 1.0 / len(actions)) for action in actions]


def spiel_mcts(name: str, simulations: int, seed: int, *, constant: bool = False) -> Any:
    """Return OpenSpiel's Python MCTS with one random rollout, or a constant, as the evaluator."""
    import numpy
    import pyspiel
    from open_spiel.python.algorithms import mcts

    luck = numpy.random.RandomState(seed)
    evaluator = ConstantEvaluator() if constant else mcts.RandomRolloutEvaluator(1, luck)
    return mcts.MCTSBot(pyspiel.load_game(name), UCT, simulations, evaluator, random_state=luck)


def spiel_ismcts(name: str, simulations: int, seed: int, *, mixed: bool = False, constant: bool = False) -> Any:
    """Return OpenSpiel's Python ISMCTS with one random rollout, or a constant, as the evaluator."""
    import numpy
    import pyspiel
    from open_spiel.python.algorithms import ismcts, mcts

    luck = numpy.random.RandomState(seed)
    kinds = ismcts.ISMCTSFinalPolicyType
    return ismcts.ISMCTSBot(
        pyspiel.load_game(name),
        ConstantEvaluator() if constant else mcts.RandomRolloutEvaluator(1, luck),
        2.0,
        simulations,
        random_state=luck,
        final_policy_type=kinds.NORMALIZED_VISITED_COUNT if mixed else kinds.MAX_VISIT_COUNT,
    )


def match(game: str, simulations: int, seed: int) -> float:
    """Return our return in one game against OpenSpiel's search; the seed decides who begins."""
    if game in BOARDS:
        return _board_match(game, simulations, seed)
    return _poker_match(POKER[game], simulations, seed)


def _board_match(name: str, simulations: int, seed: int) -> float:
    import pyspiel

    game, native = make_game(name), pyspiel.load_game(BOARDS[name]).new_initial_state()
    bot, ours = spiel_mcts(BOARDS[name], simulations, seed), seed % 2
    planner, rng, state = GameMCTS(simulations=simulations, exploration=UCT), Random(seed), game.initial()
    while not native.is_terminal():
        mine = native.current_player() == ours
        action = planner.choose(game, state, rng) if mine else bot.step(native)
        state = game.step(state, action)
        native.apply_action(action)
    return float(native.returns()[ours])


def _poker_match(name: str, simulations: int, seed: int) -> float:
    game, ours = SpielGame(name), seed % 2
    bot = spiel_ismcts(name, simulations, seed)
    planner, rng, state = ISMCTS(simulations=simulations, exploration=2.0), Random(seed), game.initial()
    deal = Random(seed // 2)  # both places of a pair get the same cards
    while not state.native.is_terminal():
        player, actions = game.legal(state)
        if player is None:
            action = deal.choice(actions)[0]
        else:
            action = planner.choose(game, state, rng) if player == ours else bot.step(state.native)
        state = game.step(state, action)
    return float(state.native.returns()[ours])


LONGEST_CALL = 50e-6
"""Longer calls count as this many seconds: the process was interrupted in them."""


class Clock:
    """Seconds spent in calls of a game."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def count(self, begun: float) -> None:
        """Count a call that began at this time and ends now."""
        self.seconds += min(LONGEST_CALL, perf_counter() - begun)


class TimedState:
    """A state of OpenSpiel whose calls are timed."""

    def __init__(self, native: Any, clock: Clock) -> None:
        self._native, self._clock = native, clock

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._native, name)

        def call(*given: Any) -> Any:
            begun = perf_counter()
            found = method(*given)
            self._clock.count(begun)
            return TimedState(found, self._clock) if name in ("clone", "resample_from_infostate") else found

        return call


class TimedGame:
    """One of our games whose calls are timed."""

    def __init__(self, game: Any, clock: Clock) -> None:
        self.players, self.highest = game.players, game.highest
        for name in ("initial", "legal", "step", "observe", "returns", "infer"):
            if hasattr(game, name):
                setattr(self, name, _timed(getattr(game, name), clock))


def _timed(method: Any, clock: Clock) -> Any:
    def call(*given: Any) -> Any:
        begun = perf_counter()
        found = method(*given)
        clock.count(begun)
        return found

    return call


def _nothing(game: Any, state: Any, turn: Any, rng: Random) -> tuple[float, float]:
    return 0.0, 0.0


ROUNDS = 5


def search_cost(game: str, simulations: int, *, constant: bool) -> dict[str, float]:
    """Return microseconds a simulation of ours and OpenSpiel's search: whole, and apart from the game's own calls.

    Trees are not solved, so that all simulations run; the least processor time of five runs counts.
    """
    found: dict[str, float] = {}
    for name, timed in (("ours", _our_seconds), ("open_spiel", _spiel_seconds)):
        whole = min(timed(game, simulations, None, constant=constant) for _ in range(ROUNDS))
        clocks = [Clock() for _ in range(ROUNDS)]
        for clock in clocks:
            timed(game, simulations, clock, constant=constant)
        own = min(clock.seconds for clock in clocks)
        found[name], found[f"{name} search"] = whole * 1e6 / simulations, (whole - own) * 1e6 / simulations
    return found | {"share": found["ours search"] / found["open_spiel search"]}


def _our_seconds(name: str, simulations: int, clock: Clock | None, *, constant: bool) -> float:
    game = make_game(name)
    played: Any = game if clock is None else TimedGame(game, clock)
    state, rng = _after_deal(game), Random(0)
    more: dict[str, Any] = {"evaluator": _nothing} if constant else {}
    if name in BOARDS:
        search: Any = GameMCTS(simulations=simulations, exploration=UCT, solve=False, **more).search(played, state, rng)
    else:
        player = game.legal(state)[0]
        search = ISMCTS(simulations=simulations, **more).search(played, game.observe(state, player), player, rng)
    begun = process_time()
    search.run()
    return process_time() - begun


def _after_deal(game: Any) -> Any:
    state = game.initial()
    while (turn := game.legal(state))[0] is None:
        state = game.step(state, turn[1][0][0])
    return state


def _spiel_seconds(name: str, simulations: int, clock: Clock | None, *, constant: bool) -> float:
    import pyspiel

    native = pyspiel.load_game((BOARDS | POKER)[name]).new_initial_state()
    while native.is_chance_node():
        native.apply_action(native.chance_outcomes()[0][0])
    state = native if clock is None else TimedState(native, clock)
    if name in BOARDS:
        bot = spiel_mcts(BOARDS[name], simulations, 0, constant=constant)
        bot.solve = False
        search = bot.mcts_search
    else:
        search = spiel_ismcts(POKER[name], simulations, 0, constant=constant).run_search
    begun = process_time()
    search(state)
    return process_time() - begun


def poker_exploitability(name: str, simulations: int, seed: int) -> float:
    """Return the exploitability of our ISMCTS on our game, searched anew in every information set."""
    return _exploitability(make_game(name), simulations, seed)


def same_game_exploitability(name: str, simulations: int, seed: int) -> float:
    """Return the same on OpenSpiel's game, whose information sets may be finer."""
    return _exploitability(SpielGame(POKER[name]), simulations, seed)


def _exploitability(game: Any, simulations: int, seed: int) -> float:
    planner = ISMCTS(simulations=simulations, exploration=2.0, final="mixed")
    policy = {
        (player, seen): [share for _, share in planner.policy(game, seen, player, Random(f"{seed} {player} {seen}"))]
        for player, seen in information_sets(game)
    }
    return exploitability(game, lambda player, seen, actions: policy[player, seen])


def spiel_exploitability(name: str, simulations: int, seed: int) -> float:
    """Return the same of OpenSpiel's ISMCTS, on its own game, by our best response."""
    game = SpielGame(POKER[name])
    bot = spiel_ismcts(POKER[name], simulations, seed, mixed=True)
    policy: dict[Any, list[float]] = {}

    def of(player: int, seen: Any, actions: Any) -> list[float]:
        if seen not in policy:
            bot.reset()
            shares = dict(bot.get_policy(seen.native))
            policy[seen] = [shares.get(action, 0.0) for action in actions]
        return policy[seen]

    return exploitability(game, of)
