"""`import cwm_agent` offers these names, lazily, and each does what its docstring says."""

import subprocess
import sys
from pathlib import Path

import pytest

import cwm_agent
from cwm_agent.commands.command_line import COMMANDS

ROOT = Path(__file__).parent.parent
PUBLIC = """
Answer Budget Domain DomainError DomainKind Effect Episode Frame Guide GymModel Malformed Oracle OracleError Outcome
Prediction Query Question RealRun Rollout Settings Trace VerifySettings Workplace __version__ check_domain check_oracle
imagine_call load_oracle load_tasks make_env make_planner solve_task solve_tasks verify_programs
""".split()
SOURCE = "def f(xs, by=1):\n    total = 0\n    for x in xs:\n        total = total + x * by\n    return total\n"


def test_the_list_of_public_names_is_this_one() -> None:
    """A name is added or removed on purpose, here and in the changelog."""
    assert sorted(cwm_agent.__all__) == sorted(PUBLIC)
    assert dir(cwm_agent) == cwm_agent.__all__


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_exists_and_says_what_it_is(name: str) -> None:
    found = getattr(cwm_agent, name)
    assert name == "__version__" or found.__doc__ or "Union" in repr(found) or "|" in repr(found)


def test_no_public_name_is_a_command() -> None:
    assert not set(PUBLIC) & set(COMMANDS)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        cwm_agent.nothing  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ("torch", "transformers", "gymnasium", "numpy", "networkx", "envs")
    code = f"import cwm_agent, sys; print([name for name in {heavy!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_call_is_imagined_by_name_or_by_an_oracle_of_ones_own() -> None:
    rollout = cwm_agent.imagine_call(SOURCE, "f([1, 2, 3], by=2)", "exact")
    assert isinstance(rollout, cwm_agent.Rollout)
    assert rollout.outcome is not None
    assert rollout.outcome.value == "12"
    same = cwm_agent.imagine_call(SOURCE, "f([1, 2, 3], by=2)", cwm_agent.load_oracle("exact"))
    assert isinstance(same, cwm_agent.Rollout)
    assert same.frames == rollout.frames


def test_a_call_that_python_refuses_is_an_outcome_at_once() -> None:
    refused = cwm_agent.imagine_call(SOURCE, "f()", "exact")
    assert isinstance(refused, cwm_agent.Outcome)
    assert "missing" in str(refused.value)


@pytest.mark.parametrize("call", ["f", "f(", "x.f(1)", "1 + 1"])
def test_what_is_no_call_is_refused(call: str) -> None:
    with pytest.raises(ValueError, match="no call"):
        cwm_agent.imagine_call(SOURCE, call, "exact")


def test_tasks_are_solved_with_and_without_a_folder(tmp_path: Path) -> None:
    tasks = cwm_agent.load_tasks("permutation")[:2]
    settings = cwm_agent.Settings("best-first", "exact", ceiling=True, budget=cwm_agent.Budget(10))
    episodes = cwm_agent.solve_tasks(tasks, settings)
    assert [episode.task for episode in episodes] == [task.id for task in tasks]
    assert all(episode.solved for episode in episodes)
    kept = cwm_agent.solve_tasks(tasks[:1], settings, tmp_path)
    assert kept[0].patch == episodes[0].patch
    assert (tmp_path / "summary.json").exists()


def test_programs_are_verified() -> None:
    settings = cwm_agent.VerifySettings(oracle="exact", limit=2)
    [figures] = cwm_agent.verify_programs("repair", settings)
    assert figures["trace_exact"] == 1.0


def test_environments_and_planners_are_made_by_name() -> None:
    env = cwm_agent.make_env("Permutation-v0", items=3)
    env.reset(seed=0)
    assert callable(cwm_agent.make_planner("beam").search)
