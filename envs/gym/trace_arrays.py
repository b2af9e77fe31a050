"""`cwm_agent/TraceArrays-v0`: which line comes next, with arrays for learners, a bounded list of lines and a mask.

Each step offers the lines that can follow: those of the control-flow graph, the same line (a return), the first lines
of functions, and what follows the caller's line. Action k claims the k-th. A bounded action cannot say how variables
change, so the wrapper claims the real changes, and Trace-v0 scores the line alone. Observation: one row of numbers for
each offered line, then the event, and the line and the variables as hashed counts, in one flat array of values from
-1 to 1. Knows no learner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from envs.domains.trace_core import written_out
from envs.errors import BadEnvOption
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame
from envs.execution.syntax.control_flow_graph import CALL, control_flows
from envs.gym.array_features import Array, hashed, one_hot
from envs.gym.env_options import check_action, check_whole
from envs.gym.trace_env import EVENTS, TraceEnv

_TEXT = 32
"""Numbers of a line's text and of the variables."""
ROW = 4 + _TEXT
"""Numbers of an offered line: whether there is one, its distance, whether it is the same line, whether it begins a
function, and its text."""
STATE = len(EVENTS) + 1 + 2 * _TEXT
"""Numbers of the frame: its event, the place of its line, the line's text, the variables."""


class TraceArrays(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Trace-v0 with one array as observation and `candidates` lines as actions.

    Args:
        env: a Trace-v0 environment.
        candidates: lines offered at a time; nearer lines come first.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], *, candidates: int = 16) -> None:
        super().__init__(env)
        if not isinstance(env.unwrapped, TraceEnv):
            raise BadEnvOption(f"TraceArrays wraps cwm_agent/Trace-v0, not {env}.")
        self.candidates = check_whole("candidates", candidates, 1)
        self.shown: list[int] = []
        """The lines that are offered."""
        self._flow: dict[int, frozenset[int]] = {}
        self._first_lines: frozenset[int] = frozenset()
        self.observation_space = Box(-1, 1, (self.candidates * ROW + STATE,), np.float32)
        self.action_space = Discrete(self.candidates)

    @property
    def real(self) -> TraceEnv:
        """The Trace-v0 environment inside."""
        assert isinstance(self.env.unwrapped, TraceEnv)
        return self.env.unwrapped

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Starts a call of Trace-v0."""
        _, info = self.env.reset(seed=seed, options=None if options is None else dict(options))
        self._flow, self._first_lines = _flows(self.real.core.program)
        return self._observation(), self._info(info)

    def step(self, action: np.int64) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Claims one of the offered lines; a masked action claims line 0, which is always wrong."""
        number = check_action(action, self.candidates)
        refused = number >= len(self.shown)
        changes = self.real.core.truth(self.real.state).changes
        claim = {"line": 0 if refused else self.shown[number], "changes": changes}
        _, reward, terminated, truncated, info = self.env.step(claim)
        return self._observation(), float(reward), terminated, truncated, self._info(info) | {"refused": refused}

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of offered lines, for sb3-contrib."""
        return np.arange(self.candidates) < len(self.shown)

    def _observation(self) -> Array:
        frame = self.real.core.frame(self.real.state)
        lines = self.real.core.program.lines
        self.shown = self._following(frame)[: self.candidates]
        found = np.zeros((self.candidates, ROW), dtype=np.float32)
        for row, line in zip(found, self.shown, strict=False):
            numbers = [1, (line - frame.line) / len(lines), line == frame.line, line in self._first_lines]
            row[:] = np.concatenate([np.array(numbers, dtype=np.float32), hashed(lines[line - 1], _TEXT)])
        variables = "\n".join(f"{name} = {text}" for name, text in written_out(frame).items())
        place = np.array([frame.line / len(lines)], dtype=np.float32)
        event = one_hot(EVENTS.index(frame.event), len(EVENTS))
        texts = (hashed(lines[frame.line - 1], _TEXT), hashed(variables, _TEXT))
        return np.concatenate([found.ravel(), event, place, *texts])

    def _following(self, frame: Frame) -> list[int]:
        """The lines that can follow a frame, the nearest first."""
        callers = {activation.line for activation in frame.stack[-2:-1]}
        found = {frame.line, *self._flow.get(frame.line, ()), *self._first_lines, *callers}
        for caller in callers:
            found.update(self._flow.get(caller, ()))
        return sorted(found, key=lambda line: (abs(line - frame.line), line))

    def _info(self, info: Mapping[str, Any]) -> dict[str, Any]:
        return {**info, "action_mask": self.action_masks().astype(np.int8), "lines": tuple(self.shown)}


def _flows(program: Program) -> tuple[dict[int, frozenset[int]], frozenset[int]]:
    """The lines that can follow each line inside a function, and the first lines of functions."""
    after: dict[int, frozenset[int]] = {}
    graphs = control_flows(program.source, silent=program.level != "plain")
    for first, graph in graphs.items():
        for node in graph.nodes:
            line = first if node == CALL else node
            if isinstance(line, int):
                following = {each for each in graph.successors(node) if isinstance(each, int)}
                after[line] = after.get(line, frozenset()) | following
    return after, frozenset(graphs)


def make_trace_arrays(*, candidates: int = 16, **options: Any) -> gymnasium.Env[Array, np.int64]:
    """TraceArrays over a new Trace-v0 with these options."""
    return TraceArrays(TraceEnv(**options), candidates=candidates)
