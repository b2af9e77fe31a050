"""Plan inside a Code World Model: search imagined executions, act for real, verify step by step.

    import cwm_agent

    rollout = cwm_agent.imagine_call("def f(n):\\n    return n * 2\\n", "f(21)")          the model imagines a call
    episodes = cwm_agent.solve_tasks(cwm_agent.load_tasks("repair")[:1])                repair a program
    figures = cwm_agent.verify_programs("rows.jsonl")                                   imagined against real

Everything in `__all__` is loaded when it is first used: importing this package loads neither torch nor gymnasium.
The modules `solve`, `verify`, `rollout`, `study`, `train`, `report` and `debug` are commands. To read the code, open
`agent/loop.py` first; docs/architecture.md shows the folders.
"""

from cwm_agent import import_path

if import_path.is_own_command():  # `python -m cwm_agent.solve`; importing the package as a library changes no path
    import_path.leave_working_folder()

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cwm_agent.agent.budget import Budget
    from cwm_agent.agent.check import check_domain
    from cwm_agent.agent.domain import Domain, DomainError, DomainKind
    from cwm_agent.agent.episodes.episode import Episode, RealRun
    from cwm_agent.agent.loop import solve_task
    from cwm_agent.agent.settings import Settings
    from cwm_agent.agent.workplace import Workplace
    from cwm_agent.api import (
        imagine_call,
        load_oracle,
        load_tasks,
        make_env,
        make_planner,
        solve_tasks,
        verify_programs,
    )
    from cwm_agent.imagination.guides import Guide
    from cwm_agent.imagination.imagined_rollout import Rollout
    from cwm_agent.oracles.check import check_oracle
    from cwm_agent.oracles.protocol import Answer, Malformed, Oracle, OracleError, Prediction, Query
    from cwm_agent.rollouts.gym_model import GymModel
    from cwm_agent.verification.view_verification import VerifySettings
    from envs.execution.state.effects import Effect, Question
    from envs.execution.state.frames import Frame, Outcome, Trace

__version__ = "0.2.0"
__all__ = [
    "Answer",
    "Budget",
    "Domain",
    "DomainError",
    "DomainKind",
    "Effect",
    "Episode",
    "Frame",
    "Guide",
    "GymModel",
    "Malformed",
    "Oracle",
    "OracleError",
    "Outcome",
    "Prediction",
    "Query",
    "Question",
    "RealRun",
    "Rollout",
    "Settings",
    "Trace",
    "VerifySettings",
    "Workplace",
    "__version__",
    "check_domain",
    "check_oracle",
    "imagine_call",
    "load_oracle",
    "load_tasks",
    "make_env",
    "make_planner",
    "solve_task",
    "solve_tasks",
    "verify_programs",
]
_HOMES = {
    "cwm_agent.agent.budget": ("Budget",),
    "cwm_agent.agent.check": ("check_domain",),
    "cwm_agent.agent.domain": ("Domain", "DomainError", "DomainKind"),
    "cwm_agent.agent.episodes.episode": ("Episode", "RealRun"),
    "cwm_agent.agent.loop": ("solve_task",),
    "cwm_agent.agent.settings": ("Settings",),
    "cwm_agent.agent.workplace": ("Workplace",),
    "cwm_agent.api": (
        *("imagine_call", "load_oracle", "load_tasks", "make_env", "make_planner", "solve_tasks", "verify_programs"),
    ),
    "cwm_agent.imagination.guides": ("Guide",),
    "cwm_agent.imagination.imagined_rollout": ("Rollout",),
    "cwm_agent.oracles.check": ("check_oracle",),
    "cwm_agent.oracles.protocol": ("Answer", "Malformed", "Oracle", "OracleError", "Prediction", "Query"),
    "cwm_agent.rollouts.gym_model": ("GymModel",),
    "cwm_agent.verification.view_verification": ("VerifySettings",),
    "envs.execution.state.effects": ("Effect", "Question"),
    "envs.execution.state.frames": ("Frame", "Outcome", "Trace"),
}
"""The module that defines each public name."""


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(module), name)
    raise AttributeError(f"module 'cwm_agent' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
