"""Real execution of Python programs, edits of their source, and the environments built on both.

    execution/    runs programs in a sandbox, traces them frame by frame, and steps them over text
    editing/      lists the edits of a program
    domains/      pure cores of the permutation, repair and trace problems, and the evaluation of candidates
    games/        games of one, two or more players, with chance and hidden cards; OpenSpiel both ways
    gym/          Gymnasium environments over the cores
    check.py      conformance checks for cores, environments and tasks

The package knows tasks, and no planner, oracle or agent. Open `domains/repair_core.py` first.

Importing the package registers the environments if Gymnasium is installed; everything but `envs.gym` works without
it. `envs.check_core`, `envs.check_env` and `envs.check_task` are imported on first use.
"""

from typing import TYPE_CHECKING, Any

from envs.registration import register

if TYPE_CHECKING:
    from envs.check import check_core, check_env, check_task

__all__ = ["check_core", "check_env", "check_task", "register"]

register()


def __getattr__(name: str) -> Any:
    if name in __all__:
        from envs import check

        return getattr(check, name)
    raise AttributeError(f"module 'envs' has no attribute {name!r}")
