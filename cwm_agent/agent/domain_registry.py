"""Kinds of domains by name, by their tasks, or `module:callable` of the user's own."""

from collections.abc import Sequence
from typing import Any

from cwm_agent.agent.domain import DomainError, DomainKind
from cwm_agent.agent.permutation.permutation_domain import PermutationKind
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.plugins import make_plugin
from tasks import PermutationTask, RepairTask
from tasks.errors import did_you_mean

KINDS: dict[str, DomainKind] = {"repair": RepairKind(), "permutation": PermutationKind()}
"""The kinds that come with the project."""


class UnknownDomain(ValueError):
    """A name that stands for no kind of domain."""


def domain_named(name: str) -> DomainKind:
    """The kind that a name stands for; `module:callable` is called without arguments and returns the user's own."""
    if name in KINDS:
        return KINDS[name]
    if ":" not in name:
        raise UnknownDomain(f"No domain named {name!r}. {did_you_mean(name, [*KINDS, 'module:callable'])}")
    kind = make_plugin(name, "domain")
    if not isinstance(kind, DomainKind):
        raise DomainError(
            f"{name} returned {type(kind).__name__}, which is no kind of domain; expected an object with a `name` and "
            "the methods load(path) and open(task, workplace) (cwm_agent/agent/domain.py)."
        )
    return kind


def kind_of(tasks: Sequence[Any]) -> DomainKind:
    """The kind that tasks of this project belong to."""
    if all(isinstance(task, RepairTask) for task in tasks):
        return KINDS["repair"]
    if all(isinstance(task, PermutationTask) for task in tasks):
        return KINDS["permutation"]
    raise UnknownDomain("These tasks are of several kinds, or of none that is known; name their domain.")
