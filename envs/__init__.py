"""The real world: Python run for real one step at a time, and the Gymnasium environments over it.

Importing this package registers the environments where Gymnasium is installed; without it everything else still
works. `envs.check_core`, `envs.check_env` and `envs.check_task` are loaded when they are first asked for.
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
