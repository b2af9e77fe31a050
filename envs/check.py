"""Conformance: what a core and an environment must do, and whether a task is what it says.

`check_core` walks any pure core; `check_env` adds to Gymnasium's own checker what it does not look at: same seed,
same episode; masks that mean what they say; no action outside the mask that is accepted in silence. `check_task`
runs a repair task in the sandbox. All raise Nonconforming, which says what was seen.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from envs.domains.evaluation import Evaluator
from envs.editing.edit import apply_patch
from envs.execution.sandbox.sandbox import Sandbox
from tasks.task import RepairTask

if TYPE_CHECKING:
    import gymnasium

S = TypeVar("S", bound=Hashable)
A = TypeVar("A")


class Nonconforming(AssertionError):
    """Something that does not do what its kind promises."""


class Core(Protocol[S, A]):
    """A pure world: states are values, and the same move always leads to the same state."""

    def initial(self) -> S: ...
    def actions(self, state: S) -> Sequence[A]: ...
    def transition(self, state: S, action: A) -> S: ...


def check_core(core: Core[S, A], *, steps: int = 8, seed: int = 0) -> None:
    """Nothing; Nonconforming where a random walk finds a state that changes, or a move that leads to two places."""
    rng, state = Random(seed), core.initial()
    _require(core.initial() == state, "initial() gives different states")
    for _ in range(steps):
        actions = core.actions(state)
        _require(list(actions) == list(core.actions(state)), f"actions() of {state!r:.80} differ from call to call")
        _require(len(set(actions)) == len(actions), f"actions() of {state!r:.80} hold one twice")
        if not actions:
            return
        before, action = hash(state), rng.choice(actions)
        after = core.transition(state, action)
        _require(hash(state) == before, f"transition() changed the state it was given, by {action!s:.80}")
        _require(after == core.transition(state, action), f"{action!s:.80} leads to two different states")
        state = after


def check_env(env: gymnasium.Env[Any, Any], *, seed: int = 0, steps: int = 12) -> None:
    """Nothing; Nonconforming where two episodes of one seed differ, or a mask and the steps disagree."""
    first, second = (_episode(env, seed, steps) for _ in range(2))
    for number, (one, other) in enumerate(zip(first, second, strict=True)):
        _require(_same(one, other), f"two episodes of seed {seed} differ at step {number}:\n{one}\n{other}")
    _check_mask(env, seed)


def _episode(env: gymnasium.Env[Any, Any], seed: int, steps: int) -> list[tuple[Any, ...]]:
    """What was seen in one episode of random actions that the mask allows."""
    observation, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    seen: list[tuple[Any, ...]] = [(observation, info)]
    for _ in range(steps):
        _require(env.observation_space.contains(observation), f"{observation!r:.200} is not in the observation space")
        answer = env.step(_sample(env, info))
        seen.append(answer)
        observation, reward, terminated, truncated, info = answer
        _require(not (terminated and truncated), "an episode both terminated and truncated")
        _require(isinstance(reward, float), f"a reward is {reward!r}, not a float")
        if terminated or truncated:
            break
    return seen


def _sample(env: gymnasium.Env[Any, Any], info: dict[str, Any]) -> Any:
    return env.action_space.sample(info["action_mask"]) if "action_mask" in info else env.action_space.sample()


def _check_mask(env: gymnasium.Env[Any, Any], seed: int) -> None:
    import numpy as np

    _, info = env.reset(seed=seed)
    if "action_mask" not in info:
        return
    mask = info["action_mask"]
    _require(mask.dtype == np.int8, f"action_mask has dtype {mask.dtype}; Gymnasium samples with int8 only")
    asked = env.unwrapped.action_masks()  # type: ignore[attr-defined]
    _require(np.array_equal(asked, mask.astype(bool)), "action_masks() and info['action_mask'] disagree")
    for action in np.flatnonzero(mask == 0)[-1:]:
        *_, told = env.step(action)
        _require(bool(told.get("refused")), f"action {action} is masked, and step() took it without a word")


def _same(one: Any, other: Any) -> bool:
    """Equality that goes through tuples, dicts and arrays."""
    import numpy as np

    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other)
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(_same(one[k], other[k]) for k in one)
    if isinstance(one, tuple):
        return isinstance(other, tuple) and len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def check_task(task: RepairTask, sandbox: Sandbox) -> None:
    """Nothing; Nonconforming where the buggy program passes, or the reference or the known patch does not."""
    evaluator = Evaluator(task, sandbox)
    _require(not evaluator.original.solved, f"{task.id}: the buggy program passes all visible tests")
    if task.reference is not None:
        _check_passes(evaluator, task.reference, "the reference")
    if task.known_patch:
        _check_passes(evaluator, apply_patch(task.source, task.known_patch), "the known patch")


def _check_passes(evaluator: Evaluator, source: str, what: str) -> None:
    task, found = evaluator.task, evaluator.run(source)
    failed = [number for number, mark in enumerate(found.marks) if not mark]
    gave = "; ".join(f"test {number} gave {found.values[number]:.80}" for number in failed[:3])
    _require(not failed, f"{task.id}: {what} fails {len(failed)} visible tests: {gave}")
    _require(evaluator.passes_hidden(source) is not False, f"{task.id}: {what} fails a hidden test")


def _require(condition: bool, complaint: str) -> None:
    if not condition:
        raise Nonconforming(complaint)
