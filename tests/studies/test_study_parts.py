"""Parts of studies: the ledger that continues, shared answers, figures, worker processes, and the command."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from cwm_agent import study as study_command
from cwm_agent.jobs.placement import Placement
from cwm_agent.oracles.history_protocol import Action, HistoryPrediction, HistoryQuery
from cwm_agent.oracles.protocol import Answer, Malformed, Prediction, Query
from cwm_agent.records.jsonl_file import RecordsInUse
from cwm_agent.reports.study_figures import StudyFigure, named, svg_of
from cwm_agent.studies.errors import BadLedger, CannotMeasure, UnknownStudy
from cwm_agent.studies.experiments.dose_response import Dose
from cwm_agent.studies.experiments.measured_rollouts import FIRST_AHEAD, measured_rows
from cwm_agent.studies.experiments.state_tracking import Tracking
from cwm_agent.studies.experiments.swap_programs import swap_programs
from cwm_agent.studies.intervals import gap, share
from cwm_agent.studies.job import CellJob, FailedCell, MeasuredCell, RefusedCell, measured
from cwm_agent.studies.ledger import Ledger
from cwm_agent.studies.shared_answers import SharedAnswers, SharedHistories
from cwm_agent.studies.study_order import Order
from cwm_agent.studies.study_protocol import CellResult, Row, Study, StudyOutput
from cwm_agent.studies.study_registry import studies_named
from cwm_agent.studies.study_runner import StudyProgress, run_studies
from cwm_agent.studies.workbench import Workbench
from cwm_agent.study import main
from envs.execution.decompose.program import decomposed, plain
from envs.execution.state.frames import Frame
from envs.execution.state.history_frames import HistoryFrame
from envs.execution.stepper.first_frame import first_frame

EMPTY = StudyFigure("Throws", [], named("n", ["a"]), named("m", ["b"]))


@dataclass(frozen=True, slots=True)
class Throw:
    sides: int


def throws(seen: list[int]) -> Study[Throw]:
    """A study of three cells that notes which of them were measured."""

    def measure(cell: Throw, bench: Workbench) -> Sequence[Row]:
        seen.append(cell.sides)
        return [{"program": 0, "seen": cell.sides}]

    def shown(results: Sequence[CellResult[Throw]]) -> StudyOutput:
        return StudyOutput({"throws": EMPTY}, ", ".join(str(each.rows[0]["seen"]) for each in results))

    return Study(
        name="throws",
        question="How many?",
        cell=Throw,
        cells=lambda quick: [Throw(n) for n in ((2,) if quick else (2, 4, 6))],
        measure=measure,
        shown=shown,
        cost=lambda cell: cell.sides,
    )


def table(
    study: Study[Throw], order: Order, on_progress: Callable[[StudyProgress], None] = lambda progress: None
) -> str:
    return run_studies([study], order, on_progress).outputs[study.name].table


def test_a_measured_cell_is_not_measured_again_but_one_with_an_incomplete_row_is(tmp_path: Path) -> None:
    seen: list[int] = []
    study, order = throws(seen), Order(tmp_path, "exact")
    table(study, replace(order, quick=True))
    reported: list[StudyProgress] = []
    assert table(study, order, reported.append) == "2, 4, 6"
    assert seen == [2, 6, 4]
    assert [(each.done, each.total) for each in reported] == [(2, 3), (3, 3)]
    path = tmp_path / "throws.jsonl"
    path.write_text(path.read_text()[:-20])
    assert table(study, order) == "2, 4, 6"
    assert seen == [2, 6, 4, 4]
    assert (tmp_path / "throws.svg").read_text() == svg_of(EMPTY)
    assert (tmp_path / "throws.md").read_text().startswith("How many?")


def test_results_of_another_oracle_or_seed_stay_apart_in_one_file(tmp_path: Path) -> None:
    seen: list[int] = []
    for oracle, seed in (("exact", 0), ("exact", 1), ("none", 0)):
        table(throws(seen), Order(tmp_path, oracle, seed, quick=True))
    assert seen == [2, 2, 2]
    lines = [json.loads(line) for line in (tmp_path / "throws.jsonl").read_text().splitlines()]
    assert [(line["oracle"], line["seed"]) for line in lines] == [("exact", 0), ("exact", 1), ("none", 0)]


def test_no_cell_starts_after_the_time_limit(tmp_path: Path) -> None:
    seen: list[int] = []
    assert table(throws(seen), Order(tmp_path, "exact", seconds=-1.0)) == ""
    assert seen == []


def test_a_cell_that_fails_is_reported_and_the_others_continue(tmp_path: Path) -> None:
    study = throws([])

    def measure(cell: Throw, bench: Workbench) -> Sequence[Row]:
        if cell.sides == 4:
            raise ZeroDivisionError("a die without sides")
        return study.measure(cell, bench)

    reported: list[StudyProgress] = []
    found = run_studies([replace(study, measure=measure)], Order(tmp_path, "exact"), reported.append)
    assert (found.outputs["throws"].table, found.failed) == ("2, 6", 1)
    assert [(each.cell, each.failed) for each in reported if each.failed] == [
        (Throw(4), "ZeroDivisionError: a die without sides")
    ]


def test_other_weights_under_the_same_name_are_refused(tmp_path: Path) -> None:
    seen: list[int] = []
    study = replace(throws(seen), views=lambda cell: "local")
    with Ledger(tmp_path / "throws.jsonl", "exact", 0) as ledger:
        ledger.append(Throw(2), [{"seen": 2}], view="local", answered_by="exact, as it was", seconds=1.0)
        assert ledger.answered_by("history") == frozenset()
    with pytest.raises(CannotMeasure, match="another folder"):
        table(study, Order(tmp_path, "exact"))
    assert seen == []


def test_a_ledger_has_one_writer_at_a_time(tmp_path: Path) -> None:
    with Ledger(tmp_path / "x.jsonl", "exact", 0), pytest.raises(RecordsInUse, match="Another process writes"):
        Ledger(tmp_path / "x.jsonl", "exact", 0)
    Ledger(tmp_path / "x.jsonl", "exact", 0)


def test_a_ledger_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"version": 99}\n')
    with pytest.raises(BadLedger, match="version 99"):
        Ledger(tmp_path / "x.jsonl", "exact", 0)


class Counting:
    """Says line 3 to everything, and counts."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[Query] = []

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        self.asked += queries
        return [Prediction(Answer(line=3)) for _ in queries]


def test_equal_questions_are_asked_once_and_an_allowed_answer_is_reused_under_a_constraint() -> None:
    program = decomposed("def f(a):\n    a = a + 1\n    return a\n", "f")
    frame = first_frame(program, "1")
    assert isinstance(frame, Frame)
    free, allowed, other = (
        Query(program, frame, None, "program", lines=lines) for lines in (None, frozenset({2, 3}), frozenset({2}))
    )
    inner = Counting()
    oracle = SharedAnswers(inner)
    oracle.imagine([free, free])
    oracle.imagine([free, allowed])
    assert inner.asked == [free]
    oracle.imagine([other])
    assert inner.asked == [free, other]


class Speechless(Counting):
    """Says nothing that can be read."""

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        self.asked += queries
        return [Prediction(Malformed("", "nothing")) for _ in queries]


def test_a_run_with_a_malformed_answer_is_not_asked_ahead_to_its_end() -> None:
    """Where nothing readable is said, a long run costs as much as a short one."""
    with Workbench("exact") as bench:
        runs = [each.run(bench, "local") for each in swap_programs("straight", 5, 64, count=2, seed=0)]
    oracle = Speechless()
    rows = measured_rows(runs, oracle, "program", "free")
    assert [(row["complete"], row["end"]) for row in rows] == [(False, "malformed")] * 2
    assert len(oracle.asked) == 2 * (FIRST_AHEAD + 1)


class CountingHistory:
    """Says a return to everything, and counts."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[HistoryQuery] = []

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        self.asked += queries
        return [HistoryPrediction(HistoryFrame("return", "    return a", (2,), arg="1")) for _ in queries]


def test_a_history_is_continued_once_and_an_allowed_frame_is_reused_under_a_constraint() -> None:
    program = plain("def f(a):\n    return a\n", "f")
    frames = (HistoryFrame("call", "def f(a):", (1,), (("a", "1"),)),)
    free, allowed, other = (
        HistoryQuery(program, frames, actions)
        for actions in (
            None,
            frozenset({Action("return", "    return a")}),
            frozenset({Action("line", "    return a")}),
        )
    )
    inner = CountingHistory()
    oracle = SharedHistories(inner)
    first = oracle.continue_([free])
    assert oracle.continue_([free, allowed]) == first * 2
    assert inner.asked == [free]
    oracle.continue_([other])
    assert inner.asked == [free, other]


def test_swap_programs_are_the_same_each_time_and_a_longer_list_begins_with_the_shorter() -> None:
    assert swap_programs("branching", 5, 8, count=2, seed=0) == swap_programs("branching", 5, 8, count=4, seed=0)[:2]
    assert swap_programs("straight", 5, 8, count=2, seed=0) != swap_programs("straight", 5, 8, count=2, seed=1)
    assert len({each.source for each in swap_programs("straight", 8, 16, count=5, seed=0)}) == 5


def test_shares_and_gaps_come_with_intervals() -> None:
    value, interval = share([1.0, 0.0, 1.0, 1.0])
    assert value == 0.75
    assert interval.low < value < interval.high
    first = [{"program": number, "right": True} for number in range(4)]
    second = [{"program": number, "right": False} for number in range(2, 6)]
    found = gap(first, second, "right")
    assert found is not None
    value, interval = found.value, found.interval
    assert (value, interval.high, found.p) == (1.0, 1.0, 0.5)
    assert interval.low < 1.0


def test_a_study_is_found_by_name_and_a_misspelt_one_gets_a_hint() -> None:
    assert [study.name for study in studies_named("tracking")] == ["tracking"]
    assert len(studies_named("all")) == 9
    with pytest.raises(UnknownStudy, match="Did you mean 'tracking'"):
        studies_named("trackin")


def test_the_command_runs_a_study_and_reports_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing", "--out", str(tmp_path)]) == 2
    assert "No study named 'nothing'" in capsys.readouterr().err
    assert main(["tracking", "--oracle", "nonsense", "--seconds", "5", "--out", str(tmp_path)]) == 2
    assert main(["tracking", "--oracle", "exact", "--seconds", "0", "--out", str(tmp_path)]) == 0
    assert "Up to which length" in capsys.readouterr().out
    for wrong in (["--views", "lokal"], ["--jobs", "0"]):
        with pytest.raises(SystemExit):
            main(["tracking", *wrong, "--out", str(tmp_path)])


SMALL = Order(Path(), "noisy:iid:state=0.2,seed=3", quick=True)


def small(name: str) -> list[Study[Any]]:
    """A study cut down to a few cells that differ in cost and share questions."""
    [study] = studies_named(name)
    cells: dict[str, Sequence[object]] = {
        "tracking": [
            Tracking(
                view="local", guide="grounded", level="operations", form="branching", items=5, swaps=4, programs=2
            ),
            Tracking(view="program", guide="free", level="operations", form="branching", items=5, swaps=4, programs=2),
            Tracking(
                view="program", guide="forced", level="operations", form="branching", items=5, swaps=4, programs=2
            ),
        ],
        "dose": [
            Dose(
                part="plans",
                noise="iid",
                guide="grounded",
                action=0.0,
                state=0.3,
                form="adjacent",
                distance=distance,
                count=2,
            )
            for distance in (2, 3)
        ],
    }
    return [replace(study, cells=lambda quick: cells[name])]


def rows_of(out: Path) -> dict[str, object]:
    """All results by study and cell, without how long they took."""
    found: dict[str, object] = {}
    for path in out.glob("*.jsonl"):
        for line in path.read_text().splitlines():
            result = json.loads(line)
            found[f"{path.stem} {result['cell']}"] = (result["rows"], result["answered_by"])
    return found


def test_the_numbers_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    """Also with random errors: each cell starts with empty caches."""
    studies = [*small("tracking"), *small("dose")]
    for jobs in (1, 3):
        assert run_studies(studies, replace(SMALL, out=tmp_path / str(jobs), placement=Placement(jobs))).failed == 0
    again = replace(SMALL, out=tmp_path / "again")
    for name in ("dose", "tracking"):
        run_studies(small(name), again)
    one, three, twice = (rows_of(tmp_path / name) for name in ("1", "3", "again"))
    assert len(one) == 5
    assert one == three == twice


class Dying:
    """An oracle that takes its process along."""

    name = "dying"

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        os.kill(os.getpid(), signal.SIGKILL)
        return []


def test_a_process_that_dies_fails_its_cell_and_is_replaced(tmp_path: Path) -> None:
    reported: list[StudyProgress] = []
    order = Order(tmp_path, f"{__name__}:Dying", placement=Placement(2, retries=0))
    found = run_studies([*small("tracking"), *small("dose")], order, reported.append)
    assert found.failed == 3
    assert {each.failed for each in reported if each.failed} == {
        "The process that did the job ended with exit code -9."
    }
    assert [each.study for each in reported if not each.failed] == ["dose", "dose"]


def test_a_failing_oracle_stops_the_study_and_a_failing_cell_only_itself() -> None:
    [study] = small("tracking")
    job = CellJob(study, study.cells(True)[0])
    with Workbench("nonsense") as bench:
        assert isinstance(measured(job, bench), RefusedCell)
    with Workbench("exact") as bench:
        assert isinstance(measured(job, bench), MeasuredCell)
        assert isinstance(measured(CellJob(study, replace(job.cell, guide="nonsense")), bench), FailedCell)


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)],
    ids=["interrupt", "plain kill", "kill -9"],
)
def test_a_stopped_study_loses_only_unfinished_cells(tmp_path: Path, number: int, code: int) -> None:
    """Its processes end too, the rows on the disk are whole, and the same command continues."""
    returncode, lines = _stopped_study(tmp_path, number)
    assert returncode == code
    kept = [json.loads(line) for line in (tmp_path / "tracking.jsonl").read_text().splitlines()]
    assert len(kept) >= sum(b" of 52 " in line for line in lines) >= 1
    continued: list[StudyProgress] = []
    run_studies(studies_named("tracking"), Order(tmp_path, "exact", quick=True), continued.append)
    assert continued[0].done == len(kept) + 1
    assert len(rows_of(tmp_path)) == 52


def _stopped_study(folder: Path, number: int) -> tuple[int, list[bytes]]:
    """Exit status and lines of a study that is sent a signal after its first cell.

    Interrupts are not ignored, as a process in the background of a shell would ignore them, and its children too.
    """
    command = [sys.executable, "-m", "cwm_agent.study", "tracking", "--quick", "--oracle", "exact", "--jobs", "2"]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        out = ["--out", str(folder)]
        with subprocess.Popen([*command, *out], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as run:
            assert run.stderr is not None
            lines = [run.stderr.readline()]
            run.send_signal(number)
            lines += run.stderr.readlines()  # to the end: no process is left that could write
        return run.returncode, lines
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_help_lists_every_study() -> None:
    listed = [
        line.split()[0] for line in (study_command.__doc__ or "").splitlines() if line[:4].isspace() and line.strip()
    ]
    assert {study.name for study in studies_named("all")} <= {*listed}
