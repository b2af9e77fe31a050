"""Distributions of outcomes: what two samples have in common, and what an exact oracle gives."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import chance
from benchmarks.random_programs.chance_programs import chance_arguments, chance_program
from cwm_agent.oracles.backends.exact import ExactOracle
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.verification.chance.chance_runs import ChanceCall, ChanceSettings, asked_draws, compare_calls
from cwm_agent.verification.chance.outcome_distributions import OutcomeCalibration, coverage, shares, total_variation
from cwm_agent.verify import main
from envs.execution.decompose.program import decomposed
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.effects import Effect
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import trace


@pytest.fixture(scope="module")
def one() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


COIN = "import random\ndef f(n):\n    return [random.choice('HT') for _ in range(n)]"


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        (["a", "b"], ["b", "a"], 0.0),
        (["a", "a"], ["b", "b"], 1.0),
        (["a", "b"], ["a", "a"], 0.5),
    ],
)
def test_total_variation_is_half_the_difference_of_the_shares(
    one: list[str], other: list[str], distance: float
) -> None:
    assert total_variation(shares(one), shares(other)) == distance


def test_coverage_is_the_share_of_real_outcomes_that_were_imagined() -> None:
    assert coverage(["a"], ["a", "b", "a", "c"]) == 0.5


def test_calibration_compares_shares_in_bins_and_counts_what_nobody_imagined() -> None:
    found = OutcomeCalibration()
    found.add({"a": 1.0}, {"a": 0.5, "b": 0.5})
    assert found.error == 1.0
    assert [(row["imagined"], row["real"]) for row in found.table()] == [(0.0, 0.5), (1.0, 0.5)]


def test_an_exact_oracle_imagines_the_distribution_of_reality(one: Sandbox) -> None:
    reality = Reality(one)
    oracle = CachedOracle(ExactOracle(reality))
    calls = [
        ChanceCall("coin", COIN, "f", "1"),
        ChanceCall("walk", chance_program(3), "f", chance_arguments(3)),
        ChanceCall("broken", "import random\nN = random.random()\ndef f():\n    return N", "f", ""),
    ]
    result = compare_calls(calls, oracle, reality, ChanceSettings(runs=40))
    coin, walk = result.found
    assert (coin.coverage, coin.ended, walk.ended) == (1.0, 1.0, 1.0)
    assert coin.total_variation < 0.4
    assert result.problems[0].startswith("broken: ")
    reality.close()


def test_real_outcomes_in_several_worlds_are_those_of_single_runs(one: Sandbox) -> None:
    program = decomposed(COIN, "f")
    worlds = [{"seed": seed} for seed in range(4)]
    found = Reality(one).outcomes(program, "6", worlds)
    assert found == [trace(program, "6", world=world).outcome for world in worlds]
    assert len({outcome.value for outcome in found}) == 4


class _Uniform:
    """Gives every answer the same probability."""

    def scores(self, query: object, effects: list[Effect]) -> list[float]:
        return [-1.0 for _ in effects]


def test_a_model_is_asked_for_the_distribution_of_each_draw() -> None:
    source = "import random\ndef f(xs):\n    a = random.choice(xs)\n    b = random.randint(1, 6)\n    return a, random.random()"
    program = decomposed(source, "f")
    found = list(asked_draws(trace(program, "[1, 1, 2]").frames, program, _Uniform()))  # type: ignore[arg-type]
    assert [(each.values, round(each.total_variation, 6)) for each in found] == [(2, round(2 / 3 - 0.5, 6)), (6, 0.0)]


def test_the_benchmark_measures_in_parts(capsys: pytest.CaptureFixture[str]) -> None:
    parts = [chance.measured("exact", [seed], 5) for seed in (0, 1)]
    figures = chance.merged(parts)
    assert figures["programs"] == 2
    chance.show(figures)
    assert "2 programs, 5 imagined runs each" in capsys.readouterr().out


@pytest.mark.parametrize("seed", range(20))
def test_generated_programs_draw_and_are_markov(seed: int) -> None:
    program = decomposed(chance_program(seed), "f")
    real = trace(program, chance_arguments(seed))
    assert real.unsupported is None
    assert real.frames[0].globals != real.frames[-1].globals


ROW = {"kind": "trace", "id": "coin", "source": COIN, "entry": "f", "arguments": "1"}


def test_verify_compares_the_runs_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, written = tmp_path / "coins.jsonl", tmp_path / "figures.json"
    file.write_text(json.dumps(ROW) + "\n")
    assert main([str(file), "--oracle", "exact", "--runs", "8", "--json", str(written)]) == 0
    assert "1 programs, 8 imagined runs each" in capsys.readouterr().out
    assert json.loads(written.read_text())["runs"][0]["ended"] == 1.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--runs", "1"], "is no sample"),
        (["--runs", "5", "--guide", "free"], "leave them out"),
        (["--runs", "5", "--mutants"], "leave them out"),
    ],
)
def test_runs_that_make_no_sense_are_refused(
    options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["repair", *options])
    assert sentence in capsys.readouterr().err


def test_a_file_without_a_draw_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "plain.jsonl"
    file.write_text(json.dumps({**ROW, "source": "def f(n):\n    return n"}) + "\n")
    assert main([str(file), "--oracle", "exact", "--runs", "5"]) == 2
    assert "draws random numbers" in capsys.readouterr().err
