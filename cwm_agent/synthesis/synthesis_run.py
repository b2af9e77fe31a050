"""One synthesis from end to end: trajectories, draft, repair, accuracy elsewhere, and play in the synthesised model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from cwm_agent.agent.settings import Settings
from cwm_agent.synthesis.code_game import CodeGame, open_game
from cwm_agent.synthesis.game_source import RULES, game_source, with_faults, without_body
from cwm_agent.synthesis.inference_source import InferenceAccuracy, hides_state, inference_accuracy, with_inference
from cwm_agent.synthesis.model_accuracy import ModelAccuracy, accuracy_of, accuracy_on_states
from cwm_agent.synthesis.rule_tests import rule_tests
from cwm_agent.synthesis.synthesiser import RuleResult, failing, synthesise
from cwm_agent.synthesis.trajectories import Transition, longest_game, record_games
from envs.errors import BadEnvOption
from envs.execution.sandbox.sandbox import Sandbox
from envs.games.game_registry import SPIEL, make_game
from planners.errors import BadGame, NoParticles
from planners.players.game import Chooser, Game, choose_randomly, play
from planners.players.game_mcts import GameMCTS
from planners.players.information_sets import ISMCTS
from tasks.errors import did_you_mean
from tasks.task import CallTest

MUCH_LONGER = 4
"""A game of a model that is so many times as long as the longest recorded one counts as one that never ends."""
MOST_STATES = 300
"""States of the planner on which the model is measured."""


@dataclass(frozen=True, slots=True)
class SynthesisOrder:
    """What to synthesise, and how to measure it."""

    game: str
    trajectories: int = 20
    """Games of random players from which the model is made."""
    faults: int = 1
    """Bugs injected into the draft."""
    missing: str = ""
    """A function whose body is missing from the draft, in place of faults; empty for none."""
    matches: int = 10
    """Games played by planning in the model, and as many by planning in the real game; 0 for none."""
    simulations: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if self.game.startswith(SPIEL):
            raise BadEnvOption("A draft is made of a game of this project; games of OpenSpiel have no Python source.")
        if self.trajectories < 1 or self.faults < 0 or self.matches < 0 or self.simulations < 1:
            raise BadEnvOption("Give at least one trajectory and one simulation, and no negative faults or matches.")
        if self.missing and self.missing not in RULES:
            raise BadEnvOption(f"No function {self.missing!r} in a game. {did_you_mean(self.missing, RULES)}")


@dataclass(frozen=True, slots=True)
class PlayReport:
    """Play against random players, by planning in the model and in the real game."""

    model_score: float
    """Mean return when planning in the model."""
    real_score: float
    """The same when planning in the real game."""
    failed: int
    """Choices in the model that reality refused, or that the model could not make."""
    on_reached: ModelAccuracy
    """The model's accuracy on states that the planner reached in it."""


@dataclass(frozen=True, slots=True)
class SynthesisReport:
    """What came of an order."""

    draft: str
    source: str
    rules: tuple[RuleResult, ...]
    before: ModelAccuracy
    """Of the draft, on trajectories of another policy."""
    after: ModelAccuracy
    """Of the synthesised model, on the same."""
    inference: InferenceAccuracy
    played: PlayReport


def make_draft(game: Any, order: SynthesisOrder, transitions: Sequence[Transition], sandbox: Sandbox) -> str:
    """Return the draft that an order asks for; each fault changes what some test says."""
    source = game_source(game)
    if order.missing:
        return without_body(source, order.missing)
    tests = rule_tests(transitions)

    def wrong(text: str) -> list[list[CallTest]]:
        return [failing(text, name, tests[name], sandbox) for name in RULES]

    return with_faults(
        source, order.faults, Random(order.seed), lambda before, after: wrong(before) != wrong(after)
    )  # fmt: skip


def run_synthesis(
    order: SynthesisOrder,
    settings: Settings,
    sandbox: Sandbox,
    *,
    draft: str | None = None,
    transitions: Sequence[Transition] | None = None,
    on_rule: Callable[[RuleResult], None] = lambda rule: None,
) -> SynthesisReport:
    """Synthesise a game and measure it where it was not made from."""
    game = make_game(order.game)
    rng = Random(order.seed)
    if transitions is None:
        transitions = record_games(game, [choose_randomly(game)] * game.players, order.trajectories, rng)
    draft = make_draft(game, order, transitions, sandbox) if draft is None else draft
    made = synthesise(draft, transitions, settings, sandbox, on_rule=on_rule)
    hidden = hides_state(transitions)
    source = with_inference(made.source) if hidden else made.source
    elsewhere = record_games(game, other_policy(game, hidden=hidden), max(4, order.trajectories // 4), rng)
    longest = MUCH_LONGER * longest_game(transitions)
    with open_game(draft, game.players, sandbox, longest=longest) as model:
        before = accuracy_of(model, elsewhere)
    with open_game(source, game.players, sandbox, longest=longest) as model:
        after = accuracy_of(model, elsewhere)
        inference = inference_accuracy(model, game, elsewhere, rng)
        played = _played(order, game, model, hidden=hidden)
    return SynthesisReport(draft, source, made.rules, before, after=after, inference=inference, played=played)


def _played(order: SynthesisOrder, game: Game[Any, Any], model: CodeGame, *, hidden: bool) -> PlayReport:
    """Play by planning in the model and in the real game, and measure the model where the planner went."""
    model.reached.clear()
    failed: Counter[str] = Counter()
    in_model = planned(model, game, hidden=hidden, simulations=order.simulations, failed=failed)
    in_real = planned(game, game, hidden=hidden, simulations=order.simulations, failed=Counter())
    model_score = score(game, in_model, order.matches, Random(order.seed))
    real_score = score(game, in_real, order.matches, Random(order.seed))
    reached = list(model.reached)
    states = Random(order.seed).sample(reached, min(len(reached), MOST_STATES))
    return PlayReport(model_score, real_score, failed.total(), accuracy_on_states(model, game, states))


def other_policy(game: Game[Any, Any], *, hidden: bool) -> list[Chooser[Any, Any]]:
    """Return players of another policy than the random one that trajectories come from: a short search."""
    planner = ISMCTS(simulations=20) if hidden else GameMCTS(simulations=20)
    return [lambda state, rng: planner.choose(game, state, rng)] * game.players


def planned(
    model: Game[Any, Any], real: Game[Any, Any], *, hidden: bool, simulations: int, failed: Counter[str]
) -> Chooser[Any, Any]:
    """Return a player that plans in a model of the real game; where that fails it moves at random and counts it."""
    planner = ISMCTS(simulations=simulations) if hidden else GameMCTS(simulations=simulations)

    return legal_choices(real, lambda state, rng: planner.choose(model, state, rng), failed)


def legal_choices(real: Game[Any, Any], planned: Chooser[Any, Any], failed: Counter[str]) -> Chooser[Any, Any]:
    """Return a player that follows `planned`; where that fails or is illegal it moves at random and counts it."""

    def choose(state: Any, rng: Random) -> Any:
        actions = real.legal(state)[1]
        try:
            action = planned(state, rng)
        except (BadGame, NoParticles):
            failed["none"] += 1
            return rng.choice(actions)
        if action in actions:
            return action
        failed["illegal"] += 1
        return rng.choice(actions)

    return choose


def score(game: Game[Any, Any], chooser: Chooser[Any, Any], matches: int, rng: Random) -> float:
    """Return the mean return of a player against random ones, each place in turn."""
    total = 0.0
    for number in range(matches):
        place = number % game.players
        choosers = [choose_randomly(game)] * game.players
        choosers[place] = chooser
        total += play(game, choosers, rng)[place]
    return total / max(1, matches)
