"""The public functions of `import cwm_agent`, each a few lines over the packages that do the work.

Import them from `cwm_agent` itself: it loads this module when one of them is first used.
"""

from __future__ import annotations

import atexit
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from cwm_agent import defaults
from cwm_agent.agent.domain import DomainKind
from cwm_agent.agent.domain_registry import domain_named, kind_of
from cwm_agent.agent.episodes.episode import Episode, read
from cwm_agent.agent.planner_registry import planner_named
from cwm_agent.agent.repair.history_beliefs import real_histories
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import Settings
from cwm_agent.imagination.call_text import split_call
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.imagination.imagined_rollout import Rollout
from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.jobs.placement import Placement
from cwm_agent.oracles.history_protocol import HistoryOracle
from cwm_agent.oracles.protocol import Oracle, View
from cwm_agent.verification.task_files import Figures
from cwm_agent.verification.view_verification import VerifySettings, verify_tasks
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Outcome
from envs.execution.tracer.history_recorder import Recorder
from envs.execution.tracer.reality import Reality
from planners import Planner
from tasks import PermutationTask, RepairTask, TraceTask, load
from tasks.output.terminal_text import visible_line
from tasks.scripted_world import world_from
from tasks.traced_calls import written_call

if TYPE_CHECKING:
    import gymnasium

Visible = Literal["test", "example"]


def load_tasks(
    path: str | Path, *, visible: Literal["test", "example"] = "test"
) -> list[RepairTask | PermutationTask | TraceTask]:
    """Return the tasks at a path, or the shipped ones of a name such as "repair"; a bad one is skipped with a warning.

    `visible` says which tests of HumanEvalPack rows are seen: "test" or "example".
    """
    loaded = load(str(path), visible=visible)
    for problem in loaded.problems:
        warnings.warn(visible_line(f"skipped: {problem}"), stacklevel=2)
    return list(loaded.tasks)


def load_oracle(name: str = defaults.ORACLE, *, view: View = defaults.VIEW) -> Oracle | HistoryOracle:
    """Return the oracle of a name, as the commands take them: "embedded", "exact", "hf:FOLDER", "module:callable", ...

    Oracles that run programs for real share one sandbox, which ends with this process.
    """
    found: Oracle | HistoryOracle = adapter_of(view).oracle(
        name, lambda: Reality(_sandbox()), real_histories(lambda: Recorder(_sandbox()))
    )
    return found


@cache
def _sandbox() -> Sandbox:
    opened = Sandbox()
    atexit.register(opened.close)
    return opened


def make_planner(name: str = defaults.PLANNER) -> Planner:
    """Return the planner of a name: "mcts", "beam", "best-first", "random" or "module:callable"."""
    return planner_named(name)


def imagine_call(
    source: str,
    call: str,
    oracle: str | Oracle | HistoryOracle = defaults.ORACLE,
    *,
    view: View = defaults.VIEW,
    guide: str | None = None,
    steps: int = defaults.ROLLOUT_STEPS,
    world: Mapping[str, Any] | None = None,
) -> Rollout | HistoryRollout | Outcome:
    """Imagine a call such as "f([3, 1], key=2)" of a function of `source`; nothing is executed for real.

    Return the rollout, whose `frames` are the imagined states and whose `outcome` is the imagined result; or the
    outcome at once, where Python would refuse the call. `guide` says what decides the next line (default: the view's).
    `world` is what `random`, `input`, clocks and files give, as in task files (docs/chance.md).
    """
    entry, arguments = split_call(call)
    adapter = adapter_of(view)
    chosen = parse_guide(guide or adapter.default_guide)
    asked = load_oracle(oracle, view=view) if isinstance(oracle, str) else oracle
    written = written_call(source, entry, arguments)
    program = adapter.program_for(written.source, written.entry, chosen)
    start = adapter.start(program, written.arguments, world=world_from(world or {}).record())
    if isinstance(start, Outcome):
        return start
    found: Rollout | HistoryRollout = adapter.imagine([start], asked, chosen, steps)[0]
    return found


def verify_programs(path: str | Path, settings: VerifySettings | None = None) -> list[Figures]:
    """Compare imagined with real execution on a file of programs; return the figures, one entry per guide."""
    return verify_tasks(path, settings or VerifySettings())


def solve_tasks(
    tasks: Sequence[Any],
    settings: Settings | None = None,
    out: str | Path | None = None,
    *,
    jobs: int = 1,
    cluster: str = "",
    domain: str | DomainKind | None = None,
    on_episode: Callable[[Episode, int, int], None] = lambda episode, done, total: None,
) -> list[Episode]:
    """Solve tasks and return their episodes, in the order of the tasks.

    Episodes are written to the folder `out`, and those it already holds are not solved again; without a folder nothing
    is kept. `cluster` is the address of a Ray cluster, `auto` or `local` (docs/cluster.md).
    `domain` names the kind of tasks of one's own; `on_episode` is called as each ends.
    """
    settings = settings or Settings()
    kind = domain_named(domain) if isinstance(domain, str) else domain or kind_of(tasks)
    with TemporaryDirectory() as folder:
        path = Path(folder if out is None else out)
        run_tasks(kind, tasks, settings, path, placement=Placement(jobs, cluster), on_episode=on_episode)
        found = {episode.task: episode for episode in read(path / "episodes.jsonl", lambda message: None)}
    return [found[task.id] for task in tasks]


def make_env(name: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Return a Gymnasium environment of this project by its name: "Repair-v0", "RepairArrays-v0", ...

    The others are "Permutation-v0", "Trace-v0" and "TraceArrays-v0"; any other id of Gymnasium is made too.
    `ranking="policy"` of RepairArrays-v0 ranks candidates by the edit policy.
    """
    from cwm_agent.rollouts.environment_factory import make_environment

    return make_environment(name, **options)
