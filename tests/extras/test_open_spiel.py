"""Games go both ways between OpenSpiel and us, and both say the same of the same game."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import exploitability as spiel_exploitability
from open_spiel.python.algorithms import ismcts, mcts
from open_spiel.python.policy import UniformRandomPolicy

from envs.errors import BadEnvOption
from envs.games.game_registry import make_game
from envs.games.spiel_export import to_open_spiel
from envs.games.spiel_games import SpielGame
from planners import ISMCTS, GameMCTS, check_game, play
from planners.players.exact_games import exploitability, information_sets, uniform_policy
from planners.players.game import choose_randomly


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "kuhn_poker", "leduc_poker", "hex(board_size=3)"])
def test_games_of_open_spiel_keep_our_protocol(name: str) -> None:
    check_game(SpielGame(name), playouts=5)


@pytest.mark.parametrize(("ours", "theirs"), [("kuhn", "kuhn_poker"), ("leduc", "leduc_poker")])
def test_our_poker_is_theirs(ours: str, theirs: str) -> None:
    """The same exploitability of the uniform policy, computed by them on theirs and by us on ours."""
    game = pyspiel.load_game(theirs)
    expected = spiel_exploitability.exploitability(game, UniformRandomPolicy(game))
    assert exploitability(make_game(ours), uniform_policy) == pytest.approx(expected)


def test_our_solver_says_of_their_game_what_it_says_of_ours() -> None:
    assert exploitability(SpielGame("kuhn_poker"), uniform_policy) == pytest.approx(
        exploitability(make_game("kuhn"), uniform_policy)
    )
    assert len(information_sets(SpielGame("leduc_poker"))) >= 288


@pytest.mark.parametrize(("ours", "theirs"), [("tic-tac-toe", "tic_tac_toe"), ("connect-four", "connect_four")])
def test_our_boards_follow_their_rules(ours: str, theirs: str) -> None:
    """The same random moves: the same actions, players and returns at every state."""
    game, other, rng = make_game(ours), pyspiel.load_game(theirs), Random(0)
    for _ in range(20):
        state, native = game.initial(), other.new_initial_state()
        while not native.is_terminal():
            assert game.legal(state) == (native.current_player(), native.legal_actions())
            action = rng.choice(native.legal_actions())
            state = game.step(state, action)
            native.apply_action(action)
        assert game.legal(state)[1] == []
        assert list(game.returns(state)) == native.returns()


@pytest.mark.parametrize("name", ["tic-tac-toe", "kuhn", "leduc", "millrace"])
def test_their_bots_play_our_games(name: str) -> None:
    game = to_open_spiel(make_game(name), f"ours_{name.replace('-', '_')}")
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    bots = [mcts.MCTSBot(game, 2.0, 20, evaluator, random_state=np.random.RandomState(seed)) for seed in range(2)]
    returns = _played(game, bots)
    assert sum(returns) == 0.0


def test_their_exploitability_of_our_exported_poker_is_right() -> None:
    game = to_open_spiel(make_game("kuhn"), "ours_kuhn_again", lowest=-2.0)
    found = spiel_exploitability.nash_conv(game, UniformRandomPolicy(game)) / 2
    assert found == pytest.approx(exploitability(make_game("kuhn"), uniform_policy))


def _played(game: Any, bots: list[Any]) -> list[float]:
    state, rng = game.new_initial_state(), Random(0)
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice(state.chance_outcomes())[0])
        else:
            state.apply_action(bots[state.current_player()].step(state))
    return list(state.returns())


def test_our_searches_play_their_games() -> None:
    board = SpielGame("tic_tac_toe")
    planner = GameMCTS(simulations=100)
    assert play(board, [lambda s, r: planner.choose(board, s, r), choose_randomly(board)], Random(0))[0] >= 0
    hidden = SpielGame("leduc_poker")
    searcher = ISMCTS(simulations=30)
    assert sum(play(hidden, [lambda s, r: searcher.choose(hidden, s, r), choose_randomly(hidden)], Random(0))) == 0


def test_hidden_hands_of_gin_rummy_are_inferred_and_searched() -> None:
    """A choice in the middle of a hand, from what the player has seen; playouts are cut by the game's own length."""
    game, rng = SpielGame("gin_rummy"), Random(0)
    state = game.initial()
    for _ in range(40):
        player, actions = game.legal(state)
        state = game.step(state, rng.choice(actions)[0] if player is None else rng.choice(actions))
    while (turn := game.legal(state))[0] is None:
        state = game.step(state, rng.choice(turn[1])[0])
    assert ISMCTS(simulations=3).choose(game, state, rng) in turn[1]


def test_games_that_cannot_be_ours_are_named() -> None:
    with pytest.raises(BadEnvOption, match="cannot load"):
        make_game("spiel:no_such_game")
    with pytest.raises(BadEnvOption, match="simultaneous"):
        make_game("spiel:goofspiel")


def test_their_ismcts_and_ours_agree_on_a_clear_hand() -> None:
    """With the best card a bet is called."""
    native = pyspiel.load_game("kuhn_poker").new_initial_state()
    for action in (0, 2, 1):
        native.apply_action(action)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    game = pyspiel.load_game("kuhn_poker")
    bot = ismcts.ISMCTSBot(game, evaluator, 2.0, 200, random_state=np.random.RandomState(0))
    ours = SpielGame("kuhn_poker")
    state = ours.initial()
    for action in (0, 2, 1):
        state = ours.step(state, action)
    assert bot.step(native) == ISMCTS(simulations=200).choose(ours, state, Random(0)) == 1
