"""Learns between the tasks of a run: wrong steps of the oracle become examples, and a small update adapts its network.

The adapter, and the examples that later updates train on again, stand in one file beside the episodes; `learning.jsonl`
says for each task what was judged, wrong and changed. A run that is continued goes on with its adapter. The first
weights are never changed: the oracle gets merged ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from cwm_agent.agent.learning.errors import CannotLearn
from cwm_agent.agent.learning.true_steps import Divergences, RealSteps, divergences
from cwm_agent.agent.settings import Settings
from cwm_agent.oracles.protocol import MARKOV_VIEWS, ChangesWeights, MarkovView
from cwm_agent.records.jsonl_file import JsonlFile

if TYPE_CHECKING:
    from cwm_agent.engine.network import Network
    from cwm_agent.training.adaptation.update import UpdateRecipe, UpdateReport
    from cwm_agent.training.example import Example

ADAPTER_FILE = "adapter.safetensors"
LOG_FILE = "learning.jsonl"
MOST_REMEMBERED = 256
"""Examples of earlier tasks that later updates train on again; the oldest go first."""


def check_learning(settings: Settings, several: str = "") -> None:
    """Refuse settings with which nothing can be learnt while a run goes on; `several` names what asks for processes."""
    if not settings.learn:
        return
    if settings.oracle.partition(":")[0] != "embedded" or not settings.imagines:
        raise CannotLearn(
            f"--learn {settings.learn} is for the weights of the embedded model, and the oracle {settings.oracle!r} "
            f"with the planner {settings.planner!r} has none of these. Give --oracle embedded, or leave it out."
        )
    if settings.view not in MARKOV_VIEWS:
        raise CannotLearn(
            f"--learn {settings.learn} judges single steps, and the {settings.view} view shows whole runs. "
            f"Give --view {' or '.join(MARKOV_VIEWS)}."
        )
    if several:
        raise CannotLearn(
            f"--learn {settings.learn} follows one model from task to task, so one process solves them all, and "
            f"{several} asks for several. Give --jobs 1."
        )


class OnlineLearner:
    """Adapts the oracle of one run between its tasks."""

    def __init__(
        self,
        oracle: ChangesWeights,
        folder: Path,
        *,
        view: MarkovView = "local",
        seed: int = 0,
        recipe: UpdateRecipe | None = None,
        adapts: bool = True,
    ) -> None:
        """Go on with the adapter in `folder`, where there is one; without `adapts` only the log is written."""
        from cwm_agent.training.adaptation.adapter_file import AdapterRecord, BadAdapter, load_adapter
        from cwm_agent.training.adaptation.low_rank import Adapter
        from cwm_agent.training.adaptation.update import Updater, UpdateRecipe

        self._oracle, self._folder, self._view, self._seed = oracle, folder, view, seed
        model = oracle.trained_model()
        recipe = recipe or UpdateRecipe()
        self._network: Network = model.network
        path = folder / ADAPTER_FILE
        try:
            self._adapter, self._record = (
                load_adapter(path, model.network, model.fingerprint)
                if path.exists()
                else (Adapter(model.network, recipe.shape, seed), AdapterRecord(model.fingerprint))
            )
        except BadAdapter as error:
            raise CannotLearn(str(error)) from error
        self._adapts = adapts
        self._updater = Updater(model.network, self._adapter, recipe)
        if self._record.updates:
            self._merge()

    @property
    def updates(self) -> int:
        """Updates so far, in this run and in what it continues."""
        return self._record.updates

    def learn(self, task: str, real: RealSteps) -> bool:
        """Learn from the real runs of one task; returns whether the oracle's weights changed."""
        found = divergences(real, self._view)
        known = frozenset(self._record.examples)
        new = [each for each in found.examples if each not in known]
        report = self._update(new) if new and self._adapts else None
        self._log(task, found, report)
        return report is not None and report.kept

    def _update(self, new: Sequence[Example]) -> UpdateReport:
        from cwm_agent.training.adaptation.adapter_file import save_adapter

        record = self._record
        report = self._updater.update(new, record.examples, seed=self._seed * 1_000_003 + record.updates)
        remembered = (*record.examples, *new)[-MOST_REMEMBERED:]
        self._record = replace(record, updates=record.updates + 1, examples=remembered)
        save_adapter(self._folder / ADAPTER_FILE, self._adapter, self._record)
        if report.kept:
            self._merge()
        return report

    def _merge(self) -> None:
        """Give the oracle the weights with the adapter in them."""
        from cwm_agent.training.adaptation.low_rank import merged

        digest = sha256(self._record.weights.encode())
        for _, values in sorted(self._adapter.state_dict().items()):
            digest.update(values.cpu().numpy().tobytes())
        self._oracle.use_weights(merged(self._network, self._adapter), digest.hexdigest()[:16])

    def _log(self, task: str, found: Divergences, report: UpdateReport | None) -> None:
        row = {
            "task": task,
            "judged": found.judged,
            "wrong": found.wrong,
            "examples": len(found.examples),
            "updates": self._record.updates,
            "update": None if report is None else asdict(report),
        }
        with JsonlFile(self._folder / LOG_FILE) as file:
            file.append(row)
