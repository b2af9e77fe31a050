"""The benchmark of imagination: its work needs no sandbox and no Gymnasium, and its measures measure."""

import subprocess
import sys

import pytest
import torch

from benchmarks.imagination import chosen
from benchmarks.imagination_parts.bandwidth_limits import bandwidth
from benchmarks.imagination_parts.cost_growth import written
from benchmarks.imagination_parts.generate_peer import Saying, peer
from benchmarks.imagination_parts.imagination_work import calls, loops, repair
from cwm_agent.engine.network import Network, count_parameters
from cwm_agent.engine.shape import shape_of_size
from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.engine.weights import TrainedModel

HIDDEN = """
import sys
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "gymnasium":
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Hide())
import benchmarks.imagination, benchmarks.imagination_parts.imagination_work as work
print(len(work.calls(2, 0)), len(work.repair("overlap", 1, 0)), "torch" in sys.modules)
"""


def test_work_is_the_same_for_the_same_seed_and_runs_nothing() -> None:
    assert calls(6, 0) == calls(6, 0) != calls(6, 1)
    assert len({start.program for start in calls(6, 0)}) == 6
    assert {start.frame.event for start in [*repair("overlap", 5, 0), *loops(2, 10)]} == {"call"}


def test_the_peer_is_as_large_as_the_model_and_can_be_timed() -> None:
    torch.set_num_threads(1)
    shape = shape_of_size("tiny")
    other = peer(shape, "cpu")
    assert other.parameters == pytest.approx(count_parameters(Network(shape)), rel=0.05)
    assert other.seconds([Saying((1, 2, 3), 4)]) > 0


def test_no_device_beats_its_bandwidth() -> None:
    torch.set_num_threads(1)
    found = bandwidth(TrainedModel(Network(shape_of_size("small")), BYTES, {}, "noise"), "cpu", rows=(1, 3), seed=0)
    assert [row["rows"] for row in found["rows"]] == [1, 3]
    assert all(row["share_of_limit"] > 0 for row in found["rows"])


def test_a_section_that_does_not_exist_is_refused() -> None:
    with pytest.raises(Exception, match="no section 'sped'"):
        chosen("start,sped")


def test_it_runs_where_there_is_no_gymnasium() -> None:
    done = subprocess.run([sys.executable, "-c", HIDDEN], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["2", "7", "True"]


def test_a_program_of_so_many_lines_runs_each_once() -> None:
    source = written(12, 0)
    assert len(source.splitlines()) == 12
    assert source == written(12, 0) != written(12, 1)
    assert all(line.startswith(f"    {line[4]} = ") for line in source.splitlines()[1:-1])
