"""The confidence of a patch: a logistic model that its recipe fits, with coefficients in the package."""

import re
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from benchmarks.patch_confidence import (
    FaultySolves,
    choice_table,
    first_and_kept,
    fitted,
    judged,
    left_out_chances,
    measure,
    table,
)
from benchmarks.random_programs.faulty_programs import faulty_program
from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode, RealRun
from cwm_agent.agent.repair.selection.confidence import EVIDENCE, shipped_confidence
from cwm_agent.agent.settings import Settings
from envs.domains.evaluation import Evaluator
from envs.editing.edit import Edit
from envs.execution.sandbox.sandbox import Sandbox


def _episodes(count: int) -> list[Episode]:
    """Episodes of which those with rivals are mostly wrong."""
    rng, found = Random(0), []
    for number in range(count):
        evidence = {name: rng.random() for name in EVIDENCE} | {"rivals": float(number % 2)}
        right = rng.random() < (0.2 if number % 2 else 0.9)
        found.append(Episode(str(number), True, right, ("edit",), evidence=evidence))
    return found


def test_the_fit_learns_that_rivals_lower_the_chance() -> None:
    model = fitted(_episodes(400))
    sure, unsure = (
        dict.fromkeys(EVIDENCE, 0.5) | {"rivals": 0.0},
        dict.fromkeys(EVIDENCE, 0.5) | {"rivals": 1.0},
    )
    assert model.chance(sure) == pytest.approx(0.9, abs=0.1)
    assert model.chance(unsure) == pytest.approx(0.2, abs=0.1)


def test_a_better_forecast_has_a_lower_brier_score() -> None:
    episodes = _episodes(200)
    shown = table(left_out_chances(episodes), [bool(each.right) for each in episodes])
    brier, base = map(float, re.findall(r"0\.\d{4}", shown.splitlines()[-1]))
    assert brier < base


def test_the_shipped_model_gives_a_chance_for_any_evidence() -> None:
    for value in (-1e6, 0.0, 1e6):
        assert 0 <= shipped_confidence().chance(dict.fromkeys(EVIDENCE, value)) <= 1


def test_faulty_programs_fail_a_visible_test_and_their_reference_passes_all() -> None:
    with Sandbox() as sandbox:
        for task in (faulty_program(number, 3, sandbox) for number in range(2)):
            assert task == faulty_program(int(task.id.removeprefix("faulty-")), 3, sandbox)
            evaluator = Evaluator(task, sandbox)
            assert not evaluator.original.solved
            assert task.reference is not None
            assert evaluator.run(task.reference).solved
            assert evaluator.passes_hidden(task.reference)


def test_a_measurement_goes_on_where_it_stopped_and_begins_nothing_after_its_time(tmp_path: Path) -> None:
    settings = Settings(oracle="none", policy="none", budget=Budget(executions=3))
    work = FaultySolves(settings, seed=0, until=time.time() + 1e6)
    assert measure(tmp_path, range(1), work, 1) == 1
    before = (tmp_path / "episodes.jsonl").read_bytes()
    assert measure(tmp_path, range(2), replace(work, until=0.0), 1) == 1
    assert (tmp_path / "episodes.jsonl").read_bytes() == before
    assert measure(tmp_path, range(2), work, 1) == 2
    assert (tmp_path / "episodes.jsonl").read_bytes().startswith(before)
    assert all(each.evidence.keys() == set(EVIDENCE) for each in judged(tmp_path))


def test_the_first_patch_that_passed_is_held_beside_the_one_that_was_kept() -> None:
    """The reference as the first patch and a wrong one as the kept patch: the choice lost one."""
    with Sandbox() as sandbox:
        task = faulty_program(0, 0, sandbox)
        assert task.reference is not None
        whole = str(Edit(1, 0, task.source, task.reference, operator="proposed"))
        runs = (RealRun((), None, (), (False,)), RealRun((whole,), None, (), (True,)))
        found = first_and_kept([Episode("faulty-0", True, False, ("wrong",), runs=runs)], 0, sandbox)
    assert found == {(True, False): 1}
    assert choice_table(found).splitlines()[2:4] == ["| first patch that passed | 1 |", "| patch that was kept | 0 |"]
