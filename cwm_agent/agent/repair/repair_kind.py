"""The repair domain as a kind: which tasks it loads, and what it opens before the first of them."""

from dataclasses import dataclass

from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.loop import solve_task
from cwm_agent.agent.repair.repair_domain import RepairDomain
from cwm_agent.agent.workplace import Workplace
from tasks import RepairTask


def solve_repair(task: RepairTask, workplace: Workplace) -> Episode:
    """Solve one task with what a workplace holds."""
    return solve_task(task.id, RepairDomain(task, workplace), workplace.planner(RepairKind()), workplace.settings)


@dataclass(frozen=True, slots=True)
class RepairKind:
    """Buggy programs with tests: folders and files of tasks, benchmarks, plain Python files."""

    name: str = "repair"

    def load(self, path: str) -> list[RepairTask]:
        """The repair tasks at a path; others are left out."""
        from tasks import load

        return [task for task in load(path).tasks if isinstance(task, RepairTask)]

    def prepare(self, workplace: Workplace) -> None:
        """Load the policy and the value, and open the language model that proposes edits."""
        _ = workplace.policy, workplace.value, workplace.proposer, workplace.drafts

    def open(self, task: RepairTask, workplace: Workplace) -> RepairDomain:
        return RepairDomain(task, workplace)
