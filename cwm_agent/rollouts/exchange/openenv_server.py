"""An OpenEnv server over the environments of this project: one episode in texts for each session.

    pip install 'cwm-agent[learners]'
    python -m cwm_agent.rollouts.exchange.openenv_server --env cwm_agent/Repair-v0 --port 8000

Clients send `{"text": ACTION}` and get the answer as text, with reward and end; `reset` returns the problem. Actions
are those of docs/learners.md: a command, an edit on one line, or a line and its changes. `docs/examples/openenv` has a
container file.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from cwm_agent.plugins import missing_extra
from cwm_agent.rollouts.exchange.text_episode import TextEpisode

try:
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State
except ModuleNotFoundError as missing:
    raise missing_extra("OpenEnv", "learners") from missing

ENV_VARIABLE = "CWM_AGENT_ENV"
"""The environment id of `app`; a server starts it as `uvicorn cwm_agent.rollouts.exchange.openenv_server:app`."""


class TextAction(Action):
    """One action as text."""

    text: str


class TextObservation(Observation):
    """The answer of the environment as text."""

    text: str
    task: str = ""


class TextEnvironment(Environment):
    """One environment of this project; a session has its own."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, env: str = "cwm_agent/Repair-v0", **options: Any) -> None:
        super().__init__()
        self._episode = TextEpisode(env, **options)
        self._state = State(episode_id=str(uuid4()), step_count=0)
        self._begun = False

    def reset(self, seed: int | None = None, episode_id: str | None = None, **given: Any) -> TextObservation:
        """Begins an episode and returns its problem."""
        text = self._episode.reset(seed)
        self._state, self._begun = State(episode_id=episode_id or str(uuid4()), step_count=0), True
        return TextObservation(text=text, task=self._episode.task)

    def step(self, action: TextAction, timeout_s: float | None = None, **given: Any) -> TextObservation:
        """Takes the action that the text says; a text that says none is answered with what to write."""
        if not self._begun:
            return TextObservation(text="Call reset first: there is no episode yet.", done=True, reward=0.0)
        found = self._episode.step(action.text)
        self._begun = not found.done
        self._state = State(episode_id=self._state.episode_id, step_count=self._state.step_count + 1)
        return TextObservation(text=found.text, reward=found.reward, done=found.done, task=self._episode.task)

    @property
    def state(self) -> State:
        """The episode's id and the number of actions so far."""
        return self._state

    def close(self) -> None:
        self._episode.close()


def make_app(env: str = "cwm_agent/Repair-v0", **options: Any) -> Any:
    """The FastAPI application that serves an environment; every session gets its own episode."""
    return create_fastapi_app(
        lambda: TextEnvironment(env, **options), TextAction, TextObservation, max_concurrent_envs=16
    )


def __getattr__(name: str) -> Any:
    if name == "app":
        return make_app(os.environ.get(ENV_VARIABLE, "cwm_agent/Repair-v0"))
    raise AttributeError(name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serves until it is stopped."""
    import uvicorn

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="cwm_agent/Repair-v0", help="default: %(default)s")
    parser.add_argument("--host", default="127.0.0.1", help="default: %(default)s")
    parser.add_argument("--port", type=int, default=8000, help="default: %(default)s")
    options = parser.parse_args(arguments)
    uvicorn.run(make_app(options.env), host=options.host, port=options.port)
    return 0


if __name__ == "__main__":
    sys.exit(main())
