"""`benchmarks.ladder_noise`: an oracle of known error rates whose errors drift on, through the plans of the ladder."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.ladder_noise import DriftingBench, main
from benchmarks.ladder_parts.drifting_oracle import DriftingOracle
from cwm_agent.oracles.history_protocol import ENDED, HistoryQuery, Malformed
from cwm_agent.oracles.wrappers.noise import Rates
from cwm_agent.training.steps.history_examples import swap_cases
from envs.execution.state.history_frames import HistoryFrame


@pytest.mark.parametrize("conditional", [False, True])
def test_without_errors_every_frame_is_the_real_one(conditional: bool) -> None:
    oracle = DriftingBench(Rates(), 0).history_oracle
    for program, history in swap_cases(8, 4, conditional=conditional):
        queries = [HistoryQuery(program, history.frames[:count]) for count in range(1, len(history.frames) + 1)]
        assert [each.said for each in oracle.continue_(queries)] == [*history.frames[1:], ENDED]


def test_a_wrong_value_drifts_on() -> None:
    [(program, history)] = swap_cases(2, 1)
    call, first, *_ = history.frames
    wrong = replace(first, locals=(("a", "9"), *first.locals[1:]))
    [after] = DriftingOracle().continue_([HistoryQuery(program, (call, wrong))])
    assert isinstance(after.said, HistoryFrame)
    assert ("c", "9") in after.said.locals  # the first command swaps a and c


def test_each_problem_has_an_oracle_of_its_own() -> None:
    [(program, history)] = swap_cases(12, 1)
    queries = [HistoryQuery(program, history.frames[:count]) for count in range(1, len(history.frames))]
    bench = DriftingBench(Rates(state=0.5), 0)
    one, other = ([each.said for each in bench.history_oracle.continue_(queries)] for _ in range(2))
    assert one != other


@pytest.mark.parametrize("change", [{"lines": ()}, {"locals": ()}])
def test_a_frame_that_leads_nowhere_is_malformed(change: dict[str, tuple[()]]) -> None:
    [(program, history)] = swap_cases(2, 1)
    wrong = replace(history.frames[1], **change)
    [after] = DriftingOracle().continue_([HistoryQuery(program, (history.frames[0], wrong))])
    assert isinstance(after.said, Malformed)


def test_the_command_measures_plans_and_continues(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nearly every frame wrong: no plan works; the second call measures the missing rate only."""
    out = tmp_path / "noise.json"
    asked = ["--distances", "2", "--problems", "2", "--out", str(out)]
    assert main(["--rates", "0.95", *asked]) == 0
    first = json.loads(out.read_text())["plans"]
    assert [each["first"] for each in first] == [0, 0, 0, 0]
    assert main(["--rates", "0.95,0.0001", *asked]) == 0
    plans = json.loads(out.read_text())["plans"]
    assert plans[:4] == first
    assert [each["first"] for each in plans[4:]] == [2, 2, 2, 2]
    assert "8 of 8 cells" in capsys.readouterr().out
