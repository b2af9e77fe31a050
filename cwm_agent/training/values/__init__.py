"""Random values as programs hold them, and operands that fit each other.

Each function is a recipe: `(rng, *values drawn before) -> value`. `RECIPES` collects them by the names that the pattern
tables use, so a function here cannot be renamed without its table. Knows nothing of the lines that use the values. Open
`scalars.py` first.
"""

from collections.abc import Callable, Mapping
from types import FunctionType

from cwm_agent.training.values import (
    common_operands,
    container_places,
    containers,
    everyday_texts,
    expressions,
    hard_operands,
    iterators,
    library_values,
    long_tables,
    mixed_texts,
    mixed_values,
    objects,
    rare_operands,
    rich_values,
    scalars,
    similar_values,
    string_parts,
    texts,
)
from cwm_agent.training.values.changed import near_operands, near_results, slip_operands
from cwm_agent.training.values.further import (
    class_values,
    closure_values,
    comparable_objects,
    edge_operands,
    exact_numbers,
    flag_members,
    float_operands,
    inner_functions,
    library_kinds,
    marked_texts,
    plain_library,
    plain_operands,
    raised_errors,
    reckoned_numbers,
    sundry_values,
    text_buffers,
    told_values,
    wide_tables,
    written_kinds,
)
from cwm_agent.training.values.nested import kindred_keys, nested_iterators, nested_tuples
from cwm_agent.training.values.own import acting_objects, own_containers, own_kinds, twin_objects
from cwm_agent.training.values.readable import readable_lines, readable_numbers, readable_patterns, readable_words

MODULES = (
    texts, scalars, objects, containers, iterators, similar_values, string_parts, container_places, long_tables,
    hard_operands, common_operands, library_values, expressions, own_kinds, rare_operands,
    everyday_texts, mixed_texts, mixed_values, rich_values, acting_objects, own_containers, twin_objects,
    flag_members, closure_values, text_buffers, class_values, raised_errors, exact_numbers, comparable_objects,
    wide_tables, marked_texts, library_kinds, float_operands, sundry_values, told_values,
    written_kinds, readable_lines, readable_patterns, readable_numbers, readable_words, reckoned_numbers,
    kindred_keys, nested_tuples, nested_iterators, edge_operands,
    inner_functions, plain_operands, plain_library, slip_operands, near_operands, near_results,
)  # fmt: skip
RECIPES: dict[str, Callable[..., object]] = {
    name: recipe
    for module in MODULES
    for name, recipe in vars(module).items()
    if isinstance(recipe, FunctionType) and recipe.__module__ == module.__name__ and not name.startswith("_")
}
"""All public functions of these modules by name; a table names the operands of a recipe behind it, as in `near:A`."""
KINDS: Mapping[str, type] = {
    **own_kinds.KINDS,
    **acting_objects.KINDS,
    **own_containers.KINDS,
    **twin_objects.KINDS,
    **flag_members.KINDS,
    **raised_errors.KINDS,
    **comparable_objects.KINDS,
    **told_values.KINDS,
    **plain_library.KINDS,
    "Person": told_values.Person,
}
"""The classes that lines name, as if the program had defined them."""
