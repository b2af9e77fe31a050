"""Questions to an oracle: through shared replicas beside one oracle in each process, and messages per candidate."""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.domain_registry import domain_named
from cwm_agent.agent.episodes.episode import read
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import Settings
from cwm_agent.jobs.job_loop import run_jobs
from cwm_agent.jobs.placement import Placement
from cwm_agent.jobs.protocol import Finished, Runner, Tell
from cwm_agent.oracles.protocol import Query
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.service.oracle_replica import OracleService
from envs.execution.decompose.program import decomposed
from envs.execution.state.effects import Question
from envs.execution.state.frames import Frame
from envs.execution.stepper.first_frame import first_frame
from envs.execution.stepper.stepper import Stepper
from tasks import load

BATCH = 32
"""Questions of one call."""
SOURCE = "def f(a, b):\n    c = a * {factor} + b\n    return c\n"


@dataclass(frozen=True)
class QuestionWork:
    """Asks the embedded model batches of questions; an item is the number of a batch."""

    oracle: str = "embedded"
    isolates: bool = False

    @contextmanager
    def opened(self, tell: Tell) -> Iterator[Runner[int, float]]:
        oracle = oracle_named(self.oracle, _no_reality)
        oracle.imagine(queries(-1))  # the first batch compiles and fills caches

        def run(items: Sequence[int]) -> Iterator[tuple[int, float]]:
            for place, item in enumerate(items):
                oracle.imagine(queries(item))
                yield place, time.time()

        yield run


def _no_reality() -> Any:
    raise AssertionError("the embedded model runs no program")


def queries(number: int) -> list[Query]:
    """Questions that differ from those of every other number."""
    return [_query(number * BATCH + at) for at in range(BATCH)]


def _query(number: int) -> Query:
    program = decomposed(SOURCE.format(factor=number % 97 + 2), "f")
    frame = first_frame(program, f"{number % 1000}, {number // 7 % 100}")
    assert isinstance(frame, Frame)
    stepper = Stepper(program)
    step = stepper.ask(frame)
    while isinstance(step, Frame):
        frame, step = step, stepper.ask(step)
    assert isinstance(step, Question)
    return Query(program, frame, step, "local")


def question_rates(questions: int) -> list[dict[str, Any]]:
    """Questions per second of two workers: each with its own oracle, and with one and two replicas."""
    service = OracleService("embedded", 1)
    placements = {
        "one oracle per process": Placement(2),
        "one oracle per Ray worker": Placement(2, "local"),
        "one replica for two workers": Placement(2, "local", service=service),
    }
    rows = []
    for name, placement in placements.items():
        times = [
            each.value
            for each in run_jobs(QuestionWork(), ([number] for number in range(questions // BATCH)), placement)
            if isinstance(each, Finished)
        ]
        spent = max(times) - min(times)
        rows.append({"oracle": name, "questions_per_s": (len(times) - 2) * BATCH / spent})
    return rows


def messages() -> list[dict[str, Any]]:
    """Messages per imagined candidate of a repair: with an oracle in the worker one job and one result per task.

    With replicas each call of the oracle is two messages more; `spent.queries` and the calls come from the episodes.
    """
    rows = []
    for name, service in (("an oracle in each worker", None), ("a shared replica", OracleService("exact", 1))):
        with tempfile.TemporaryDirectory() as folder:
            episodes, calls = _solved(Path(folder), service)
        imagined = sum(int(each.spent.get("imagined", 0)) for each in episodes)
        asked = sum(int(each.spent.get("queries", 0)) for each in episodes)
        sent = 3 * len(episodes) + 2 * calls
        rows.append({
            "oracle": name,
            "tasks": len(episodes),
            "candidates": imagined,
            "messages": sent,
            "per_candidate": sent / max(1, imagined),
            "questions_per_call": asked / calls if calls else 0.0,
            "bytes_per_question": len(pickle.dumps(queries(1))) / BATCH,
        })  # fmt: skip
    return rows


def _solved(out: Path, service: OracleService | None) -> tuple[list[Any], int]:
    """Episodes of two repairs, and the calls that the replicas answered."""
    import ray

    from cwm_agent.jobs.ray_connection import connected

    calls: list[int] = []
    settings = Settings(oracle="exact", policy="none", ceiling=True, budget=Budget(2, steps=2_000, seconds=10_000))
    chosen = [task for task in load("repair").tasks if getattr(task, "split", None) == "dev"][:2]

    def count(episode: Any, done: int, total: int) -> None:
        if service is not None and done == total:
            named = [ray.get_actor(each) for each in ray.util.list_named_actors()]
            calls.extend(ray.get(each.counts.remote()).calls for each in named)

    with connected("local", cores=2):
        run_tasks(
            domain_named("repair"),
            chosen,
            settings,
            out,
            placement=Placement(1, "local", service=service),
            on_episode=count,
        )
    return read(out / "episodes.jsonl"), sum(calls)
