"""Search in games: MCTS plays tic-tac-toe like minimax, ISMCTS plays Kuhn poker near its equilibrium, bad games say why."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest

from envs.errors import BadEnvOption
from envs.games.game_registry import GAMES, make_game
from envs.games.kuhn_poker import KuhnPoker
from envs.games.leduc_poker import LeducPoker
from envs.games.tic_tac_toe import TicTacToe
from planners import ISMCTS, BadGame, BadOption, GameMCTS, NoParticles, check_game, play
from planners.players.exact_games import (
    best_response,
    exploitability,
    information_sets,
    policy_returns,
    uniform_policy,
)
from planners.players.game import choose_randomly
from planners.players.inference import explaining_history, infer_state


def best_actions(game: TicTacToe, state: str) -> list[int]:
    """All actions that lose nothing when both players go on without a mistake."""

    @cache
    def returns(state: str) -> tuple[float, ...]:
        player, actions = game.legal(state)
        if not actions:
            return tuple(game.returns(state))
        return max((returns(game.step(state, action)) for action in actions), key=lambda found: found[player])

    player, actions = game.legal(state)
    return [action for action in actions if returns(game.step(state, action))[player] == returns(state)[player]]


@pytest.mark.parametrize("state", [".........", "x...o....", "xx.oo....", "xo..x....", "x.o.o.x.."])
def test_mcts_chooses_what_minimax_chooses(state: str) -> None:
    game = TicTacToe()
    assert GameMCTS(simulations=600).choose(game, state, Random(0)) in best_actions(game, state)


def test_mcts_never_loses_tic_tac_toe_to_a_random_player() -> None:
    game = TicTacToe()
    planner = GameMCTS(simulations=200)
    results = [
        play(game, [lambda s, r: planner.choose(game, s, r), choose_randomly(game)], Random(seed)) for seed in range(8)
    ]
    assert min(first for first, _ in results) >= 0.0


def test_a_proven_root_needs_no_more_simulations() -> None:
    search = GameMCTS(simulations=5000).search(TicTacToe(), "xx.oo....", Random(0)).run()
    assert search.root.proven == (1.0, -1.0)
    assert search.root.visits < 100
    assert search.best() == 2


class Auction:
    """Three players name 1 to 3 in turn, each for itself; player 2 wins 3 less what the others named."""

    players = 3

    def initial(self) -> tuple[int, ...]:
        return ()

    def legal(self, state: tuple[int, ...]) -> tuple[int | None, list[int]]:
        return (len(state), [1, 2, 3]) if len(state) < 3 else (None, [])

    def step(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        return (*state, action)

    def observe(self, state: tuple[int, ...], player: int) -> tuple[int, ...]:
        return state

    def returns(self, state: tuple[int, ...]) -> tuple[float, ...]:
        if len(state) < 3:
            return 0.0, 0.0, 0.0
        return float(state[0] - state[2]), float(state[1]), float(6 - sum(state[:2]))


def test_three_players_each_maximise_their_own_return() -> None:
    game = Auction()
    assert GameMCTS(simulations=300).choose(game, (), Random(0)) == 3
    assert GameMCTS(simulations=300, values="paranoid").search(game, (), Random(0)).run().value() == pytest.approx(
        0.0, abs=0.7
    )
    assert ISMCTS(simulations=300).choose(game, (3,), Random(0)) == 3
    check_game(game)


def test_the_known_numbers_of_kuhn_poker() -> None:
    """The best response to a uniform policy gains 0.5 and 0.4167; the value of the game for player 0 is -1/18."""
    game = KuhnPoker()
    assert best_response(game, uniform_policy, 0) == pytest.approx(0.5)
    assert best_response(game, uniform_policy, 1) == pytest.approx(5 / 12)
    assert policy_returns(game, uniform_policy)[0] == pytest.approx(0.125)
    assert len(information_sets(game)) == 12

    def equilibrium(player: int, seen: Any, actions: Any) -> list[float]:
        bets = {(0,): 0.0, (1,): 0.0, (2,): 0.0, (0, "p", "b"): 0.0, (1, "p", "b"): 1 / 3, (2, "p", "b"): 1.0}
        bets |= {(0, "b"): 0.0, (1, "b"): 1 / 3, (2, "b"): 1.0, (0, "p"): 1 / 3, (1, "p"): 0.0, (2, "p"): 1.0}
        return [1 - bets[seen], bets[seen]]

    assert exploitability(game, equilibrium) == pytest.approx(0.0, abs=1e-9)
    assert policy_returns(game, equilibrium)[0] == pytest.approx(-1 / 18)


def test_leduc_poker_has_its_known_number_of_information_sets() -> None:
    """288 information sets, ranks seen and suits not."""
    assert len(information_sets(LeducPoker())) == 288


def test_ismcts_is_little_exploitable_in_kuhn_poker() -> None:
    game = KuhnPoker()
    planner = ISMCTS(simulations=400, final="mixed")
    policy = {
        key: [p for _, p in planner.policy(game, key[1], key[0], Random(7))] for key in information_sets(game)
    }  # fmt: skip
    found = exploitability(game, lambda player, seen, actions: policy[player, seen])
    assert found < 0.5 * exploitability(game, uniform_policy)


def test_ismcts_never_folds_the_best_card_nor_calls_with_the_worst() -> None:
    game = KuhnPoker()
    for final in ("visits", "value"):
        planner = ISMCTS(simulations=300, final=final)  # type: ignore[arg-type]
        assert planner.choose(game, ((0, 2), "b"), Random(0)) == "b"
        assert planner.choose(game, ((2, 0), "b"), Random(0)) == "p"


def test_inferred_states_explain_what_was_seen_and_nothing_hidden() -> None:
    """The game's own inference, and the search for a history that games without one get, find the same deals."""
    game, rng = LeducPoker(), Random(0)
    state = ((0, 3, 4), "rc", "cr")
    seen = game.observe(state, 0)
    found = {infer_state(game, seen, 0, rng) for _ in range(300)}
    searched = {explaining_history(game, seen, 0, rng) for _ in range(300)}
    assert {game.observe(each, 0) for each in found} == {seen}
    assert {(cards[1] // 2, *moves) for cards, *moves in found} == {(c[1] // 2, *moves) for c, *moves in searched}
    assert len({cards[1] for cards, _, _ in found}) > 2
    with pytest.raises(NoParticles, match="contradicts the game's rules"):
        explaining_history(game, (1, "f"), 1, rng)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_a_games_own_inference_explains_every_observation(name: str) -> None:
    game, rng = make_game(name), Random(0)
    for player, seen in information_sets(game):
        state = game.infer(seen, player, rng)
        assert (game.legal(state)[0], game.observe(state, player)) == (player, seen)


class Broken:
    """A game of one player in which one thing at a time is wrong."""

    def __init__(self, **wrong: Any) -> None:
        self.wrong = wrong
        self.players = wrong.get("players", 1)

    def initial(self) -> Any:
        return self.wrong.get("initial", 0)

    def legal(self, state: Any) -> Any:
        if "legal" in self.wrong:
            return self.wrong["legal"]
        return (0, [1, 2]) if state < 3 or self.wrong.get("endless") else (None, [])

    def step(self, state: Any, action: Any) -> Any:
        return 0 if self.wrong.get("endless") else state + action

    def observe(self, state: Any, player: int) -> Any:
        return self.wrong.get("seen", state)

    def returns(self, state: Any) -> Any:
        return self.wrong.get("returns", (float(state),))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"players": 0}, "at least one player"),
        ({"initial": [0]}, "cannot be hashed"),
        ({"initial": 3}, "over before the first move"),
        ({"legal": (4, [1])}, "player 4 of 1"),
        ({"legal": [1, 2]}, r"give \(player, actions\)"),
        ({"legal": (None, [1])}, "pairs"),
        ({"legal": (None, [(1, 0.5)])}, "sum to 0.5"),
        ({"legal": (None, [(1, "1.0")])}, "probabilities are numbers"),
        ({"legal": (None, [(1, float("nan"))])}, "sum to nan"),
        ({"returns": 1.0}, "one number for each of 1 players"),
        ({"returns": ("won",)}, "finite"),
        ({"endless": True}, "not over after 1000 moves"),
        ({"returns": (1.0, 2.0)}, "one number for each of 1 players"),
        ({"returns": (float("nan"),)}, "finite"),
        ({"seen": []}, "cannot be hashed"),
    ],
)
def test_bad_games_are_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(BadGame, match=said):
        check_game(Broken(**wrong))


def test_a_game_of_one_player_is_a_game() -> None:
    check_game(Broken())
    assert GameMCTS(simulations=200).search(Broken(), 0, Random(0)).run().value() == 4.0


@pytest.mark.parametrize("planner", [GameMCTS(simulations=3), ISMCTS(simulations=3)], ids=["mcts", "ismcts"])
def test_searches_refuse_games_that_are_over_or_never_end(planner: GameMCTS | ISMCTS) -> None:
    with pytest.raises(BadGame, match="Nobody is to move"):
        planner.choose(TicTacToe(), "xxxoo....", Random(0))
    endless = Broken(endless=True)
    endless.infer = lambda seen, player, rng: seen  # type: ignore[attr-defined]
    with pytest.raises(BadGame, match="not over after"):
        planner.choose(endless, 0, Random(0))


@pytest.mark.parametrize("returns", [(float("inf"),), (1.0, 2.0), (), 1.0, None, ("won",), (10**400,)], ids=repr)
def test_illegal_returns_end_a_search(returns: object) -> None:
    game = Broken(returns=returns)
    with pytest.raises(BadGame, match="one finite number"):
        GameMCTS(simulations=5).choose(game, 0, Random(0))
    with pytest.raises(BadGame, match="one finite number"):
        play(game, [lambda state, rng: 1], Random(0))


def test_a_search_refuses_values_it_does_not_know() -> None:
    with pytest.raises(BadOption):
        GameMCTS(values="kind")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", GAMES)
def test_our_games_keep_the_protocol(name: str) -> None:
    check_game(make_game(name))


def test_an_unknown_game_gets_a_suggestion() -> None:
    with pytest.raises(BadEnvOption, match="Did you mean 'millrace'"):
        make_game("milrace")


def test_connect_four_is_won_by_the_fourth_stone() -> None:
    """Upright, level and slanted rows, and a search that completes one at once."""
    game = make_game("connect-four")
    state = game.initial()
    for column in (3, 0, 3, 0, 3, 0):
        state = game.step(state, column)
    assert GameMCTS(simulations=300).choose(game, state, Random(0)) == 3
    assert game.returns(game.step(state, 3)) == (1.0, -1.0)
    assert game.legal(game.step(state, 3))[1] == []


def test_a_move_in_millrace_betrays_the_wheel() -> None:
    """Two grains leave mill 0: one to the store, one to the mill that the secret wheel points to."""
    game = make_game("millrace")
    state = game.step(game.step(game.initial(), 1), -1)
    after = game.step(state, 0)
    assert (after[1], after[2]) == ((0, 3, 2, 2, 2, 2), (1, 0))
    wheels = {infer_state(game, game.observe(after, 1), 1, Random(seed))[0] for seed in range(30)}
    assert wheels == {(1, -1)}
    assert ISMCTS(simulations=40).choose(game, after, Random(0)) in game.legal(after)[1]
