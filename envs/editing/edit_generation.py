"""Lists all edits of a program: runs every family, drops edits that do not compile, keeps each result once.

The order is stable: by family as listed here, then by place. If two families make the same program, the first family
keeps the edit. Knows no tests and no priors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from envs.bounded_cache import MIB, bounded_cache
from envs.editing.classes import attribute_reads, attribute_updates, base_calls
from envs.editing.edit import BadEdit, Edit
from envs.editing.fingerprint import fingerprint
from envs.editing.forgotten import copied_values, none_tests, records, sort_keys, unread_variables
from envs.editing.likely import (
    accumulations,
    arithmetic,
    assignments,
    booleans,
    call_arguments,
    comparisons,
    conditions,
    constants,
    generator_edits,
    grafts,
    insertions,
    loop_updates,
    operand_moves,
    operands,
    statement_moves,
    subscripts,
    variables,
    wrappers,
)
from envs.editing.source_text import Replacement, SourceText
from envs.editing.unlikely import extra_conditions as extra_conditions
from envs.editing.unlikely import extra_statements as extra_statements
from envs.editing.unlikely import grown_expressions, stored_items

Family = Callable[[SourceText], Iterator[Replacement]]

LIKELY_FAMILIES: tuple[Family, ...] = (
    comparisons.comparisons,
    comparisons.one_of_several,
    arithmetic.operators,
    arithmetic.swapped_operands,
    arithmetic.signs,
    arithmetic.regroupings,
    booleans.connectives,
    booleans.regroupings,
    booleans.negations,
    booleans.negated_parts,
    booleans.toggles,
    none_tests.none_tests,
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
    subscripts.wrapped_indexes,
    subscripts.slices,
    subscripts.items_and_parts,
    subscripts.parts,
    call_arguments.names,
    call_arguments.arguments,
    call_arguments.ranges,
    call_arguments.keywords,
    call_arguments.keyword_names,
    wrappers.unwraps,
    wrappers.wraps,
    wrappers.wraps_like_other_calls,
    copied_values.copied_rows,
    copied_values.copied_when_kept,
    sort_keys.tie_breaks,
    sort_keys.sorted_groups,
    operands.dropped,
    operands.swapped_branches,
    operands.off_by_one,
    operands.with_variable,
    operands.joined,
    operand_moves.into_and_out_of_calls,
    operand_moves.choices_and_sums,
    operand_moves.shifted_digits,
    assignments.augmented,
    assignments.resets,
    assignments.results,
    assignments.initial_values,
    accumulations.accumulated,
    accumulations.collected,
    accumulations.stored,
    conditions.fixed,
    conditions.joined,
    conditions.joined_parts,
    conditions.keywords,
    conditions.filters,
    conditions.added_filters,
    statement_moves.deleted,
    statement_moves.deleted_pairs,
    statement_moves.deleted_branches,
    statement_moves.swapped,
    statement_moves.moved_out,
    statement_moves.moved_in,
    attribute_reads.attributes_for_variables,
    attribute_reads.attributes_for_constants,
    attribute_reads.forgotten_owners,
    attribute_reads.operands,
    attribute_reads.owners,
    attribute_reads.together,
    attribute_reads.links,
    attribute_reads.calls,
    attribute_updates.updates,
    attribute_updates.statements,
    attribute_updates.first_values,
    attribute_updates.results,
    base_calls.base_calls,
    generator_edits.yields,
    generator_edits.mutable_defaults,
    insertions.copies,
    insertions.mirrored,
    insertions.else_branches,
    insertions.exits,
    insertions.guards_after_loops,
    insertions.base_cases,
    insertions.appends,
    insertions.counts,
    records.records,
    unread_variables.size_limits,
    unread_variables.factors_and_terms,
    grafts.from_neighbour,
    grafts.renamed_together,
    grafts.swapped_together,
    grafts.longer_displays,
    grafts.other_item,
    grafts.from_function,
    loop_updates.updates,
    loop_updates.conditions_before,
)


UNLIKELY_FAMILIES: tuple[Family, ...] = (
    grown_expressions.roundings,
    grown_expressions.arguments,
    grown_expressions.without_item,
    grown_expressions.operands,
    grown_expressions.calls,
    grown_expressions.parts,
    grown_expressions.limits,
    statement_moves.moved_far,
    stored_items.stored_items,
    extra_statements.statements,
    extra_conditions.joined_conditions,
    extra_conditions.before_statements,
    extra_conditions.early_returns,
    extra_conditions.loop_exits,
)
"""Families of many unlikely edits, for a search that has tried the likely ones."""


@bounded_cache(16 * MIB, per_character=1_100)
def edits(source: str, expected: tuple[str, ...] = ()) -> tuple[Edit, ...]:
    """All likely edits whose result compiles and differs from the program; one edit per result, in a stable order.

    `expected` are constants that visible tests expect as results.
    """
    return tuple(_distinct(source, expected, LIKELY_FAMILIES))


@bounded_cache(16 * MIB, per_character=300)
def uncompiled_edits(source: str, expected: tuple[str, ...] = ()) -> tuple[Edit, ...]:
    """The likely edits, not compiled: ten times as fast, but some results do not compile or are duplicates."""
    return tuple(_distinct(source, expected, LIKELY_FAMILIES, compiled=False))


def unlikely_edits(source: str, expected: tuple[str, ...] = ()) -> tuple[Edit, ...]:
    """The unlikely edits: three to five times as many as `edits` lists; none makes a program that `edits` makes."""
    common = len(edits(source, expected))
    return tuple(_distinct(source, expected, LIKELY_FAMILIES + UNLIKELY_FAMILIES))[common:]


def uncompiled_unlikely_edits(source: str, expected: tuple[str, ...] = ()) -> tuple[Edit, ...]:
    """The unlikely edits, not compiled: many times as fast, but some do not compile, or make a program twice."""
    common = len(uncompiled_edits(source, expected))
    return tuple(_distinct(source, expected, LIKELY_FAMILIES + UNLIKELY_FAMILIES, compiled=False))[common:]


def _distinct(
    source: str, expected: tuple[str, ...], families: tuple[Family, ...], *, compiled: bool = True
) -> Iterator[Edit]:
    """The edits of some families, one per resulting program; one per replacement if `compiled` is False."""
    try:
        code = SourceText(source, expected)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise BadEdit(f"The program does not parse, so it has no edits: {error}") from None
    tried: set[tuple[int, int, str]] = set()
    seen: dict[tuple[int, int], set[bytes | None]] = {}
    for family in families:
        for replacement in family(code):
            place = (replacement.start, replacement.end, replacement.after)
            if place in tried:
                continue
            tried.add(place)
            if not compiled:
                yield code.edit(replacement)
                continue
            start, end = part = code.enclosing_definition(replacement)
            if part not in seen:
                seen[part] = {None, fingerprint(source[start:end])}
            result = fingerprint(source[start : replacement.start] + replacement.after + source[replacement.end : end])
            if result not in seen[part]:
                seen[part].add(result)
                yield code.edit(replacement)
