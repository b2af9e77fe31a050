"""Rollouts as rows for TRL's trainers; each row is a plain dict, and `datasets.Dataset.from_list` takes a list of them.

    sft_rows     messages of whole episodes; train with assistant_only_loss=True: the answers are the environment's
    dpo_rows     prompt, chosen, rejected: one assistant turn each, where two episodes of one problem first differ
    grpo_rows    prompts that end with the user, and what `replay_reward` needs to judge completions

Knows no trainer and does not import TRL.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from cwm_agent.rollouts.errors import BadRollouts
from cwm_agent.rollouts.exchange.text_episode import TextEpisode, read_action
from cwm_agent.rollouts.rollout_rows import EpisodeRow

Message = dict[str, str]


def sft_rows(rows: Sequence[EpisodeRow], *, least_return: float | None = None) -> list[dict[str, Any]]:
    """Whole episodes as `messages`, those with at least this return; the last message is always the assistant's."""
    found = []
    for row in rows:
        if least_return is None or row.total >= least_return:
            messages = _checked(row)
            last = max(at for at, message in enumerate(messages) if message["role"] == "assistant")
            found.append({"messages": messages[: last + 1], "task": row.task})
    return found


def dpo_rows(rows: Sequence[EpisodeRow]) -> list[dict[str, Any]]:
    """Pairs of episodes of one problem with different returns, at the action where they first differ.

    The better episode's action is `chosen`, the worse one's `rejected`; each problem's best episode is compared with
    every worse one that begins alike.
    """
    groups: dict[str, list[EpisodeRow]] = defaultdict(list)
    for row in rows:
        groups[_checked(row)[0]["content"]].append(row)
    found = []
    for group in groups.values():
        best = max(group, key=lambda row: row.total)
        for worse in group:
            pair = _first_difference(best.messages, worse.messages) if worse.total < best.total else None
            if pair is not None:
                found.append({**pair, "task": best.task})
    return found


def _first_difference(better: Sequence[Message], worse: Sequence[Message]) -> dict[str, list[Message]] | None:
    """Prompt, chosen and rejected where two conversations first differ; None unless that is an action of both."""
    for at, (one, other) in enumerate(zip(better, worse, strict=False)):
        if one != other:
            acts = one["role"] == other["role"] == "assistant"
            return {"prompt": list(better[:at]), "chosen": [one], "rejected": [other]} if acts else None
    return None


def grpo_rows(rows: Sequence[EpisodeRow]) -> list[dict[str, Any]]:
    """One row for each problem: `prompt`, and the columns `env`, `options` and `seed` for `replay_reward`."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        prompt = _checked(row)[:1]
        options = {key: value for key, value in row.run["options"].items() if value is not None}
        found.setdefault(
            prompt[0]["content"],
            {"prompt": prompt, "env": row.run["env"], "options": repr(options), "seed": row.seed, "task": row.task},
        )
    return list(found.values())


def replay_reward(
    completions: Sequence[Any], env: Sequence[str], options: Sequence[str], seed: Sequence[int], **columns: Any
) -> list[float]:
    """The return of each completion, for GRPOTrainer's `reward_funcs`: its lines, taken as actions for real.

    Lines that are no action are skipped, so a model may think aloud before it acts.
    """
    from ast import literal_eval

    opened: dict[tuple[str, str], TextEpisode] = {}
    found = []
    try:
        for completion, name, given, number in zip(completions, env, options, seed, strict=True):
            if (name, given) not in opened:
                opened[name, given] = TextEpisode(name, **literal_eval(given))
            found.append(_replayed(opened[name, given], _text(completion), number))
    finally:
        for episode in opened.values():
            episode.close()
    return found


def _replayed(episode: TextEpisode, text: str, seed: int) -> float:
    episode.reset(seed)
    total = 0.0
    for line in text.splitlines():
        if read_action(episode.core, line) is None:
            continue
        step = episode.step(line)
        total += step.reward
        if step.done:
            break
    return total


def _text(completion: Any) -> str:
    """A completion's text: a string, or messages of which the assistant's count."""
    if isinstance(completion, str):
        return completion
    return "\n".join(message["content"] for message in completion if message["role"] == "assistant")


def _checked(row: EpisodeRow) -> list[Message]:
    """The messages of an episode; BadRollouts where they are not a user's and an assistant's by turns."""
    roles = [message.get("role") for message in row.messages]
    if len(roles) < 2 or roles != ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2):
        raise BadRollouts(
            f"Episode {row.episode} has no turns of user and assistant. Roll it out again with this version."
        )
    return [dict(message) for message in row.messages]
