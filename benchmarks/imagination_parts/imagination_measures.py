"""The measures of `benchmarks.imagination`, without those of the device; each returns its numbers for JSON."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.imagination_parts.generate_peer import Saying, peer
from benchmarks.imagination_parts.imagination_work import Listening, calls, loops, repair
from cwm_agent.engine import weights
from cwm_agent.engine.decoding.continuous_batching import Prompt as Asked
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.engine_sizes import ON_CPU
from cwm_agent.imagination.rollout_loop import Rollout, RolloutSettings, RolloutStart, imagine, imagine_each
from cwm_agent.oracles.backends.embedded import LONGEST_ANSWER, EmbeddedOracle
from cwm_agent.oracles.protocol import Query
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.views.local import local_view
from cwm_agent.views.program import program_view as program_view
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import Unsupported

REPAIR = "overlap"
"""The repair task of the speed section."""
MOST_STEPS = 300
"""Most steps of a call; a candidate may not terminate."""
SAMPLED = 36
"""Steps by `generate` over all rounds; each takes almost a second."""
_FIRST_PREDICTION = """
import sys, time
began = time.perf_counter()
from cwm_agent.engine.heavy_imports import without_collections
with without_collections():
    from cwm_agent.engine import weights
    from cwm_agent.engine.decoding.continuous_batching import Prompt
    from cwm_agent.engine.engine import Engine
imported = time.perf_counter()
engine = Engine(weights.shipped(), device=sys.argv[1])
loaded = time.perf_counter()
engine.complete([Prompt(b"v0 = v1 + v2\\nv1=3\\nv2=4")])
print(imported - began, loaded - imported, time.perf_counter() - loaded)
"""


def speed(
    model: weights.TrainedModel, device: str, *, rollouts: int, candidates: int, rounds: int, seed: int
) -> dict[str, Any]:
    """Imagined steps per second without a cache and within a repair, and those of `generate`, by rounds."""
    wanted, within = calls(rollouts, seed), repair(REPAIR, candidates, seed)
    found = imagine(wanted, CachedOracle(_oracle(model, device)), RolloutSettings(steps=MOST_STEPS))
    sayings = _sayings(wanted, found, Engine(model, device=device), Random(seed))
    other = peer(model.network.shape, device, seed)
    other.seconds([saying for saying in sayings if saying][:1])  # the first call of everything is slow
    rows = []
    for number in range(rounds):
        part = sayings[number::rounds]
        # New oracles each time: one that was asked before has guesses to make, and would not be cold.
        row = {
            "cold": _steps_a_second(wanted, CachedOracle(_oracle(model, device)), rollouts),
            "repair": _steps_a_second(within, CachedOracle(_oracle(model, device)), 512),
            "generate": len(part) / other.seconds([saying for saying in part if saying]),
        }
        rows.append(row)
        print(f"speed, round {number + 1}: {row}", flush=True)
    asked = [saying for saying in sayings if saying]
    return {
        "rollouts": len(wanted),
        "candidates": candidates,
        "steps": {"cold": sum(len(each.frames) - 1 for each in found)},
        "rounds": rows,
        "cold_times_generate": statistics.median(row["cold"] / row["generate"] for row in rows),
        "repair_times_generate": statistics.median(row["repair"] / row["generate"] for row in rows),
        "generate_steps_asked": len(asked) / len(sayings),
        "generate_tokens_read": statistics.mean(len(saying.prompt) for saying in asked),
        "generate_tokens_said": statistics.mean(saying.tokens for saying in asked),
        "parameters": {"generate": other.parameters, "embedded": sum(p.numel() for p in model.network.parameters())},
    }


def _oracle(model: weights.TrainedModel, device: str) -> EmbeddedOracle:
    return EmbeddedOracle(Engine(model, device=device))


def _steps_a_second(wanted: Sequence[RolloutStart], oracle: CachedOracle, width: int) -> float:
    began = time.perf_counter()
    each = imagine_each(((start, RolloutSettings(steps=MOST_STEPS)) for start in wanted), oracle, width=width)
    steps = sum(len(rollout.frames) - 1 for _, rollout in each)
    return steps / (time.perf_counter() - began)


def _sayings(
    starts: Sequence[RolloutStart], rollouts: Sequence[Rollout], engine: Engine, rng: Random
) -> list[Saying | None]:
    """Random steps of the rollouts in the text of the program view; None for steps that a rule decides."""
    places = [
        (start.program, frame) for start, rollout in zip(starts, rollouts, strict=True) for frame in rollout.frames[:-1]
    ]
    rng.shuffle(places)
    found: list[Saying | None] = []
    for program, frame in places:
        try:
            found.append(_saying(program, frame, engine) if frame.event == "line" else None)
        except Unsupported:
            continue
        if len(found) == SAMPLED:
            break
    return found


def _saying(program: Program, frame: Frame, engine: Engine) -> Saying:
    asked = program_view.ask(program, frame)
    query = Asked(asked.text.encode(), asked.context.encode())
    said = engine.complete([query], max_tokens=LONGEST_ANSWER)[0]
    if not said.finished:
        raise Unsupported("a step whose answer does not end would only make the peer slow")
    return Saying((*query.context, *engine.tokenizer.prompt(query.text)), said.tokens)


def first_prediction(device: str, times: int) -> dict[str, Any]:
    """Seconds from the start of a process to its first prediction, in total and by part."""
    rows = []
    for _ in range(times):
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", _FIRST_PREDICTION, device], capture_output=True, text=True, check=True
        )
        parts = dict(zip(("import", "load", "predict"), map(float, done.stdout.split()), strict=True))
        rows.append({"whole": time.perf_counter() - began, **parts})
    return {"seconds": statistics.median(row["whole"] for row in rows), "rows": rows}


def same_in_batches(model: weights.TrainedModel, device: str, *, questions: int, seed: int) -> dict[str, Any]:
    """Share of questions with the same answer alone, in one large batch, and in small batches in another order."""
    asked = _questions(model, device, questions, seed)
    shuffled = Random(seed).sample(asked, len(asked))
    alone = Engine(model, device=device)
    said = {query: alone.complete([query], max_tokens=LONGEST_ANSWER)[0].text for query in asked}
    together = Engine(model, device=device).complete(asked, max_tokens=LONGEST_ANSWER)
    engine = Engine(model, device=device, sizes=replace(ON_CPU, rows=24))
    small = dict(zip(shuffled, engine.complete(shuffled, max_tokens=LONGEST_ANSWER), strict=True))
    other = [query for query, answer in zip(asked, together, strict=True) if answer.text != said[query]]
    other_small = [query for query in asked if small[query].text != said[query]]
    return {
        "questions": len(asked),
        "of_program_view": sum(bool(query.context) for query in asked),
        "same_together": 1 - len(other) / len(asked),
        "same_in_small_batches": 1 - len(other_small) / len(asked),
        "others": [query.text.decode() for query in dict.fromkeys([*other, *other_small])][:20],
    }


def _questions(model: weights.TrainedModel, device: str, count: int, seed: int) -> list[Asked]:
    """Distinct questions of a repair and of calls of the tasks: nine of ten in the local view."""
    heard: dict[Asked, None] = {}

    def hear(queries: Sequence[Query]) -> None:
        for query in queries:
            for ask in (_local, _program) if len(heard) % 10 == 0 else (_local,):
                if (asked := ask(query)) is not None:
                    heard[asked] = None

    wanted = [*calls(max(8, count // 8), seed), *repair(REPAIR, max(4, count // 20), seed)]
    oracle = Listening(CachedOracle(_oracle(model, device)), hear)
    for _ in imagine_each(((start, RolloutSettings(steps=MOST_STEPS)) for start in wanted), oracle, width=256):
        if len(heard) >= count:
            break
    return list(heard)[:count]


def _local(query: Query) -> Asked | None:
    question = query.question
    return None if question is None else _written(lambda: local_view.ask(question))


def _program(query: Query) -> Asked | None:
    return _written(lambda: program_view.ask(query.program, query.frame))


def _written(ask: Callable[[], Any]) -> Asked | None:
    try:
        asked = ask()
    except Unsupported:
        return None
    return Asked(asked.text.encode(), asked.context.encode())


def resident_mib() -> float:
    """Resident memory of this process in MiB; needs Linux."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def long_rollouts(model: weights.TrainedModel, device: str, *, rollouts: int, steps: int) -> dict[str, Any]:
    """Milliseconds per step and resident memory after each tenth of long grounded rollouts in one batch."""
    heard: list[tuple[float, float]] = []
    oracle = Listening(
        CachedOracle(_oracle(model, device)), lambda _: heard.append((time.perf_counter(), resident_mib()))
    )
    began = time.perf_counter()
    found = imagine(list(loops(rollouts, steps)), oracle, RolloutSettings(steps=steps))
    taken = [len(rollout.frames) - 1 for rollout in found]
    # Every round of the loop asks alike, so a tenth of the calls is a tenth of the steps.
    marks = [heard[len(heard) * tenth // 10 - 1] for tenth in range(1, 11)]
    times = [began, *(mark[0] for mark in marks)]
    spans = [end - start for start, end in pairwise(times)]
    return {
        "rollouts": rollouts,
        "steps": taken,
        "ends": sorted({f"{rollout.end} {rollout.reason}" for rollout in found}),
        "ms_a_step": [1_000 * span / (sum(taken) / 10) for span in spans],
        "resident_mib": [mark[1] for mark in marks],
    }
