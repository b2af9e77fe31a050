"""`solve --policy`: an unusable policy is refused before anything is written; a named one ranks edits."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from cwm_agent.agent.repair.edit_ranking import edit_priors
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import policy_of
from cwm_agent.engine import weights
from cwm_agent.oracles.protocol import OracleError
from cwm_agent.solve import main
from envs.editing.edit_generation import edits


@pytest.mark.parametrize(
    "arguments", [["tasks/repair", "--policy", "nosuch"], ["tasks/permutation", "--policy", "none"]]
)
def test_a_policy_that_cannot_be_used_is_refused_before_anything_is_written(
    arguments: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main([*arguments, "--limit", "1", "--out", str(out)]) == 2
    assert "policy" in capsys.readouterr().err
    assert not out.exists()


def test_damaged_weights_are_a_failure_of_the_backend(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text("{}")
    with pytest.raises(OracleError, match="cannot be loaded"):
        policy_of(Settings(policy=str(tmp_path)))


def test_the_settings_name_the_policy() -> None:
    assert policy_of(Settings(policy="none")) is None
    assert policy_of(Settings("baseline")) is None
    named = policy_of(Settings(policy=str(weights.SHIPPED / "policy")))
    source = "def f(x):\n    return x - 1\n"
    listed = edits(source)
    assert named is not None
    shipped = policy_of(Settings())
    assert shipped is not None
    assert named.logprobs(source, listed) == shipped.logprobs(source, listed)


def test_the_policy_changes_the_priors_and_they_still_add_up_to_one() -> None:
    listed = edits("def f(x):\n    return x - 1\n")
    last = [0.0 if at == len(listed) - 1 else -20.0 for at in range(len(listed))]
    without, with_policy = edit_priors(listed, {}), edit_priors(listed, {}, last)
    assert sum(without) == pytest.approx(1.0)
    assert sum(with_policy) == pytest.approx(1.0)
    assert with_policy[-1] > 0.4 > without[-1]
