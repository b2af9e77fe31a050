"""The same world in other search libraries, if they are installed (extra `bench`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from random import Random
from typing import Any

from benchmarks.search_worlds.search_worlds import Permutation, State, Swap

Outcome = tuple[bool, int, float]
"""Whether the most visited path holds the goal, moves stepped, processor seconds of the search alone."""
Search = Callable[[Permutation, State, int], Outcome]

DEPTH = 12


def installed() -> Iterator[tuple[str, Search]]:
    """Yield the name and the search of each peer that can be imported here."""
    peers: list[tuple[str, str, Callable[[], Search]]] = [
        ("treequest", "treequest StandardMCTS, ask_batch 28", lambda: treequest_search),
        ("pyspiel", "open_spiel MCTSBot, PUCT", lambda: spiel_search),
        ("mctx", "mctx gumbel_muzero_policy, one root, compiled", mctx_search),
    ]
    for module, name, make in peers:
        if find_spec(module) is not None:
            yield name, make()


def treequest_search(world: Permutation, start: State, simulations: int) -> Outcome:
    """Search with TreeQuest; it has no terminal states, so every action at the goal stays at the goal."""
    import treequest

    names = {f"{i} {j}": (i, j) for i, j in world.swaps}
    algorithm = treequest.StandardMCTS(samples_per_action=1, exploration_weight=1.0)
    state, calls, rng = algorithm.init_tree(), 0, Random(0)
    began = time.process_time()
    while calls < simulations:
        state, trials = algorithm.ask_batch(state, len(names), list(names))
        for trial in trials:
            parent = state.tree.get_node(trial.node_to_expand)
            step = _onward(world, start if parent.state is None else parent.state, names[trial.action], rng)
            state = algorithm.tell(state, trial.trial_id, step)
            calls += 1
    seconds = time.process_time() - began
    node, found = state.tree.root, False
    while node.children and not found:
        node = max(node.children, key=lambda child: state.visit_counts.get(child.expand_idx, 0))
        found = node.state == world.goal
    return found, calls, seconds


def _onward(world: Permutation, state: State, swap: Swap, rng: Random) -> tuple[State, float]:
    if state == world.goal:
        return state, 1.0
    step = world.step([(state, swap)], rng)[0]
    return step.state, step.value or 0.0


def spiel_search(world: Permutation, start: State, simulations: int) -> Outcome:
    """Search with OpenSpiel's Python MCTS, PUCT child selection, no solver, the state's value as
    evaluation."""
    import numpy as np
    from open_spiel.python.algorithms import mcts

    counter = [0]
    game, state = _spiel_game(world, start, counter)

    class Value(mcts.Evaluator):  # type: ignore[misc]
        def evaluate(self, state: Any) -> Any:
            return np.array([state.worth()])

        def prior(self, state: Any) -> list[tuple[int, float]]:
            legal = state.legal_actions()
            return [(action, 1.0 / len(legal)) for action in legal]

    bot = mcts.MCTSBot(
        game,
        1.0,
        simulations,
        Value(),
        solve=False,
        random_state=np.random.RandomState(0),
        child_selection_fn=mcts.SearchNode.puct_value,
    )
    began = time.process_time()
    node = bot.mcts_search(state)
    seconds = time.process_time() - began
    calls, place = counter[0], start
    while node.children and place != world.goal:
        node = max(node.children, key=lambda child: child.explore_count)
        if not node.explore_count:
            break
        place = world.swapped(place, world.swaps[node.action])
    return place == world.goal, calls, seconds


def _spiel_facts(world: Permutation) -> tuple[Any, Any]:
    """Return the type and the size of the game, as OpenSpiel requires them."""
    import pyspiel

    kind = pyspiel.GameType(
        short_name="swaps",
        long_name="sort by swaps",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=1,
        min_num_players=1,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
        provides_factored_observation_string=False,
        parameter_specification={},
    )
    size = pyspiel.GameInfo(
        num_distinct_actions=len(world.swaps),
        max_chance_outcomes=0,
        num_players=1,
        min_utility=0.0,
        max_utility=1.0,
        utility_sum=None,
        max_game_length=DEPTH,
    )
    return kind, size


def _spiel_game(world: Permutation, start: State, counter: list[int]) -> tuple[Any, Any]:
    """Return the world as a one-player game and its first state; `counter` counts the moves stepped."""
    import pyspiel

    rng = Random(0)
    kind, size = _spiel_facts(world)

    class Place(pyspiel.State):  # type: ignore[misc]
        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.place, self.moves = start, 0

        def current_player(self) -> int:
            return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else 0

        def _legal_actions(self, player: int) -> list[int]:
            return list(range(len(world.swaps)))

        def _apply_action(self, action: int) -> None:
            counter[0] += 1
            self.moves += 1
            self.place = world.step([(self.place, world.swaps[action])], rng)[0].state

        def is_terminal(self) -> bool:
            return self.place == world.goal or self.moves >= DEPTH

        def worth(self) -> float:
            return world.at(self.place).value or 0.0

        def returns(self) -> list[float]:
            return [self.worth() if self.is_terminal() else 0.0]

        def __str__(self) -> str:
            return str(self.place)

    class Swaps(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, size, params or {})

        def new_initial_state(self) -> Any:
            return Place(self)

    game = Swaps()
    return game, game.new_initial_state()


def mctx_search() -> Search:
    """Return a search with mctx; the world is implemented again in JAX, and the seconds do not include compilation."""
    import jax
    import jax.numpy as jnp
    import mctx

    ready: dict[tuple[int, int], Any] = {}

    def compiled(world: Permutation, simulations: int) -> Any:
        swaps, goal = jnp.array(world.swaps), jnp.array(world.goal)
        logits = jnp.zeros((1, len(world.swaps)))

        def onward(_: Any, __: Any, action: Any, place: Any) -> Any:
            i, j = swaps[action[0], 0], swaps[action[0], 1]
            here = place[0]
            there = here.at[i].set(here[j]).at[j].set(here[i])
            there = jnp.where(jnp.all(here == goal), here, there)
            value = jnp.mean(there == goal)[None]
            step = mctx.RecurrentFnOutput(reward=jnp.zeros(1), discount=jnp.ones(1), prior_logits=logits, value=value)
            return step, there[None]

        def search(place: Any, key: Any) -> Any:
            value = jnp.mean(place == goal)[None]
            root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=place[None])
            out = mctx.gumbel_muzero_policy({}, key, root, onward, simulations, max_depth=DEPTH)
            tree = out.search_tree
            return tree.children_visits[0], tree.children_index[0], tree.embeddings[0]

        return jax.jit(search)

    def run(world: Permutation, start: State, simulations: int) -> Outcome:
        search = ready.setdefault((world.items, simulations), compiled(world, simulations))
        place, key = jnp.array(start), jax.random.PRNGKey(0)
        jax.block_until_ready(search(place, key))
        began = time.process_time()
        visits, index, places = jax.device_get(jax.block_until_ready(search(place, key)))
        seconds = time.process_time() - began
        node, found = 0, False
        while not found and visits[node].max() > 0:
            node = int(index[node][visits[node].argmax()])
            found = tuple(int(item) for item in places[node]) == world.goal
        return found, simulations, seconds

    return run
