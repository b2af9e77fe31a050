"""Every study in small, on the exact oracle and on noisy ones: what must come out is known."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from cwm_agent.reports.study_figures import svg_of
from cwm_agent.studies.experiments.decomposition_effect import DECOMPOSITION, Decomposition
from cwm_agent.studies.experiments.dose_response import DOSES, Dose
from cwm_agent.studies.experiments.game_models import GAME_MODELS, GameModelCell
from cwm_agent.studies.experiments.loop_programs import WORK
from cwm_agent.studies.experiments.planning_depth import PLANNING_DEPTH, PlanningDepth
from cwm_agent.studies.experiments.real_looks import LOOKS, Looks
from cwm_agent.studies.experiments.repair_cost import REPAIR_COST, RepairCost
from cwm_agent.studies.experiments.state_tracking import TRACKING, Tracking
from cwm_agent.studies.experiments.string_failures import STRINGS, Strings
from cwm_agent.studies.experiments.token_budgets import BUDGETS, Execution
from cwm_agent.studies.study_protocol import CellResult, Study, StudyOutput
from cwm_agent.studies.study_registry import STUDIES
from cwm_agent.studies.workbench import Workbench


@pytest.fixture(scope="module")
def exact() -> Iterator[Workbench]:
    with Workbench("exact") as bench:
        yield bench


@pytest.fixture(scope="module")
def noisy() -> Iterator[Workbench]:
    with Workbench("noisy:systematic:action=0.2") as bench:
        yield bench


def measured(study: Study[Any], cells: Sequence[Any], bench: Workbench) -> tuple[list[CellResult[Any]], StudyOutput]:
    """The cells measured and shown; every figure must be SVG, every cell in the table."""
    results = [CellResult(cell, tuple(study.measure(cell, bench))) for cell in cells]
    output = study.shown(results)
    for figure in output.figures.values():
        assert ElementTree.fromstring(svg_of(figure)).tag.endswith("svg")  # noqa: S314  # our own text
    return results, output


@pytest.mark.parametrize("view", ["history", "program", "local"])
@pytest.mark.parametrize("guide", ["free", "forced"])
def test_the_exact_oracle_tracks_every_program_in_every_view(exact: Workbench, view: Any, guide: str) -> None:
    level: Any = "plain" if view == "history" else "operations"
    (result,), output = measured(
        TRACKING, [Tracking(view=view, guide=guide, level=level, form="branching", items=5, swaps=4, programs=2)], exact
    )
    assert [(row["complete"], row["final"]) for row in result.rows] == [(True, True)] * 2
    assert "2 of 2" in output.table


def test_action_errors_break_free_rollouts_and_not_forced_ones(noisy: Workbench) -> None:
    """The paper's figure in small: an oracle that errs in actions alone collapses free and holds forced."""
    ways = [
        ("history", "free"),
        ("history", "forced"),
        ("program", "free"),
        ("program", "forced"),
        ("local", "grounded"),
    ]
    cells = [
        Tracking(
            view=view,
            guide=guide,
            level="plain" if view == "history" else "operations",
            form="straight",
            items=5,
            swaps=24,
            programs=3,
        )  # type: ignore[arg-type]
        for view, guide in ways
    ]
    results, output = measured(TRACKING, cells, noisy)
    right = {(each.cell.view, each.cell.guide): sum(row["complete"] for row in each.rows) for each in results}
    assert right == dict(zip(ways, (0, 3, 0, 3, 3), strict=True))
    assert {row["kind"] for each in results[:1] for row in each.rows} == {"action"}
    assert "+1.00" in output.table


def test_markov_views_cost_the_same_at_every_length_and_histories_grow(exact: Workbench) -> None:
    results, output = measured(BUDGETS, [Execution("counting", steps) for steps in (20, 200)], exact)
    short, long = ({row["encoding"]: row for row in each.rows} for each in results)
    assert long["local view"]["longest"] <= short["local view"]["longest"] + 4
    assert long["history, diff"]["longest"] > 8 * short["history, diff"]["longest"]
    assert long["history, diff, decomposed"]["frames"] > long["history, diff"]["frames"]
    assert "lost at 4,096" in output.table


def test_a_diff_saves_where_values_are_longer_than_the_dots_that_stand_for_them(exact: Workbench) -> None:
    lists = {row["encoding"]: row for row in BUDGETS.measure(Execution("swapping", 60), exact)}
    assert lists["history, diff"]["tokens"] < 0.9 * lists["history, dense"]["tokens"]


def test_the_loops_run_about_as_long_as_asked(exact: Workbench) -> None:
    for work in WORK:
        written = BUDGETS.measure(Execution(work, 60), exact)[0]
        assert 40 <= written["frames"] <= 80


def test_grounding_takes_action_errors_away_and_hazards_predict_the_depth(exact: Workbench) -> None:
    cells = [
        Dose(part="reach", noise="iid", guide="free", action=0.2, state=0.0, form="straight", distance=0, count=40),
        Dose(
            part="reach",
            noise="systematic",
            guide="grounded",
            action=0.2,
            state=0.1,
            form="straight",
            distance=0,
            count=40,
        ),
    ]
    (free, grounded), output = measured(DOSES, cells, exact)
    assert {row["kind"] for row in free.rows} <= {"action", None}
    assert {row["kind"] for row in grounded.rows} <= {"state", "control-state", "malformed", None}
    depths = sorted(row["depth"] for row in grounded.rows)
    assert 3 <= depths[len(depths) // 2] <= 12  # 0.1 per step predicts 6.6
    assert "measured d50" in output.table


def test_plans_of_an_exact_oracle_work_and_those_of_a_bad_one_do_not_always(exact: Workbench) -> None:
    cells = [
        Dose(
            part="plans",
            noise="systematic",
            guide="grounded",
            action=0.0,
            state=state,
            form="adjacent",
            distance=4,
            count=4,
        )
        for state in (0.0, 0.5)
    ]
    (good, bad), output = measured(DOSES, cells, exact)
    assert all(row["first"] for row in good.rows)
    assert not all(row["first"] for row in bad.rows)
    assert "real runs" in output.table


def test_the_exact_oracle_composes_flattens_and_spells_strings(exact: Workbench) -> None:
    cells = [Strings("chains", 3, 3), Strings("types", 0, 2), Strings("mutation", 0, 8)]
    (nested, types, mutation), output = measured(STRINGS, cells, exact)
    for way in ("composed", "flattened", "characters"):
        assert all(row[way] for row in nested.rows)
    assert all(row["atomic_asked"] >= 3 and row["atomic_right"] == row["atomic_asked"] for row in nested.rows)
    assert all(row["right"] == row["asked"] for row in types.rows)
    assert all(row["complete"] for row in mutation.rows)
    assert "product of single steps" in output.table


def test_decomposition_compares_the_same_programs_at_both_levels(exact: Workbench) -> None:
    cells = [
        Decomposition(view="history", level="plain", guide="free", programs=2, longest=60),
        Decomposition(view="history", level="operations", guide="free", programs=2, longest=60),
    ]
    (written, split, _), output = measured(
        DECOMPOSITION,
        [*cells, Decomposition(view="local", level="operations", guide="grounded", programs=2, longest=60)],
        exact,
    )
    assert [row["program"] for row in written.rows] == [row["program"] for row in split.rows]
    assert all(row["complete"] for row in (*written.rows, *split.rows))
    assert sum(row["steps"] for row in split.rows) > sum(row["steps"] for row in written.rows)
    assert "decomposed less as written" in output.table


def test_planning_with_exact_works_and_without_an_oracle_hardly(exact: Workbench) -> None:
    oracles = ("exact", "none", "subject")
    cells = [
        PlanningDepth(
            oracle=oracle,
            view="local",
            guide="grounded",
            planner="beam",
            form="straight",
            items=5,
            distance=4,
            problems=3,
        )
        for oracle in oracles
    ]
    (ceiling, control, subject), output = measured(PLANNING_DEPTH, cells, exact)
    assert all(row["first"] and row["commands"] == 4 for row in (*ceiling.rows, *subject.rows))
    assert not any(row["first"] for row in control.rows)
    assert "falls below half of exact" in output.table


@pytest.mark.parametrize("guide", ["free", "cfg"])
def test_plans_are_made_in_the_history_view_too(exact: Workbench, guide: str) -> None:
    planned = PlanningDepth(
        oracle="subject", view="history", guide=guide, planner="beam", form="straight", items=5, distance=3, problems=2
    )
    (result,), output = measured(PLANNING_DEPTH, [planned], exact)
    assert [(row["first"], row["commands"]) for row in result.rows] == [(True, 3)] * 2
    assert f"history, {guide}" in output.table


def test_looks_at_every_command_replace_imagination_and_rarer_ones_cost_less(exact: Workbench) -> None:
    """Without an oracle, looks after each command find the plan that imagination would have found."""
    blind, seen = (
        PlanningDepth(
            oracle=oracle,
            view="local",
            guide="grounded",
            planner="beam",
            form="branching",
            items=5,
            distance=3,
            problems=2,
            every=every,
        )
        for oracle, every in (("none", 1), ("exact", 2))
    )
    (looked, imagined), output = measured(PLANNING_DEPTH, [blind, seen], exact)
    assert all(row["first"] for row in (*looked.rows, *imagined.rows))
    assert min(row["runs"] for row in looked.rows) > max(row["runs"] for row in imagined.rows) > 1
    assert "looks every 1" in output.table


def test_a_repair_costs_two_executions_with_exact_and_without_errors_and_more_without_imagination(
    exact: Workbench,
) -> None:
    cells = [RepairCost("exact", 0.0, 1), RepairCost("state", 0.0, 1), RepairCost("none", 0.0, 1)]
    (ceiling, faultless, control), output = measured(REPAIR_COST, cells, exact)
    assert [row["executions"] for row in (*ceiling.rows, *faultless.rows)] == [2, 2]
    assert control.rows[0]["executions"] > 2
    assert "on the 1 tasks that all share" in output.table


def test_errors_of_a_game_model_make_choices_fail_and_no_errors_do_not(exact: Workbench) -> None:
    cells = [GameModelCell("none", 0.0, 2, 2), *(GameModelCell(kind, 1.0, 2, 2) for kind in ("step", "observe"))]
    (right, *wrong), output = measured(GAME_MODELS, cells, exact)
    assert not any(row["failed"] for row in right.rows)
    assert all(row["failed"] for each in wrong for row in each.rows)
    assert "wrong observations" in output.table


@pytest.mark.parametrize(
    ("oracle", "sentence", "right"),
    [("exact", "Without looks every outcome is right.", True), ("none", "Without looks no outcome is right.", False)],
)
def test_looks_of_a_model_that_is_perfect_or_says_nothing_are_shown_with_a_sentence(
    oracle: str, sentence: str, right: bool
) -> None:
    """The exact oracle needs no look; of an oracle without answers `unsure` looks at every step that it is asked."""
    with Workbench(oracle) as bench:
        (bare, fixed, unsure), output = measured(
            LOOKS, [Looks(guide, 2) for guide in ("grounded", "anchored:8", "unsure:0.5")], bench
        )
    assert [row["final"] for row in bare.rows] == [row["final"] for row in fixed.rows] == [right] * 2
    assert all(row["final"] and row["frames"] == 1.0 for row in unsure.rows)
    assert all((row["looks"] > 0) != right for row in unsure.rows)
    assert sentence in output.table
    assert ("`unsure` took no look" in output.table) == right


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_quick_is_smaller_and_no_cell_stands_twice(study: Study[Any]) -> None:
    quick, full = study.cells(True), study.cells(False)
    assert 0 < len(quick) <= len(full)
    assert quick != full
    assert len(set(full)) == len(full)
    assert study.shown([]).figures == {}
