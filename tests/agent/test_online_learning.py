"""`solve --learn online`: real steps become examples, the oracle is adapted between tasks, a run goes on with it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from random_networks import random_model, random_network

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.learning.errors import CannotLearn
from cwm_agent.agent.learning.online_learner import ADAPTER_FILE, LOG_FILE, OnlineLearner, check_learning
from cwm_agent.agent.learning.true_steps import RealSteps, divergences
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import Settings
from cwm_agent.engine import weights
from cwm_agent.engine.network import Network
from cwm_agent.engine.weights import TrainedModel
from cwm_agent.jobs.placement import HERE, Placement
from cwm_agent.oracles.backends.exact import ExactOracle
from cwm_agent.oracles.protocol import ChangesWeights, Malformed, MarkovView, Prediction, Query
from cwm_agent.solve import main
from cwm_agent.training.adaptation.low_rank import AdapterShape
from cwm_agent.training.adaptation.update import UpdateRecipe
from envs.execution.decompose.program import decomposed
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality
from tasks import RepairTask, load

SOURCE = """def total(items):
    found = 0
    for item in items:
        found = found + item * 2
    names = sorted(str(item) for item in items)
    return found, names
"""
RECIPE = UpdateRecipe(AdapterShape(1, 1), steps=1, new_examples=2, replayed=1, checked=1, tolerance=1)


class Silent:
    """An oracle that answers nothing right."""

    name = "silent"

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [Prediction(Malformed("", "nothing")) for _ in queries]


class Adapted:
    """An oracle that keeps the weights it is given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def trained_model(self) -> TrainedModel:
        return random_model()

    def use_weights(self, network: Network, fingerprint: str) -> None:
        self.given.append(fingerprint)


@pytest.fixture(scope="module")
def reality() -> Iterator[Reality]:
    with Sandbox() as sandbox:
        yield Reality(sandbox)


def real_steps(reality: Reality, oracle: object) -> RealSteps:
    program = decomposed(SOURCE, "total")
    return RealSteps(((program, reality.trace(program, "[3, 1, 2]")),), oracle)  # type: ignore[arg-type]


def test_an_exact_oracle_has_nothing_to_learn(reality: Reality) -> None:
    found = divergences(real_steps(reality, ExactOracle(reality)), "local")
    assert found.judged > 5
    assert (found.wrong, found.examples) == (0, ())


@pytest.mark.parametrize("view", ["local", "program"])
def test_wrong_steps_become_examples_with_the_real_answer(reality: Reality, view: MarkovView) -> None:
    """`found = found + t` with 6 and 2 read is one of them, each question once."""
    found = divergences(real_steps(reality, Silent()), view)
    assert found.wrong == found.judged
    assert 3 < len(found.examples) <= found.wrong
    assert len({(each.context, each.query) for each in found.examples}) == len(found.examples)
    assert any(each.answer.endswith(b"8") for each in found.examples)


def test_learning_adapts_the_oracle_and_is_continued_from_its_folder(reality: Reality, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    first = Adapted()
    assert isinstance(first, ChangesWeights)
    learner = OnlineLearner(first, tmp_path, recipe=RECIPE)
    assert first.given == []
    assert learner.learn("task", real_steps(reality, Silent()))
    assert len(first.given) == 1
    continued = Adapted()
    assert OnlineLearner(continued, tmp_path, recipe=RECIPE).updates == 1
    assert continued.given == first.given
    row = json.loads((tmp_path / LOG_FILE).read_text())
    assert row["task"] == "task"
    assert row["wrong"] == row["judged"]
    assert row["update"]["kept"]


def test_a_seed_repeats_what_is_learnt(reality: Reality, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    given = []
    for number, seed in enumerate((0, 0, 1)):
        oracle, folder = Adapted(), tmp_path / str(number)
        folder.mkdir()
        OnlineLearner(oracle, folder, seed=seed, recipe=RECIPE).learn("task", real_steps(reality, Silent()))
        given += oracle.given
    assert given[0] == given[1] != given[2]


def test_examples_that_are_known_teach_nothing_again(reality: Reality, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    learner = OnlineLearner(Adapted(), tmp_path, recipe=RECIPE)
    assert learner.learn("one", real_steps(reality, Silent()))
    assert not learner.learn("two", real_steps(reality, Silent()))
    assert learner.updates == 1


def test_a_judge_logs_and_adapts_nothing(reality: Reality, tmp_path: Path) -> None:
    oracle = Adapted()
    assert not OnlineLearner(oracle, tmp_path, recipe=RECIPE, adapts=False).learn("one", real_steps(reality, Silent()))
    assert oracle.given == []
    assert [path.name for path in tmp_path.iterdir()] == [LOG_FILE]
    assert json.loads((tmp_path / LOG_FILE).read_text())["update"] is None


def test_an_adapter_of_other_weights_is_one_sentence(reality: Reality, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    OnlineLearner(Adapted(), tmp_path, recipe=RECIPE).learn("task", real_steps(reality, Silent()))

    class Other(Adapted):
        def trained_model(self) -> TrainedModel:
            return replace(random_model(), fingerprint="other")

    with pytest.raises(CannotLearn, match="adapts other weights"):
        OnlineLearner(Other(), tmp_path, recipe=RECIPE)


@pytest.mark.parametrize(
    ("settings", "several", "message"),
    [
        pytest.param(Settings(oracle="none", learn="online"), "", "oracle 'none'", id="none"),
        pytest.param(Settings(oracle="exact", learn="online"), "", "oracle 'exact'", id="exact"),
        pytest.param(Settings(oracle="my:oracle", learn="online"), "", "oracle 'my:oracle'", id="own"),
        pytest.param(Settings(planner="baseline", learn="online"), "", "planner 'baseline'", id="baseline"),
        pytest.param(Settings(view="history", learn="online"), "", "the history view", id="history"),
        pytest.param(Settings(learn="online"), "--jobs 2", "--jobs 2", id="jobs"),
    ],
)
def test_what_cannot_learn_is_refused(settings: Settings, several: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(CannotLearn, match=message):
        check_learning(settings, several)
    with pytest.raises(CannotLearn, match=message if not several else "one process"):
        run_tasks(RepairKind(), [], settings, tmp_path / "run", placement=Placement(2) if several else HERE)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["tasks/repair", "--oracle", "exact"], id="oracle"),
        pytest.param(["tasks/repair", "--jobs", "2"], id="jobs"),
        pytest.param(["tasks/permutation"], id="plans"),
    ],
)
def test_the_command_says_it_in_one_line(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*options, "--limit", "1", "--learn", "online"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_run_learns_between_its_tasks_and_a_resumed_one_goes_on(tmp_path: Path) -> None:
    """With a random network nearly every step is wrong; the second run finds the adapter of the first."""
    torch.set_num_threads(1)
    model, out = tmp_path / "model", tmp_path / "run"
    weights.save(random_network(), model, {})
    settings = Settings(
        oracle=f"embedded:{model}", learn="online", policy="none", budget=Budget(2, tokens=500, seconds=5, steps=500)
    )
    tasks = [task for task in load("repair").tasks if isinstance(task, RepairTask)][:2]
    run_tasks(RepairKind(), tasks[:1], settings, out)
    assert (out / ADAPTER_FILE).is_file()
    run_tasks(RepairKind(), tasks, settings, out)
    rows = [json.loads(row) for row in (out / LOG_FILE).read_text().splitlines()]
    assert [row["task"] for row in rows] == [task.id for task in tasks]
    assert [row["updates"] for row in rows] == [1, 2]
