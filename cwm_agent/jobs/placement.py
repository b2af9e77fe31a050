"""Where jobs run, as one frozen value; imports nothing heavy, so that a command reads its defaults here."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cwm_agent.jobs.protocol import Service

RETRIES = 2
"""Workers that may die on an item before it counts as lost."""


@dataclass(frozen=True, slots=True)
class Placement:
    """This process, local processes, or a cluster."""

    jobs: int = 1
    """Workers; 0 for one per core of the machine or the cluster."""
    cluster: str = ""
    """`local`, `auto` or HOST:PORT of a Ray cluster; empty for local processes."""
    runtime_env: dict[str, Any] = field(default_factory=dict)
    """Ray's runtime environment of the workers: packages, files and variables that the nodes lack."""
    service: Service | None = None
    """What actors of the cluster hold for all workers; None for nothing."""
    retries: int = RETRIES
    apart: bool = False
    """Whether a single job gets a process of its own too."""

    @property
    def is_here(self) -> bool:
        """Whether this process does the work itself."""
        return not self.cluster and self.jobs == 1 and not self.apart

    def at_most(self, jobs: int) -> Placement:
        """The same with no more workers than there are jobs."""
        from dataclasses import replace

        wanted = self.jobs or (0 if self.cluster else len(os.sched_getaffinity(0)))
        return replace(self, jobs=max(1, min(wanted, jobs)) if wanted else 0)


HERE = Placement()
