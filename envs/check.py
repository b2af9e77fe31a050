"""Conformance checks for cores, environments and tasks; run them on your own implementations.

`check_core` checks a pure core by a random walk. `check_env` checks what Gymnasium's own checker does not: equal seeds
give equal episodes, `action_mask` and `action_masks()` agree, and `step` marks a masked action as refused.
`check_task` runs a repair task in the sandbox. All raise Nonconforming, which names the class, the method, the
expected and the observed behaviour.
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
    """A core, an environment or a task breaks its contract."""


class Core(Protocol[S, A]):
    """A pure core: states are values, and a transition is a function of state and action."""

    def initial(self) -> S: ...
    def actions(self, state: S) -> Sequence[A]: ...
    def transition(self, state: S, action: A) -> S: ...


def check_core(core: Core[S, A], *, steps: int = 8, seed: int = 0) -> None:
    """Checks a core by a random walk; Nonconforming if a method changes a state or is not deterministic."""
    name = type(core).__name__
    for method in ("initial", "actions", "transition"):
        _require(callable(getattr(core, method, None)), f"{name}: expected a method {method}(), got none")
    rng, state = Random(seed), core.initial()
    _require(core.initial() == state, f"{name}.initial(): expected equal states from two calls, got different ones")
    for _ in range(steps):
        actions = core.actions(state)
        again = list(core.actions(state))
        method, at = f"{name}.actions()", f"for the state {state!r:.80}"
        _require(list(actions) == again, f"{method}: expected equal actions from two calls, got different ones {at}")
        _require(len(set(actions)) == len(actions), f"{method}: expected different actions, got one twice {at}")
        if not actions:
            return
        before, action = hash(state), rng.choice(actions)
        after = core.transition(state, action)
        method, at = f"{name}.transition()", f"for the action {action!s:.80}"
        _require(hash(state) == before, f"{method}: expected its argument unchanged, got a changed state {at}")
        again_after = core.transition(state, action)
        _require(after == again_after, f"{method}: expected equal states from two calls, got different ones {at}")
        state = after


def check_env(env: gymnasium.Env[Any, Any], *, seed: int = 0, steps: int = 12) -> None:
    """Checks an environment; Nonconforming if two episodes of one seed differ, or its mask is wrong."""
    first, second = (_episode(env, seed, steps) for _ in range(2))
    for number, (one, other) in enumerate(zip(first, second, strict=True)):
        method = f"{_name(env)}.{'step' if number else 'reset'}()"
        complaint = f"expected equal episodes of seed {seed}, got different ones at step {number}:\n{one}\n{other}"
        _require(_same(one, other), f"{method}: {complaint}")
    _check_mask(env, seed)


def _episode(env: gymnasium.Env[Any, Any], seed: int, steps: int) -> list[tuple[Any, ...]]:
    """The results of `reset` and `step` in one episode of random legal actions."""
    observation, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    results: list[tuple[Any, ...]] = [(observation, info)]
    for _ in range(steps):
        known = env.observation_space.contains(observation)
        method = f"{_name(env)}.{'step' if len(results) > 1 else 'reset'}()"
        _require(known, f"{method}: expected an observation in observation_space, got {observation!r:.200}")
        result = env.step(_sample(env, info))
        results.append(result)
        observation, reward, terminated, truncated, info = result
        method = f"{_name(env)}.step()"
        _require(not (terminated and truncated), f"{method}: expected terminated or truncated, got both")
        _require(isinstance(reward, float), f"{method}: expected a float reward, got {reward!r}")
        if terminated or truncated:
            break
    return results


def _sample(env: gymnasium.Env[Any, Any], info: dict[str, Any]) -> Any:
    return env.action_space.sample(info["action_mask"]) if "action_mask" in info else env.action_space.sample()


def _check_mask(env: gymnasium.Env[Any, Any], seed: int) -> None:
    import numpy as np

    _, info = env.reset(seed=seed)
    if "action_mask" not in info:
        return
    mask = info["action_mask"]
    name = _name(env)
    method = f"{name}.reset()"
    _require(mask.dtype == np.int8, f"{method}: expected info['action_mask'] of dtype int8, got {mask.dtype}")
    if not env.has_wrapper_attr("action_masks"):
        raise Nonconforming(f"{name}: expected a method action_masks() beside info['action_mask'], got none")
    masks = env.get_wrapper_attr("action_masks")()
    agree = np.array_equal(masks, mask.astype(bool))
    _require(agree, f"{name}.action_masks(): expected the mask of info['action_mask'], got another one")
    for action in np.flatnonzero(mask == 0)[-1:]:
        *_, info = env.step(action)
        refused = bool(info.get("refused"))
        _require(refused, f"{name}.step(): expected info['refused'] for the masked action {action}, got none")


def _name(env: gymnasium.Env[Any, Any]) -> str:
    return type(env.unwrapped).__name__


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal; compares tuples, dicts and arrays by their items."""
    import numpy as np

    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other)
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(_same(one[k], other[k]) for k in one)
    if isinstance(one, tuple):
        return isinstance(other, tuple) and len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def check_task(task: RepairTask, sandbox: Sandbox) -> None:
    """Checks a task; Nonconforming if the buggy program passes, or the reference or the known patch fails."""
    evaluator = Evaluator(task, sandbox)
    _require(
        not evaluator.original.solved,
        f"RepairTask {task.id!r}: expected the buggy program to fail a visible test, but it passes all",
    )
    if task.reference is not None:
        _check_passes(evaluator, task.reference, "the reference")
    if task.known_patch:
        _check_passes(evaluator, apply_patch(task.source, task.known_patch), "the known patch")


def _check_passes(evaluator: Evaluator, source: str, what: str) -> None:
    name, found = f"RepairTask {evaluator.task.id!r}", evaluator.run(source)
    failed = [number for number, mark in enumerate(found.marks) if not mark]
    results = "; ".join(f"test {number} gave {found.values[number]:.80}" for number in failed[:3])
    _require(not failed, f"{name}: expected {what} to pass, but it fails {len(failed)} visible tests: {results}")
    _require(
        evaluator.passes_hidden(source) is not False, f"{name}: expected {what} to pass, but it fails a hidden test"
    )


def _require(condition: bool, complaint: str) -> None:
    if not condition:
        raise Nonconforming(complaint)
