"""What the environments share: rendering as text, copies, and a sandbox that is opened on first use."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

import gymnasium

from envs.execution.sandbox.sandbox import Sandbox
from envs.gym.env_options import check_render_mode, check_sandbox
from tasks.output.terminal_text import print_text

ObservationT = TypeVar("ObservationT")
ActionT = TypeVar("ActionT")


class TextEnv(gymnasium.Env[ObservationT, ActionT]):
    """An environment with render modes `ansi` and `human`; derive from it and write `_rendered`."""

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 4}  # noqa: RUF012

    def __init__(self, render_mode: str | None) -> None:
        self.render_mode = check_render_mode(render_mode, self.metadata)

    def render(self) -> str | None:
        """The current state as text in mode `ansi`; mode `human` has already printed it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without render_mode='ansi' or 'human' at make().")
            return None
        return self._rendered() if self.render_mode == "ansi" else None

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """A copy that can be stepped on its own; it shares what never changes, and the sandbox."""
        copied = copy.copy(self)
        memo[id(self)] = copied
        memo.update((id(value), value) for value in self._values())
        copied.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return copied

    def _values(self) -> tuple[Any, ...]:
        """What a copy shares: values that never change."""
        return (self.spec, self.observation_space)

    def _rendered(self) -> str:
        """The current state as text; every environment defines it."""
        raise NotImplementedError

    def _show(self) -> None:
        """Prints the state in mode `human`."""
        if self.render_mode == "human":
            print_text(self._rendered())


class SandboxedEnv(TextEnv[ObservationT, ActionT]):
    """An environment that runs programs, in the sandbox it is given or in its own."""

    tasks: tuple[Any, ...] = ()
    task: Any = None

    def __init__(self, sandbox: Sandbox | None, render_mode: str | None) -> None:
        super().__init__(render_mode)
        check_sandbox(sandbox)
        self._sandbox, self._own_sandbox = sandbox, sandbox is None

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """A copy in the same sandbox, which the copy does not close."""
        copied = super().__deepcopy__(memo)
        copied._own_sandbox = self._own_sandbox and self._sandbox is None
        return copied

    def _values(self) -> tuple[Any, ...]:
        return (*super()._values(), self.tasks, self.task)

    def _opened(self) -> Sandbox:
        if self._sandbox is None:
            self._sandbox = Sandbox()
        return self._sandbox

    def close(self) -> None:
        """Closes the sandbox if the environment opened it."""
        if self._own_sandbox and self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None
