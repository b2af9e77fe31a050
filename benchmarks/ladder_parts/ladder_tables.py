"""Tables and sentences of the ladder, as Markdown."""

from collections.abc import Iterator, Sequence

from benchmarks.ladder_parts.depth_law import (
    PREDICTORS,
    depth_of,
    deviance,
    law_fit,
    rank_correlation,
    trace_cells,
)
from benchmarks.ladder_parts.ladder_points import FORMS, TRAINED, LadderPoint, NoisePoint, PlanCount
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.verification.statistics.exact_intervals import FEWEST


def checkpoint_table(points: Sequence[LadderPoint]) -> str:
    """One line for each checkpoint and form."""
    rows = [
        (
            point.rung,
            point.checkpoint,
            point.form,
            _rate(point, "action"),
            _rate(point, "state"),
            " ".join(f"{each.free}" for each in point.traces),
            " ".join(f"{each.forced}" for each in point.traces),
            _worked(point.plans),
            _depth(point.plans),
        )
        for point in points
    ]
    lengths = ", ".join(str(each.swaps) for each in points[0].traces) if points else ""
    programs = points[0].traces[0].programs if points else 0
    head = ("parameters", "share of training", "programs", "wrong actions a frame", "wrong states a frame")
    traces = (f"whole traces of {programs}, free, {lengths} swaps", "forced")
    return markdown((*head, *traces, "plans that work, distance: of all", "depth (interval)"), rows)


def noise_table(points: Sequence[NoisePoint]) -> str:
    """One line for each rate and form of the oracle of known errors."""
    rows = [(each.part, f"{each.rate:g}", each.form, _worked(each.plans), _depth(each.plans)) for each in points]
    return markdown(("errors in", "rate a frame", "programs", "plans that work", "depth (interval)"), rows)


def predictor_table(points: Sequence[LadderPoint]) -> str:
    """Which errors predict planning depth: rank correlation, and deviance of the survival law."""
    rows = []
    for form in (*FORMS, "all"):
        chosen = [point for point in points if form in ("all", point.form)]
        for predictor in PREDICTORS:
            ranks, fit = rank_correlation(chosen, predictor), law_fit(chosen, predictor)
            if fit is None:
                continue
            rho = "none: all equal, or under 3 checkpoints" if ranks is None else f"{ranks[0]:+.2f} (p {ranks[1]:.2g})"
            numbers = (f"{fit.deviance:,.0f}", f"{fit.fitted:,.0f}", f"{fit.exponent:.3g}", f"{fit.constant:,.0f}")
            rows.append((form, predictor, fit.cells, rho, *numbers))
    head = ("programs", "errors in", "cells", "rank correlation", "deviance of (1 - e)^n", "of (1 - e)^(cn)", "c")
    return markdown((*head, "of one share for all"), rows)


def length_table(points: Sequence[LadderPoint]) -> str:
    """Whole free traces by length beside what the law predicts, over all checkpoints."""
    rows = []
    for form in FORMS:
        chosen = [point for point in points if point.form == form]
        for swaps in sorted({each.swaps for point in chosen for each in point.traces}):
            cells = trace_cells(chosen, lambda length, swaps=swaps: length == swaps)  # type: ignore[misc]
            right, trials = (sum(each[at] for each in cells) for at in (0, 1))
            expected = sum(count * predicted for _, count, predicted in cells)
            forced = sum(each.forced for point in chosen for each in point.traces if each.swaps == swaps)
            trained = "" if swaps <= TRAINED else "beyond training"
            rows.append((form, swaps, trained, right, f"{expected:.0f}", trials, f"{deviance(cells):,.0f}", forced))
    head = ("programs", "swaps", "", "free traces right", "predicted", "of", "deviance", "forced traces right")
    return markdown(head, rows)


def remarks(points: Sequence[LadderPoint]) -> Iterator[str]:
    """Sentences about results that figures hide: no plan at all, only plans that work, few programs."""
    planned = [point for point in points if point.plans]
    if not points:
        yield "No checkpoint was measured."
    elif not planned:
        yield "No plan was measured: there is no planning depth to show."
    elif all(each.worked == 0 for point in planned for each in point.plans):
        yield "No plan of any checkpoint works: the depth is 0 everywhere, and nothing can predict it."
    elif all(each.worked == each.problems for point in planned for each in point.plans):
        yield "Every plan of every checkpoint works: no limit of depth was seen, and nothing can predict it."
    silent = [point for point in points if point.action.errors == point.action.frames]
    if silent:
        yield f"{len(silent)} of {len(points)} points have no right action (nothing said, or malformed text)."
    perfect = [point for point in points if not point.action.errors + point.state.errors]
    if perfect:
        yield f"{len(perfect)} of {len(points)} points made no error in the frames of trained length."
    if any(each.problems < FEWEST for point in planned for each in point.plans):
        yield f"Some cells have fewer than {FEWEST} plans and carry no sentence."


def _rate(point: LadderPoint, part: str) -> str:
    count = point.error(part)
    low, high = count.interval.low, count.interval.high
    return f"{count.errors / count.frames:.4f} ({low:.4f} to {high:.4f})"


def _worked(plans: Sequence[PlanCount]) -> str:
    return ", ".join(f"{each.distance}: {each.worked}/{each.problems}" for each in plans) or "-"


def _depth(plans: Sequence[PlanCount]) -> str:
    found = depth_of(plans)
    if found is None:
        return "-"
    more = " or more" if found.depth == found.farthest else ""
    return f"{found.depth}{more} ({found.low} to {found.high})"
