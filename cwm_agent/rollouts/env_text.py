"""Text of environments for language models: the prompt, the actions and the answers. Knows no policy."""

from __future__ import annotations

from typing import Any

from envs.gym.permutation_env import PermutationEnv
from envs.gym.repair_arrays import RepairArrays
from envs.gym.repair_env import RepairEnv
from envs.gym.trace_arrays import TraceArrays
from envs.gym.trace_env import TraceEnv
from tasks.task import shown_test


def task_name(env: Any, info: dict[str, Any]) -> str:
    """A name for the problem of the current episode."""
    if isinstance(env, PermutationEnv):
        core = env.core
        return f"{core.generators}-n{core.items}-{'.'.join(map(str, core.start))}-to-{'.'.join(map(str, core.goal))}"
    return str(info.get("task", ""))


def prompt_text(env: Any, observation: Any) -> str:
    """The problem of an episode and its first state, as the first message."""
    if isinstance(env, RepairArrays | TraceArrays):
        return prompt_text(env.real, env.real.observation())
    if isinstance(env, PermutationEnv):
        return (
            f"Places 0 to {env.core.items - 1} hold {_row(env.core.start)}. Make them hold {_row(env.core.goal)}.\n"
            f"Commands: {', '.join(map(str, env.core.commands))}. Say one command at a time."
        )
    if isinstance(env, RepairEnv):
        tests = "\n".join(shown_test(test, env.task.entry) for test in env.task.tests)
        return (
            f"Repair this program by one edit at a time.\n\n{env.state.source}\nTests:\n{tests}\n{_marks(observation)}"
        )
    if isinstance(env, TraceEnv):
        wanted = "Say the next frame of this run, as its line and what changes."
        return f"{wanted}\n\n{observation['source']}\n{_frame(observation)}"
    return str(observation)


def action_text(env: Any, action: Any) -> str:
    """An action as text; call it before the environment takes the action."""
    if isinstance(env, RepairArrays):
        offered = 0 <= int(action) < len(env.shown)
        return action_text(env.real, env.shown[int(action)]) if offered else f"edit {int(action)}, not offered"
    if isinstance(env, TraceArrays):
        return f"line {env.shown[int(action)]}" if 0 <= int(action) < len(env.shown) else "line 0"
    if isinstance(env, PermutationEnv):
        return str(env.core.commands[int(action)])
    if isinstance(env, RepairEnv):
        return str(env.edit_of(int(action))) if env.action_masks()[int(action)] else f"edit {int(action)}, not offered"
    if isinstance(env, TraceEnv):
        return f"line {int(action['line'])}\n{action['changes']}".rstrip()
    return str(action)


def answer_text(env: Any, observation: Any, *, terminated: bool, truncated: bool, reason: str = "") -> str:
    """The environment's state after an action as text, and how the episode ended, with the reason if there is one."""
    if isinstance(env, RepairArrays | TraceArrays):
        inner = env.real
        return answer_text(inner, inner.observation(), terminated=terminated, truncated=truncated, reason=reason)
    end = ""
    if terminated:
        end = " The goal is reached."
    elif truncated:
        end = f" The episode is cut off{f': {reason}' if reason else ''}."
    if isinstance(env, PermutationEnv):
        hidden = len(env.plan) % env.show_every != 0
        return ("The places are not shown." if hidden else f"The places hold {_row(env.state)}.") + end
    if isinstance(env, RepairEnv):
        return f"{_marks(observation)}\n\n{env.state.source}".rstrip() + end
    if isinstance(env, TraceEnv):
        return _frame(observation) + ("\nThe run is over." if terminated else end)
    return f"{observation}{end}"


def _row(items: Any) -> str:
    return " ".join(map(str, items))


def _marks(observation: Any) -> str:
    """The result of each test, in the order of the tests."""
    words = {1: "passes", 0: "fails"}
    marks = [f"{number}: {words[int(mark)]}" for number, mark in enumerate(observation["tests"], 1) if int(mark) >= 0]
    return f"Test {', '.join(marks)}."


def _frame(observation: Any) -> str:
    return f"Line {int(observation['line'])}:\n{observation['state']}".rstrip()
