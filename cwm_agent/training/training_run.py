"""One training run from sources to a folder of weights: feed, train, save, evaluate; knows the files."""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import torch

from cwm_agent.engine import weights
from cwm_agent.engine.network import Network, count_parameters, linear
from cwm_agent.engine.shape import shape_of_size
from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.jobs.placement import Placement
from cwm_agent.training.data_feed import Feed, Rows
from cwm_agent.training.exactness import AnswerVerdict, Exactness, evaluate
from cwm_agent.training.example import Share, held_out, resolve
from cwm_agent.training.recipe import BadRecipe, Recipe
from cwm_agent.training.training_loop import Report, Trainer, device_of, train
from cwm_agent.training.training_progress import TrainingProgress
from tasks.output.atomic_file import write_file

FAILURES_PER_KIND = 20
OPTIMISER_FILE = "optimiser.pt"


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """Result of a training run."""

    progress: TrainingProgress
    exactness: tuple[Exactness, ...]
    folder: Path


def run(
    recipe: Recipe,
    out: Path,
    *,
    evaluations: Sequence[Share] = (),
    resume: Path | None = None,
    keep_optimiser: bool = False,
    report: Report = print,
    started: float | None = None,
    placement: Placement | None = None,
) -> TrainingResult:
    """Train by the recipe and write weights, card and failures to `out`.

    The weight of an evaluation is its number of examples. `placement` says where examples are generated; without one
    the recipe's workers are processes of this machine.
    """
    started = time.monotonic() if started is None else started
    torch.manual_seed(recipe.data_mix.seed)
    network, history = _network(recipe, resume)
    report(f"{count_parameters(network) / 1e6:.2f} M parameters, {recipe.workers} workers, torch {torch.__version__}")
    entry: dict[str, Any] = {"recipe": recipe.describe(), "torch": torch.__version__}

    def save(folder: Path = out) -> None:
        weights.save(network, folder, {"runs": [*history, entry]}, rounded=recipe.rounded)

    def checkpoint(share: float) -> None:
        save(out / f"checkpoint-{share:g}")

    workers = placement or Placement(recipe.workers, apart=True)
    with Feed(recipe.data_mix, batch=recipe.batch, placement=workers) as feed:
        restore = _restorer(resume, report)
        trainer, progress = train(
            network, recipe, feed, report=report, started=started, save=save, checkpoint=checkpoint, restore=restore
        )
        rows = feed.next()
    entry |= {"progress": asdict(progress), "machine": _machine_name(trainer)}
    save()
    report(f"saved {progress.steps} steps, {progress.tokens / 1e6:.1f} M tokens to {out}")
    if keep_optimiser:
        state = BytesIO()
        torch.save(trainer.optimiser.state(), state)
        write_file(out / OPTIMISER_FILE, state.getvalue())
    _compare_kernels(trainer, rows, report)
    network.product = linear
    network.load_state_dict(weights.load(out).network.state_dict())  # rounded as they are saved
    exactness = tuple(_evaluate(trainer, recipe, evaluations, out=out, report=report))
    entry["exactness"] = [asdict(found) for found in exactness]
    save()
    return TrainingResult(progress, exactness, out)


def _compare_kernels(trainer: Trainer, rows: Rows, report: Report) -> None:
    """Report the answer loss of block-sparse attention and of the plain mask, if the run used the former."""
    if trainer.machine.kernel == "flex":
        own, plain = trainer.agreement(trainer.load(rows))
        report(f"answer loss by block-sparse attention {own:.5f}, by the plain mask {plain:.5f}")


def _network(recipe: Recipe, resume: Path | None) -> tuple[Network, list[Any]]:
    """A new network, or the one to resume, with its earlier runs."""
    try:
        shape = shape_of_size(recipe.size, BYTES.size)
    except ValueError as error:
        raise BadRecipe(str(error)) from None
    if resume is None:
        return Network(shape).to(device_of(recipe)), []
    model = weights.load(resume)
    if model.network.shape != shape:
        raise BadRecipe(
            f"{resume} holds {model.network.shape}, but size {recipe.size!r} is {shape}; "
            "give --size as in its first run."
        )
    return model.network.to(device_of(recipe)), [_without_kinds(run) for run in model.card.get("runs", [])]


def _without_kinds(run: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of an earlier run without its counts by kind, which would outgrow the card."""
    totals = [{name: value for name, value in each.items() if name != "by_kind"} for each in run.get("exactness", ())]
    return {**run, "exactness": totals} if totals else dict(run)


def _restorer(resume: Path | None, report: Report) -> Callable[[Trainer], None]:
    def restore(trainer: Trainer) -> None:
        if resume is not None and (resume / OPTIMISER_FILE).exists():
            trainer.optimiser.restore(torch.load(resume / OPTIMISER_FILE, map_location=trainer.machine.device))
            report("resuming with the saved optimiser")

    return restore


def _machine_name(trainer: Trainer) -> str:
    device = trainer.machine.device
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def _evaluate(
    trainer: Trainer, recipe: Recipe, evaluations: Sequence[Share], *, out: Path, report: Report
) -> list[Exactness]:
    found, failures = [], []
    for share in evaluations:
        started = time.monotonic()
        examples = held_out(resolve(share.target), int(share.weight))
        generated = time.monotonic()
        exactness, wrong = evaluate(
            trainer.network,
            share.name,
            examples,
            length=recipe.data_mix.length,
            batch=8,
            dtype=trainer.machine.dtype,
        )
        report(
            f"evaluated {share.name}: examples {generated - started:.1f} s, "
            f"network {time.monotonic() - generated:.1f} s"
        )
        found.append(exactness)
        failures += _some_of_each_kind(share.name, wrong)
    write_file(out / "failures.jsonl", "".join(json.dumps(row) + "\n" for row in failures))
    return found


def _some_of_each_kind(name: str, wrong: Sequence[AnswerVerdict]) -> list[dict[str, str]]:
    """Wrong answers as text, at most `FAILURES_PER_KIND` of each kind."""
    seen: Counter[str] = Counter()
    rows = []
    for verdict in wrong:
        seen[verdict.example.kind] += 1
        if seen[verdict.example.kind] <= FAILURES_PER_KIND:
            example = verdict.example
            texts = {
                "context": example.context,
                "query": example.query,
                "answer": example.answer,
                "said": verdict.decoded,
            }
            rows.append(
                {"source": name, "kind": example.kind}
                | {key: text.decode(errors="replace") for key, text in texts.items()}
            )
    return rows
