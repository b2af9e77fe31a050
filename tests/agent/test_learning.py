"""A prior and a value are learnt from one's own episodes, saved, loaded, and used by the search."""

import json
from dataclasses import replace

import numpy as np
import pytest

import cwm_agent
from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode, RealRun
from cwm_agent.agent.learning.candidate_features import candidate_features
from cwm_agent.agent.learning.edit_features import NAMES, edit_features
from cwm_agent.agent.learning.episode_examples import episodes_of, examples_of
from cwm_agent.agent.learning.errors import CannotLearn
from cwm_agent.agent.learning.learnt_model import LearntModel, LearntPolicy, fitted
from cwm_agent.agent.learning.linear_fit import fit_probability, fit_ranking, sigmoid
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.settings import Settings
from cwm_agent.commands.solve_options import chosen_settings
from cwm_agent.learn import main
from cwm_agent.solve import parser
from envs.edits import edits
from envs.execution.sandbox.sandbox import Sandbox
from tasks import load

TASKS = [task for task in load("repair/one_edit_short").tasks if task.known_patch][:3]


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


def episode_of(task):
    """An episode in which a wrong candidate ran, and then the known patch."""
    tests = len(task.tests)
    other = next(text for text in map(str, edits(task.source)) if text not in task.known_patch)
    wrong = RealRun((other,), 0.4, (False,) * tests, (False,) * tests)
    right = RealRun(task.known_patch, 0.9, (True,) * tests, (True,) * tests)
    return Episode(task.id, True, True, patch=task.known_patch, runs=(wrong, right))


@pytest.fixture(scope="module")
def model(sandbox):
    return fitted(examples_of([(task, episode_of(task)) for task in TASKS], None, sandbox))


def test_a_ranking_learns_what_is_chosen():
    """From lists in which the row with the larger second number is chosen."""
    rng = np.random.default_rng(0)
    lists = [(rows := rng.normal(size=(6, 3)), int(rows[:, 1].argmax())) for _ in range(30)]
    weights = fit_ranking(lists, np.zeros(3))
    assert sum(int((rows @ weights).argmax()) == chosen for rows, chosen in lists) >= 28


def test_a_probability_separates_what_led_to_a_repair():
    rows = np.array([[1.0, 0.1], [1.0, 0.2], [1.0, 0.8], [1.0, 0.9]])
    weights = fit_probability(rows, np.array([0.0, 0.0, 1.0, 1.0]), penalty=1e-4)
    assert (sigmoid(rows @ weights).round() == [0, 0, 1, 1]).all()


def test_the_repairing_edit_ranks_higher_after_learning(model):
    found = model.learnt_from
    assert (found["repairs"], found["candidates"], found["candidates that led to a repair"]) == (3, 6, 3)
    assert found["mean rank of the repair after"] <= found["mean rank of the repair before"]


def test_a_candidate_that_fixes_is_worth_more_than_one_that_breaks(model):
    marks = (False, True, True)
    numbers = {"edits": 1, "prior": 0.01}
    good = candidate_features((True, True, True), marks, expected=0.9, **numbers)
    bad = candidate_features((False, False, None), marks, expected=0.2, **numbers)
    assert model.value_of(good) > model.value_of(bad)


def test_a_model_is_saved_and_loaded(model, tmp_path):
    model.save(tmp_path / "new" / "model")
    assert LearntModel.load(tmp_path / "new" / "model") == model


def test_a_learnt_policy_gives_a_log_probability_for_every_edit(model):
    source = TASKS[0].source
    listed = edits(source)
    found = LearntPolicy(None, model).logprobs(source, listed)
    assert len(found) == len(listed)
    assert np.exp(np.array(found) / 2).sum() == pytest.approx(1.0, abs=1e-3)
    assert edit_features(source, listed, None).shape == (len(listed), len(NAMES))


def test_the_search_takes_the_learnt_prior_and_value(model, tmp_path):
    """An episode with both is solved, and its settings name them; one without a value leaves no trace of it."""
    model.save(tmp_path)
    settings = Settings("mcts", "exact", ceiling=True, policy=str(tmp_path), value=str(tmp_path), budget=Budget(20))
    (episode,) = cwm_agent.solve_tasks(TASKS[:1], settings)
    assert episode.solved
    assert episode.settings["value"] == str(tmp_path)
    assert "value" not in replace(settings, value="").described()


def test_a_task_is_solved_by_the_value_of_information(tmp_path):
    """The option reaches the settings, which name the rule only where it is not the usual one."""
    settings = Settings("mcts", "exact", ceiling=True, choice="information", budget=Budget(20))
    (episode,) = cwm_agent.solve_tasks(TASKS[:1], settings)
    assert (episode.solved, episode.settings["choice"]) == (True, "information")
    chosen = parser().parse_args(["repair", "--choose", "information", "--value", str(tmp_path)])
    assert chosen_settings(chosen, RepairKind()).choice == "information"
    assert "choice" not in replace(settings, choice="").described()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "no learnt model"),
        ("{", "is no learnt model"),
        ('{"version": 9}', "has version 9, not 1"),
        ('{"version": 1, "prior": {}, "value": {}, "learnt_from": {}}', "is no learnt model"),
    ],
)
def test_a_model_that_cannot_be_read_is_one_sentence(text, complaint, tmp_path):
    if text is not None:
        (tmp_path / "learnt.json").write_text(text)
    with pytest.raises(CannotLearn, match=complaint):
        LearntModel.load(tmp_path)


def test_a_weight_that_is_no_number_is_one_sentence(model, tmp_path):
    path = model.save(tmp_path)
    rows = json.loads(path.read_text())
    rows["prior"]["logprob"] = float("nan")
    path.write_text(json.dumps(rows))
    with pytest.raises(CannotLearn, match="no finite number"):
        LearntModel.load(tmp_path)


def written(folder, **fields):
    row = {"task": TASKS[0].id, "solved": False, "right": None, "version": 1, **fields}
    folder.mkdir(exist_ok=True)
    (folder / "episodes.jsonl").write_text(json.dumps(row) + "\n")
    return folder


def test_episodes_without_what_is_needed_are_one_sentence(tmp_path, sandbox, capsys):
    with pytest.raises(CannotLearn, match="holds no episodes"):
        episodes_of([tmp_path], TASKS)
    with pytest.raises(CannotLearn, match="none of the tasks"):
        episodes_of([written(tmp_path / "a", task="other")], TASKS)
    with pytest.raises(CannotLearn, match="has changed since"):
        episodes_of([written(tmp_path / "b", content="0" * 24)], TASKS)
    with pytest.raises(CannotLearn, match="No episode ends with a repair"):
        examples_of(episodes_of([written(tmp_path / "c")], TASKS), None, sandbox)
    assert main([str(tmp_path / "none"), "--out", str(tmp_path / "m")]) == 2
    assert capsys.readouterr().err.startswith("learn: ")
