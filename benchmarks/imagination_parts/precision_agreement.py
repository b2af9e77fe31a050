"""Whether answers depend on the precision: the same questions in fp32 and in the engine's own precision."""

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.precision import Precision
from cwm_agent.engine.weights import TrainedModel
from cwm_agent.training.example import HELD_OUT_SEED, Example, resolve

SOURCES = (
    "line_examples:lines",
    "line_examples:library_lines",
    "program_examples:local_steps",
    "program_examples:program_steps",
)
_BATCH = 500


def same_in_precisions(model: TrainedModel, device: str, *, questions: int, seed: int) -> dict[str, Any]:
    """Questions with the same answer in both precisions, and how many answers of each are right."""
    engines = {name: Engine(model, precision=name, device=device) for name in _PRECISIONS}
    found = {"questions": 0, "same": 0, **{f"right in {name}": 0 for name in _PRECISIONS}}
    examples = _examples(questions, seed)
    while batch := list(islice(examples, _BATCH)):
        answers = {name: _answers(engine, batch) for name, engine in engines.items()}
        found["questions"] += len(batch)
        found["same"] += sum(one == other for one, other in zip(*answers.values(), strict=True))
        for name, texts in answers.items():
            right = (text == each.answer for text, each in zip(texts, batch, strict=True))
            found[f"right in {name}"] += sum(right)
        print(f"\r{found['same']} of {found['questions']} answers the same", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


_PRECISIONS: tuple[Precision, ...] = ("fp32", "auto")


def _answers(engine: Engine, batch: list[Example]) -> list[bytes]:
    prompts = [Prompt(each.query, context=each.context) for each in batch]
    return [completion.text for completion in engine.complete(prompts)]


def _examples(count: int, seed: int) -> Iterator[Example]:
    """Held-out examples, the same number of each source."""
    for source in SOURCES:
        yield from islice(resolve(f"cwm_agent.training.steps.{source}")(HELD_OUT_SEED + seed), count // len(SOURCES))
