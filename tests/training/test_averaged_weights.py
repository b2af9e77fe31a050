"""The average of two sets of weights."""

from pathlib import Path

import pytest
import torch

from benchmarks.averaged_weights import average, main
from cwm_agent.engine import weights
from cwm_agent.engine.network import Network
from cwm_agent.engine.shape import shape_of_size


def saved(folder: Path, seed: int, size: str = "1") -> Path:
    """A folder with a random network."""
    torch.manual_seed(seed)
    weights.save(Network(shape_of_size(size)), folder, {"runs": [seed]}, rounded=True)
    return folder


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_every_weight_lies_between_those_of_both(share: float, tmp_path: Path) -> None:
    """Up to the steps in which matrices are stored; the card says what was averaged."""
    old, new = weights.load(saved(tmp_path / "old", 0)), weights.load(saved(tmp_path / "new", 1))
    before, after = ({k: v.clone() for k, v in each.network.state_dict().items()} for each in (old, new))
    average(old, new, share, tmp_path / "mixed")
    found = weights.load(tmp_path / "mixed")
    for name, value in found.network.state_dict().items():
        expected = (1 - share) * before[name] + share * after[name]
        step = expected.abs().amax(-1, keepdim=True) / 127 if expected.ndim > 1 else expected.abs().amax() / 127
        assert bool(((value - expected).abs() <= step).all()), name
    assert found.card["runs"] == [1, {"average": {"of": [old.fingerprint, new.fingerprint], "share": share}}]


@pytest.mark.parametrize("arguments", [["--share", "1.5"], []])
def test_what_cannot_be_averaged_is_a_message(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Shares outside of 0 to 1, and networks of different shapes."""
    old, new = saved(tmp_path / "old", 0), saved(tmp_path / "new", 1, size="2")
    with pytest.raises(SystemExit):
        main([str(old), str(new), "--out", str(tmp_path / "mixed"), *arguments])
    assert "share must lie" in (error := capsys.readouterr().err) or "differ in shape" in error
