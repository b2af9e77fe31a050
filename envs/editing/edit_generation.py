"""All edits of a program: the families put together, what does not compile dropped, the same program kept once.

The order is stable: by class as listed here, then by place. Where two classes make the same program, the class that
stands first in FAMILIES keeps it. Knows no tests and no priors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from envs.editing.edit import BadEdit, Edit
from envs.editing.fingerprint import fingerprint
from envs.editing.likely import (
    arithmetic,
    assignments,
    booleans,
    call_arguments,
    comparisons,
    conditions,
    constants,
    grafts,
    insertions,
    loop_updates,
    operands,
    statement_moves,
    subscripts,
    variables,
    wrappers,
)
from envs.editing.source_text import EditDraft, SourceText
from envs.editing.unlikely import extra_conditions as wide_conditions
from envs.editing.unlikely import extra_statements as wide_statements
from envs.editing.unlikely import grown_expressions

Family = Callable[[SourceText], Iterator[EditDraft]]

FAMILIES: tuple[Family, ...] = (
    comparisons.comparisons,
    arithmetic.operators,
    arithmetic.swapped_operands,
    arithmetic.signs,
    booleans.connectives,
    booleans.regroupings,
    booleans.negations,
    constants.constants,
    constants.displays,
    constants.collections,
    variables.variables,
    variables.variables_for_constants,
    variables.targets,
    variables.callees,
    variables.attributes,
    variables.lengths,
    subscripts.indexes,
    subscripts.slices,
    subscripts.items_and_parts,
    subscripts.parts,
    call_arguments.names,
    call_arguments.arguments,
    call_arguments.ranges,
    call_arguments.keywords,
    wrappers.unwraps,
    wrappers.wraps,
    operands.dropped,
    operands.choices,
    operands.one_more_or_less,
    operands.with_variable,
    operands.joined,
    assignments.augmented,
    assignments.resets,
    assignments.results,
    assignments.initial_values,
    conditions.fixed,
    conditions.joined,
    conditions.joined_parts,
    conditions.keywords,
    conditions.filters,
    statement_moves.deleted,
    statement_moves.deleted_pairs,
    statement_moves.deleted_branches,
    statement_moves.swapped,
    statement_moves.moved_out,
    statement_moves.moved_in,
    insertions.copies,
    insertions.else_branches,
    insertions.leaves,
    insertions.guards_behind_loops,
    insertions.base_cases,
    insertions.appends,
    insertions.counts,
    grafts.like_the_neighbour,
    grafts.renamed_together,
    grafts.longer_displays,
    grafts.other_item,
    grafts.grafts,
    loop_updates.updates,
    loop_updates.conditions_before,
)


WIDE_FAMILIES: tuple[Family, ...] = (
    grown_expressions.roundings,
    grown_expressions.arguments,
    grown_expressions.without_item,
    grown_expressions.operands,
    grown_expressions.calls,
    grown_expressions.parts,
    grown_expressions.limits,
    wide_statements.statements,
    wide_conditions.joined,
    wide_conditions.before_statements,
    wide_conditions.leaving_loops,
)
"""Families of many unlikely edits, for when the others are spent."""


@lru_cache(maxsize=512)
def edits(source: str, wanted: tuple[str, ...] = ()) -> tuple[Edit, ...]:
    """Every edit that makes another program that compiles, each such program once, in a stable order.

    `wanted` are constants that the program should give back for some arguments: what tests say of it.
    """
    return tuple(_distinct(source, wanted, FAMILIES))


@lru_cache(maxsize=512)
def further_edits(source: str, wanted: tuple[str, ...] = ()) -> tuple[Edit, ...]:
    """The same without compiling each: a tenth of the time, but some make no program, and some make the same one."""
    return tuple(_distinct(source, wanted, FAMILIES, compiled=False))


def wide_edits(source: str, wanted: tuple[str, ...] = ()) -> tuple[Edit, ...]:
    """Many more edits, all unlikely; none makes a program that one of `edits` makes."""
    common = len(edits(source, wanted))
    return tuple(_distinct(source, wanted, FAMILIES + WIDE_FAMILIES))[common:]


def _distinct(
    source: str, wanted: tuple[str, ...], families: tuple[Family, ...], *, compiled: bool = True
) -> Iterator[Edit]:
    """The edits of some families, each program that they make once; each text once where nothing is compiled."""
    try:
        page = SourceText(source, wanted)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise BadEdit(f"The program does not parse, so it has no edits: {error}") from None
    tried: set[tuple[int, int, str]] = set()
    seen: dict[tuple[int, int], set[bytes | None]] = {}
    for family in families:
        for draft in family(page):
            place = (draft.start, draft.end, draft.after)
            if place in tried:
                continue
            tried.add(place)
            if not compiled:
                yield page.edit(draft)
                continue
            start, end = part = page.part(draft)
            if part not in seen:
                seen[part] = {None, fingerprint(source[start:end])}
            made = fingerprint(source[start : draft.start] + draft.after + source[draft.end : end])
            if made not in seen[part]:
                seen[part].add(made)
                yield page.edit(draft)
