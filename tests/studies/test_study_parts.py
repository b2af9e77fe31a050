"""What studies are made of: the ledger that goes on, oracles asked once, figures, and the command."""

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from cwm_agent.oracles.histories import Action, HistoryPrediction, HistoryQuery
from cwm_agent.oracles.protocol import Answer, Prediction, Query
from cwm_agent.studies.asked_once import AskedOnce, ToldOnce
from cwm_agent.studies.figures import Line, Mark, Panel, figure, named, powers_of, share_scale
from cwm_agent.studies.intervals import gap, share
from cwm_agent.studies.ledger import BadLedger, Ledger
from cwm_agent.studies.names import UnknownStudy, studies_named
from cwm_agent.studies.running import Progress, carry_out
from cwm_agent.studies.study import Result, Row, Sheet, Study
from cwm_agent.studies.swap_programs import swap_programs
from cwm_agent.studies.tables import markdown
from cwm_agent.studies.together import Order, carry_out_together
from cwm_agent.studies.workbench import Workbench
from cwm_agent.study import main
from envs.execution.entering import first_frame
from envs.execution.frames import Frame
from envs.execution.history import HistoryFrame
from envs.execution.program import decomposed, plain


@dataclass(frozen=True, slots=True)
class Throw:
    sides: int


def throws(measured: list[int]) -> Study[Throw]:
    """A study of three cells that notes which of them were measured."""

    def measure(cell: Throw, bench: Workbench) -> Sequence[Row]:
        measured.append(cell.sides)
        return [{"program": 0, "seen": cell.sides}]

    def shown(results: Sequence[Result[Throw]]) -> Sheet:
        return Sheet({"throws": "<svg/>"}, ", ".join(str(each.rows[0]["seen"]) for each in results))

    return Study(
        "throws", "How many?", Throw, lambda quick: [Throw(n) for n in ((2,) if quick else (2, 4, 6))], measure, shown
    )


def test_a_finished_cell_is_not_measured_again_and_a_torn_line_is(tmp_path: Path) -> None:
    measured: list[int] = []
    study, bench = throws(measured), Workbench("exact")
    carry_out(study, tmp_path, bench, quick=True)
    told: list[Progress] = []
    assert carry_out(study, tmp_path, bench, told=told.append).table == "2, 4, 6"
    assert measured == [2, 4, 6]
    assert [each.done for each in told] == [2, 3]
    path = tmp_path / "throws.jsonl"
    path.write_text(path.read_text()[:-20])
    assert carry_out(study, tmp_path, bench).table == "2, 4, 6"
    assert measured == [2, 4, 6, 6]
    assert (tmp_path / "throws.svg").read_text() == "<svg/>"
    assert (tmp_path / "throws.md").read_text().startswith("How many?")


def test_results_of_another_oracle_or_seed_stay_apart_in_one_file(tmp_path: Path) -> None:
    measured: list[int] = []
    for bench in (Workbench("exact"), Workbench("exact", 1), Workbench("none")):
        carry_out(throws(measured), tmp_path, bench, quick=True)
    assert measured == [2, 2, 2]
    lines = [json.loads(line) for line in (tmp_path / "throws.jsonl").read_text().splitlines()]
    assert [(line["oracle"], line["seed"]) for line in lines] == [("exact", 0), ("exact", 1), ("none", 0)]


def test_no_cell_is_begun_when_the_time_is_over(tmp_path: Path) -> None:
    measured: list[int] = []
    assert carry_out(throws(measured), tmp_path, Workbench("exact"), until=0.0).table == ""
    assert measured == []


def test_other_weights_under_the_same_name_are_refused(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "x.jsonl", "embedded", 0)
    ledger.append(Throw(2), [], "local", "embedded:aaa", 1.0)
    ledger.check("local", "embedded:aaa")
    ledger.check("history", "embedded-history:bbb")
    with pytest.raises(BadLedger, match="another folder"):
        Ledger(tmp_path / "x.jsonl", "embedded", 0).check("local", "embedded:ccc")


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


def test_the_same_is_asked_once_and_an_allowed_word_stands_under_a_constraint() -> None:
    program = decomposed("def f(a):\n    a = a + 1\n    return a\n", "f")
    frame = first_frame(program, "1")
    assert isinstance(frame, Frame)
    free, allowed, other = (
        Query(program, frame, None, "program", lines) for lines in (None, frozenset({2, 3}), frozenset({2}))
    )
    inner = Counting()
    oracle = AskedOnce(inner)
    oracle.imagine([free, free])
    oracle.imagine([free, allowed])
    assert inner.asked == [free]
    oracle.imagine([other])
    assert inner.asked == [free, other]


class CountingHistory:
    """Says a return to everything, and counts."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[HistoryQuery] = []

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        self.asked += queries
        return [HistoryPrediction(HistoryFrame("return", "    return a", (2,), arg="1")) for _ in queries]


def test_a_history_is_continued_once_and_an_allowed_frame_stands_under_a_constraint() -> None:
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
    oracle = ToldOnce(inner)
    first = oracle.continue_([free])
    assert oracle.continue_([free, allowed]) == first * 2
    assert inner.asked == [free]
    oracle.continue_([other])
    assert inner.asked == [free, other]


def test_swap_programs_are_the_same_each_time_and_a_longer_list_begins_with_the_shorter() -> None:
    assert swap_programs("branching", 5, 8, 2, 0) == swap_programs("branching", 5, 8, 4, 0)[:2]
    assert swap_programs("straight", 5, 8, 2, 0) != swap_programs("straight", 5, 8, 2, 1)
    assert len({each.source for each in swap_programs("straight", 8, 16, 5, 0)}) == 5


def test_shares_and_gaps_come_with_intervals() -> None:
    value, interval = share([1.0, 0.0, 1.0, 1.0])
    assert value == 0.75
    assert interval.low < value < interval.high
    first = [{"program": number, "right": True} for number in range(4)]
    second = [{"program": number, "right": False} for number in range(2, 6)]
    value, interval = gap(first, second, "right")
    assert (value, interval.low, interval.high) == (1.0, 1.0, 1.0)


def test_a_figure_is_svg_with_a_panel_a_title_and_a_mark_a_point() -> None:
    panels = [
        Panel("a < b", (Line("x & y", (Mark(1, 0.5, 0.4, 0.6), Mark(64, 1.0))), Line("z", (Mark(8, 0.0),), True)))
    ] * 4
    root = ElementTree.fromstring(figure("T", panels, powers_of("n", [1, 64]), share_scale("s")))  # noqa: S314
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert texts.count("a < b") == 4
    assert len([element for element in root.iter() if element.tag.endswith("circle")]) == 12


def test_scales_hold_their_values_and_clip_what_lies_beyond() -> None:
    scale = powers_of("n", [8, 1024])
    assert list(scale.ticks) == [8, 16, 32, 64, 128, 256, 512, 1024]
    assert (scale.place(8), scale.place(1024), scale.place(1)) == (0.0, 1.0, 0.0)
    assert named("x", ["a", "b"]).place(0.5) == 0.5


def test_a_table_is_markdown() -> None:
    assert markdown(("a", "b"), [(1, None), (0.12345, "x")]) == "| a | b |\n| --- | --- |\n| 1 | - |\n| 0.123 | x |\n"


def test_a_study_is_found_by_name_and_a_misspelt_one_gets_a_hint() -> None:
    assert [study.name for study in studies_named("tracking")] == ["tracking"]
    assert len(studies_named("all")) == 7
    with pytest.raises(UnknownStudy, match="Did you mean 'tracking'"):
        studies_named("trackin")


def test_the_command_carries_out_a_study_and_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["nothing", "--out", str(tmp_path)]) == 2
    assert "No study named 'nothing'" in capsys.readouterr().err
    assert main(["tracking", "--oracle", "nonsense", "--seconds", "5", "--out", str(tmp_path)]) == 2
    assert main(["tracking", "--oracle", "exact", "--seconds", "0", "--out", str(tmp_path)]) == 0
    assert "How long is a swap program" in capsys.readouterr().out
    for wrong in (["--views", "lokal"], ["--jobs", "0"]):
        with pytest.raises(SystemExit):
            main(["tracking", *wrong, "--out", str(tmp_path)])


def test_two_processes_carry_out_two_studies_and_give_them_back_in_order(tmp_path: Path) -> None:
    order = Order(tmp_path, "exact", quick=True, seconds=0.0)
    found = [name for name, _ in carry_out_together(["budget", "tracking"], order, jobs=2)]
    assert found == ["budget", "tracking"]
    assert (tmp_path / "budget.md").exists()
