"""Games are synthesised from trajectories: bodies are found, faults repaired, contradictions named by line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cwm_agent import synthesise as command
from cwm_agent.agent.budget import Budget
from cwm_agent.agent.settings import Settings
from cwm_agent.synthesis.code_game import FAILED, CodeGame, open_game
from cwm_agent.synthesis.expression_search import CallExample, find_body
from cwm_agent.synthesis.game_source import game_source, is_missing, with_faults, without_body
from cwm_agent.synthesis.inference_source import inference_accuracy, with_inference
from cwm_agent.synthesis.model_accuracy import accuracy_of, accuracy_on_states
from cwm_agent.synthesis.rule_tests import rule_tests
from cwm_agent.synthesis.synthesis_run import SynthesisOrder, run_synthesis
from cwm_agent.synthesis.synthesiser import synthesise
from cwm_agent.synthesis.trajectories import (
    BadTrajectories,
    Transition,
    check_consistent,
    longest_game,
    read_trajectories,
    record_games,
    write_trajectories,
)
from envs.errors import BadEnvOption
from envs.execution.sandbox.sandbox import Sandbox
from envs.games.game_registry import GAMES, make_game
from planners import GameMCTS, check_game
from planners.errors import BadGame
from planners.players.game import choose_randomly

BLIND = Settings(planner="baseline:prior", oracle="none", policy="none", budget=Budget(150))
"""Repairs without imagination: quick enough for tests."""


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


def recorded(name: str, games: int = 12, seed: int = 0) -> list[Transition]:
    game = make_game(name)
    return record_games(game, [choose_randomly(game)] * 2, games, Random(seed))


@pytest.mark.parametrize("name", GAMES)
def test_a_game_as_source_is_the_game(name: str, sandbox: Sandbox) -> None:
    with CodeGame(game_source(make_game(name)), 2, sandbox) as model:
        assert accuracy_of(model, recorded(name, 3)).whole == 1.0
        assert not model.failures


@pytest.mark.parametrize("name", ["tic-tac-toe", "kuhn"])
def test_a_missing_transition_is_found_from_transitions_alone(name: str, sandbox: Sandbox) -> None:
    """The filler sees a skeleton and rows; accuracy counts on games of another seed."""
    skeleton = without_body(game_source(make_game(name)), "step")
    assert is_missing(skeleton, "step")
    made = synthesise(skeleton, recorded(name), BLIND, sandbox)
    assert made.complete
    assert {rule.name: rule.how for rule in made.rules}["step"] == "filled"
    with CodeGame(made.source, 2, sandbox) as model:
        assert accuracy_of(model, recorded(name, 6, seed=9)).whole == 1.0


def test_a_draft_with_a_fault_is_repaired(sandbox: Sandbox) -> None:
    draft = game_source(make_game("kuhn")).replace("cards[0] > cards[1]", "cards[0] < cards[1]")
    transitions = recorded("kuhn", 20)
    with CodeGame(draft, 2, sandbox) as model:
        assert accuracy_of(model, transitions).returns < 1.0
    made = synthesise(draft, transitions, BLIND, sandbox)
    assert made.complete
    assert {rule.name: rule.how for rule in made.rules}["returns"] == "repaired"


def test_faults_change_the_source_and_keep_it_parsable() -> None:
    source = game_source(make_game("leduc"))
    drafts = {with_faults(source, 3, Random(seed)) for seed in range(5)}
    assert len(drafts) == 5
    assert source not in drafts


def test_what_a_faulty_model_cannot_answer_is_an_end_worth_nothing(sandbox: Sandbox) -> None:
    """Exceptions, wrong shapes and a process that ends: the search goes on, and failures are counted."""
    source = game_source(make_game("tic-tac-toe"))
    broken = source.replace("return state[:action]", "return 1 // 0 if action == 4 else state[:action]")
    with CodeGame(broken, 2, sandbox) as model:
        assert model.step(".........", 4) == FAILED
        assert model.legal(FAILED) == (None, ())
        assert GameMCTS(simulations=60).choose(model, ".........", Random(0)) != 4
        assert model.failures["step"] >= 1
    with CodeGame("def legal(state):\n    return 7\ndef returns(state):\n    return 'x'\n", 2, sandbox) as model:
        assert (model.legal("s"), model.returns("s"), model.initial()) == ((None, ()), (0.0, 0.0), FAILED)
    with CodeGame("import os\ndef legal(state):\n    os._exit(3)\n", 2, sandbox) as model:
        assert model.legal("s") == (None, ())


def test_a_model_that_never_ends_a_game_is_followed_a_few_times_the_longest_recorded_game(sandbox: Sandbox) -> None:
    endless = "def legal(state):\n    return 0, [1, 2]\ndef step(state, action):\n    return state + action\n"
    with open_game(endless, 2, sandbox, longest=12) as model:
        with pytest.raises(BadGame, match="not over after 12 moves"):
            GameMCTS(simulations=5).choose(model, 0, Random(0))
        assert max(model.reached) <= 2 * 16
    transitions = recorded("tic-tac-toe", 4)
    assert 6 <= longest_game(transitions) <= 10
    assert longest_game([each for each in transitions if each.action is not None]) > 20, "one game without an end"
    assert longest_game([]) == 1


def test_the_inference_function_explains_what_players_saw(sandbox: Sandbox) -> None:
    game, transitions = make_game("leduc"), recorded("leduc", 6)
    with open_game(with_inference(game_source(game)), 2, sandbox) as model:
        check_game(model, playouts=2)
        found = inference_accuracy(model, game, transitions, Random(0))
    assert (found.by_model, found.in_reality) == (1.0, 1.0)
    assert found.asked > 10


def test_accuracy_is_told_by_kind_and_on_states_of_the_planner(sandbox: Sandbox) -> None:
    game = make_game("tic-tac-toe")
    wrong = game_source(game).replace("range(9)", "range(8)")
    with CodeGame(wrong, 2, sandbox) as model:
        found = accuracy_of(model, recorded("tic-tac-toe", 4))
        assert found.legal < 1.0
        assert found.step == found.observe == 1.0
        assert accuracy_on_states(model, game, ["x........", "no board"]).legal == 0.0


def test_trajectories_are_written_and_read_back(tmp_path: Path) -> None:
    transitions = recorded("kuhn", 3)
    write_trajectories(tmp_path / "rows.jsonl", transitions)
    assert read_trajectories(tmp_path / "rows.jsonl") == transitions


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"after": ("?",)}, "line:99 contradicts line"),
        ({"returns": (5.0, 5.0)}, "other actions, observations or returns"),
    ],
)
def test_trajectories_that_contradict_each_other_are_named_by_line(change: dict[str, Any], said: str) -> None:
    transitions = recorded("kuhn", 2)
    moved = next(each for each in transitions if each.after is not None)
    with pytest.raises(BadTrajectories, match=said):
        check_consistent([*transitions, replace(moved, line=99, **change)])


@pytest.mark.parametrize("row", ['{"state": "1"}', "[1]", '{"state": "open(1)", "turn": "1"}'])
def test_a_bad_row_is_named_by_its_line(row: str, tmp_path: Path) -> None:
    write_trajectories(tmp_path / "rows.jsonl", recorded("kuhn", 1)[:1])
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.write(row + "\n")
    with pytest.raises(BadTrajectories, match=r"rows.jsonl:2"):
        read_trajectories(tmp_path / "rows.jsonl")


def test_every_rule_gets_a_test_from_every_state() -> None:
    tests = rule_tests(recorded("kuhn", 2))
    assert tests["initial"][0].expected == "((), '')"
    assert len(tests["observe"]) == 2 * len(tests["legal"])


def test_results_that_hold_lists_are_searched_for() -> None:
    """`legal` gives a player and a list of actions: no expression makes the list, and nothing breaks."""
    examples = [CallExample(((turn, "ab"),), (turn, [0, 1])) for turn in (0, 1)]
    assert find_body(["state"], examples) is None


def test_bodies_that_no_small_expression_has_are_not_found() -> None:
    rng = Random(0)
    examples = [CallExample((number, 0), rng.randrange(1000)) for number in range(12)]
    assert find_body(["state", "action"], examples) is None
    assert find_body(["state", "action"], []) is None


def test_a_whole_run_is_measured_and_printed(
    sandbox: Sandbox, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = run_synthesis(
        SynthesisOrder("kuhn", trajectories=8, missing="step", matches=2, simulations=20), BLIND, sandbox
    )
    assert report.before.step < report.after.step == 1.0
    assert report.played.on_reached.whole == 1.0
    assert "def infer" in report.source
    out = tmp_path / "game.py"
    arguments = "--game tic-tac-toe --trajectories 8 --missing step --matches 2 --simulations 20"
    assert command.main([*arguments.split(), "--out", str(out)]) == 0
    assert "step     filled" in capsys.readouterr().err
    assert "def step(state, action)" in out.read_text()


@pytest.mark.parametrize(
    "wrong", [{"trajectories": 0}, {"missing": "stop"}, {"game": "spiel:chess"}, {"simulations": 0}, {"faults": -1}]
)
def test_orders_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadEnvOption):
        SynthesisOrder(**{"game": "kuhn", **wrong})


def test_the_defaults_of_the_command_are_those_of_an_order() -> None:
    options, order = vars(command.parser().parse_args(["--game", "kuhn"])), SynthesisOrder("kuhn")
    for name in ("trajectories", "faults", "missing", "matches", "simulations", "seed"):
        assert options[name] == getattr(order, name)
