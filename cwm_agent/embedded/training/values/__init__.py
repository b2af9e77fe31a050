"""Random values as programs hold them, and operands that fit each other; recipes by name for the pattern tables."""

from collections.abc import Callable

from cwm_agent.embedded.training.values import (
    containers,
    everyday,
    figures,
    iterators,
    likeness,
    objects,
    parts,
    places,
    scalars,
    tables,
    texts,
)

RECIPES: dict[str, Callable[..., object]] = {
    name: recipe
    for module in (texts, scalars, objects, containers, iterators, likeness, parts, places, tables, figures, everyday)
    for name, recipe in module.RECIPES.items()
}
"""`(rng, *values already drawn) -> value`, by the name that pattern tables use."""
