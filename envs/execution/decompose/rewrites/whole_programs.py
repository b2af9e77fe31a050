"""All rewritings of a program, in the order in which they build on one another."""

import ast

from envs.execution.decompose.rewrites.asynchronous.coroutines import without_coroutines
from envs.execution.decompose.rewrites.bases.abstract_bases import with_written_bases
from envs.execution.decompose.rewrites.classes.adding_decorators import with_added_members
from envs.execution.decompose.rewrites.classes.asked_attributes import with_asked_attributes
from envs.execution.decompose.rewrites.classes.class_rewrites import with_plain_classes
from envs.execution.decompose.rewrites.classes.dataclass_order import with_written_order
from envs.execution.decompose.rewrites.classes.enum_bases import with_joined_enums
from envs.execution.decompose.rewrites.classes.enum_members import with_member_variables
from envs.execution.decompose.rewrites.classes.exception_texts import with_exception_texts
from envs.execution.decompose.rewrites.classes.local_classes import with_module_classes
from envs.execution.decompose.rewrites.classes.metaclass_calls import with_written_calls
from envs.execution.decompose.rewrites.classes.missing_items import with_missing_items
from envs.execution.decompose.rewrites.classes.named_attributes import with_named_attributes
from envs.execution.decompose.rewrites.classes.nested_classes import with_named_inner_classes
from envs.execution.decompose.rewrites.classes.new_methods import with_written_makers
from envs.execution.decompose.rewrites.classes.replaced_fields import with_replaced_fields
from envs.execution.decompose.rewrites.classes.slotted_classes import without_slots
from envs.execution.decompose.rewrites.classes.typed_dicts import with_plain_dicts
from envs.execution.decompose.rewrites.counter_elements import with_counter_elements
from envs.execution.decompose.rewrites.decorated.attributed_functions import with_attributed_functions
from envs.execution.decompose.rewrites.decorated.cached_methods import with_kept_results
from envs.execution.decompose.rewrites.decorated.cached_properties import with_kept_properties
from envs.execution.decompose.rewrites.decorated.decorated_classes import with_named_classes
from envs.execution.decompose.rewrites.decorated.decorated_methods import with_plain_methods
from envs.execution.decompose.rewrites.decorated.decorator_rewrites import with_plain_functions
from envs.execution.decompose.rewrites.decorated.dispatch_methods import with_asked_methods
from envs.execution.decompose.rewrites.decorated.dispatch_rewrites import with_asked_classes
from envs.execution.decompose.rewrites.decorated.instance_caches import with_cached_methods
from envs.execution.decompose.rewrites.default_factories import with_made_items
from envs.execution.decompose.rewrites.exception_causes import with_held_causes
from envs.execution.decompose.rewrites.imports.function_imports import with_module_imports
from envs.execution.decompose.rewrites.imports.import_aliases import with_library_names
from envs.execution.decompose.rewrites.iteration.closed_generators import with_closed_generators
from envs.execution.decompose.rewrites.iteration.eager_consumers import with_eager_consumers
from envs.execution.decompose.rewrites.iteration.sharing_generators import with_shared_variables
from envs.execution.decompose.rewrites.iteration.strict_zips import with_strict_zips
from envs.execution.decompose.rewrites.iteration.thrown_errors import with_thrown_errors
from envs.execution.decompose.rewrites.keys.held_comparers import with_held_comparers
from envs.execution.decompose.rewrites.library_rewrites import with_own_calls
from envs.execution.decompose.rewrites.managers.context_managers import with_inlined_managers
from envs.execution.decompose.rewrites.managers.library_managers import with_own_managers
from envs.execution.decompose.rewrites.method_rewrites import with_written_methods
from envs.execution.decompose.rewrites.module_lambdas import with_named_lambdas
from envs.execution.decompose.rewrites.objects.copied_dicts import with_copied_dicts
from envs.execution.decompose.rewrites.objects.equality_rewrites import with_compared_items
from envs.execution.decompose.rewrites.objects.kept_dicts import with_asked_dicts
from envs.execution.decompose.rewrites.objects.map_rewrites import with_own_maps
from envs.execution.decompose.rewrites.objects.popped_fields import with_popped_fields
from envs.execution.decompose.rewrites.objects.returned_dicts import with_returned_copies
from envs.execution.decompose.rewrites.objects.text_rewrites import with_written_texts
from envs.execution.decompose.rewrites.operator_rewrites import with_own_operators
from envs.execution.decompose.rewrites.preconditions import Rewriting, occurrences
from envs.execution.decompose.rewrites.value_methods import with_value_functions

REWRITINGS: tuple[Rewriting, ...] = (
    with_library_names,
    with_module_imports,
    with_held_comparers,
    with_held_causes,
    with_named_lambdas,
    with_written_bases,
    with_attributed_functions,
    with_own_managers,
    with_inlined_managers,
    with_strict_zips,
    with_closed_generators,
    with_thrown_errors,
    with_added_members,
    without_coroutines,
    with_module_classes,
    with_named_inner_classes,
    with_written_calls,
    with_kept_properties,
    with_plain_classes,
    with_plain_dicts,
    with_joined_enums,
    without_slots,
    with_cached_methods,
    with_kept_results,
    with_replaced_fields,
    with_written_order,
    with_written_makers,
    with_named_classes,
    with_plain_methods,
    with_asked_methods,
    with_asked_classes,
    with_plain_functions,
    with_value_functions,
    with_member_variables,
    with_exception_texts,
    with_popped_fields,
    with_copied_dicts,
    with_returned_copies,
    with_asked_dicts,
    with_compared_items,
    with_named_attributes,
    with_asked_attributes,
    with_made_items,
    with_missing_items,
    with_written_texts,
    with_written_methods,
    with_own_maps,
    with_own_operators,
    with_counter_elements,
    with_own_calls,
    with_eager_consumers,
    with_shared_variables,
)
"""In this order they are applied; those whose precondition a program does not fulfil are skipped."""


def written_out(tree: ast.Module, entry: str) -> ast.Module:
    """The program with what C code would call for it written as lines of its own; may change the tree."""
    occurring = occurrences(tree)
    for each in REWRITINGS:
        if not each.may_apply(occurring):
            continue
        before, tree = tree, each.rewrite(tree, entry)
        if tree is not before or each.in_place:
            occurring = occurrences(tree)
    return tree
