"""Repair of small tasks: costs, beliefs, equal results for equal seeds, and hidden tests that stay hidden."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.repair import repair_domain
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from envs.domains import evaluation
from envs.editing.edit import Edit
from tasks import CallTest, RepairTask

SOURCE = "def middle(a, b, c):\n    if a > b:\n        a, b = b, a\n    if b > c:\n        b, c = c, b\n    return max(a, c)\n"
TASK = RepairTask(
    id="middle",
    source=SOURCE,
    entry="middle",
    tests=(CallTest("1, 2, 3", "2"), CallTest("3, 1, 2", "2"), CallTest("5, 5, 1", "5")),
    hidden=(CallTest("2, 3, 1", "2"), CallTest("9, 7, 8", "8")),
)


def solved(task: RepairTask = TASK, **settings: object) -> Episode:
    chosen = Settings(**{"oracle": "exact", "ceiling": True, **settings})  # type: ignore[arg-type]
    return Workplace(chosen).solve(RepairKind(), task)


def test_with_the_exact_oracle_the_first_candidate_run_is_right() -> None:
    episode = solved()
    assert (episode.solved, episode.right, episode.executions, episode.problem) == (True, True, 2, "")
    assert episode.runs[-1].beliefs == episode.runs[-1].marks == (True, True, True)
    assert "\n-    if b > c:" in episode.diff or "\n-    return max(a, c)" in episode.diff


def test_programs_that_the_exact_oracle_runs_are_charged_unless_it_is_the_ceiling() -> None:
    episode = solved(ceiling=False, budget=Budget(executions=40))
    assert episode.spent["looks"] > 0
    assert episode.executions > 2


@pytest.mark.parametrize("planner", ["baseline", "baseline:random", "baseline:prior", "baseline:climb"])
def test_a_baseline_imagines_nothing_and_stays_within_its_budget(planner: str) -> None:
    episode = solved(planner=planner, oracle="none", budget=Budget(executions=12))
    assert episode.problem == ""
    assert episode.executions <= 12
    assert episode.spent["imagined"] == episode.spent["tokens"] == 0


def test_a_candidate_that_is_another_text_of_a_known_program_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here all candidates count as the buggy program: nothing is run, and the task ends with its budget."""
    monkeypatch.setattr(evaluation, "fingerprint", lambda source: b"one program")
    episode = solved(planner="baseline:climb", oracle="none", policy="none", budget=Budget(executions=6))
    assert (episode.problem, episode.solved, episode.executions) == ("", False, 6)


HOPELESS = replace(
    TASK, id="hopeless", tests=(CallTest("1, 2, 3", "'b'"), CallTest("3, 1, 2", "'a'"), CallTest("1, 1, 1", "'c'"))
)


def test_imagining_ends_with_the_patience_and_all_real_runs_are_made() -> None:
    patience, executions = 24, 20
    episode = solved(HOPELESS, patience=patience, batch=4, policy="none", budget=Budget(executions=executions))
    assert (episode.solved, episode.executions) == (False, executions)
    longest = 4 * patience  # the last wait, and candidates that were under way when it ended
    assert patience <= episode.spent["imagined"] <= longest
    more = solved(HOPELESS, patience=4 * patience, batch=4, policy="none", budget=Budget(executions=executions))
    assert more.spent["imagined"] > longest


def test_however_little_patience_there_is_a_real_run_waits_for_a_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each candidate costs more than the patience, none may be known when it ends."""
    monkeypatch.setattr(repair_domain, "USUAL_TOKENS", 1)
    monkeypatch.setattr(repair_domain, "STEPS_A_TOKEN", 1)
    episode = solved(HOPELESS, patience=1, batch=4, policy="none", budget=Budget(executions=8))
    assert (episode.solved, episode.executions) == (False, 8)


@pytest.mark.parametrize("planner", ["mcts", "beam", "best-first"])
def test_every_planner_solves_with_the_exact_oracle(planner: str) -> None:
    assert solved(planner=planner).solved


class AskedPolicy:
    """A policy that counts how often it is asked."""

    asked = 0

    def logprobs(self, source: str, edits: Sequence[Edit], *, complete: int | None = None) -> list[float] | None:
        self.asked += 1
        return [0.0] * len(edits)

    def proposals(self, source: str, count: int) -> list[tuple[Edit, float]]:
        return []


@pytest.mark.parametrize(("seconds", "asked"), [(1e-9, False), (600.0, True)])
def test_a_task_that_has_no_time_left_asks_neither_policy_nor_oracle_about_its_original_run(
    seconds: float, asked: bool
) -> None:
    policy = AskedPolicy()
    workplace = Workplace(Settings(oracle="exact", ceiling=True, budget=Budget(seconds=seconds)))
    workplace.policy = policy
    episode = workplace.solve(RepairKind(), TASK)
    assert (policy.asked > 0, episode.spent["queries"] > 0, episode.solved) == (asked, asked, asked)


def test_without_an_oracle_priors_alone_order_the_candidates() -> None:
    episode = solved(oracle="none", budget=Budget(executions=20))
    assert episode.problem == ""
    assert all(run.imagined is None for run in episode.runs)


def test_the_same_seed_gives_the_same_episode() -> None:
    first, second = solved(), solved()
    assert (first.patch, first.runs, first.executions) == (second.patch, second.runs, second.executions)


def test_hidden_tests_do_not_influence_the_search() -> None:
    """With hidden tests that no program passes, the patch and the real runs are the same."""
    impossible = replace(TASK, hidden=(CallTest("1, 2, 3", "-1"),))
    episode, other = solved(), solved(impossible)
    assert (episode.patch, episode.runs) == (other.patch, other.runs)
    assert (episode.right, other.right) == (True, False)


def test_a_budget_of_no_steps_imagines_nothing() -> None:
    episode = solved(budget=Budget(steps=0))
    assert episode.problem == ""
    assert episode.spent["steps"] == 0
