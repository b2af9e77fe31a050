"""An adapter on disk: one small safetensors file that holds the factors, and what was learnt from as its metadata.

The file names the weights that it belongs to; an adapter of other weights is refused. It is written as a whole, so a
kill leaves the adapter of the update before.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from cwm_agent.engine.network import Network
from cwm_agent.training.adaptation.low_rank import Adapter, AdapterShape
from cwm_agent.training.example import Example
from tasks.output.atomic_file import write_file
from tasks.reading.bounded_files import read_file

FORMAT = 1
MAX_BYTES = 64 * 2**20
_TEXTS = ("context", "query", "answer")


class BadAdapter(ValueError):
    """A file that holds no adapter of these weights; the message says what to do."""


@dataclass(frozen=True, slots=True)
class AdapterRecord:
    """What an adapter was trained on so far."""

    weights: str
    """Fingerprint of the weights that it adapts."""
    updates: int = 0
    """Updates that were made, kept or not."""
    examples: tuple[Example, ...] = ()
    """New examples that later updates train on again."""


def save_adapter(path: Path, adapter: Adapter, record: AdapterRecord) -> None:
    """Write the adapter, replacing the one that is there."""
    from safetensors.torch import save

    described = {
        "format": FORMAT,
        "weights": record.weights,
        "shape": asdict(adapter.shape),
        "updates": record.updates,
        "examples": [_described(each) for each in record.examples],
    }
    tensors = {name: value.detach().cpu().contiguous() for name, value in adapter.state_dict().items()}
    write_file(path, save(tensors, metadata={"adapter": json.dumps(described)}))


def load_adapter(path: Path, network: Network, weights: str) -> tuple[Adapter, AdapterRecord]:
    """The adapter of a file, for a network whose weights have that fingerprint; BadAdapter where it is of others."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    data = read_file(path, MAX_BYTES)
    try:
        described, tensors = _metadata(data), load(data)
        adapter = Adapter(network, AdapterShape(**described["shape"]), seed=0)
        record = AdapterRecord(
            described["weights"], int(described["updates"]), tuple(map(_example, described["examples"]))
        )
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise BadAdapter(f"{path} holds no adapter ({error}); delete it to learn anew.") from error
    if record.weights != weights:
        raise BadAdapter(
            f"{path} adapts other weights ({record.weights}) than those of this run ({weights}); "
            "give the same --oracle, or another folder with --out."
        )
    try:
        adapter.load_state_dict(tensors)
    except RuntimeError as error:
        raise BadAdapter(f"{path} does not fit its own description; delete it to learn anew.") from error
    if not all(bool(torch.isfinite(value).all()) for value in tensors.values()):
        raise BadAdapter(f"{path} holds numbers that are not finite; delete it to learn anew.")
    return adapter, record


def _metadata(data: bytes) -> dict[str, Any]:
    """What the header of the file says about the adapter."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + min(size, len(data))])
    found: dict[str, Any] = json.loads(header["__metadata__"]["adapter"])
    if found["format"] != FORMAT:
        raise ValueError(f"format {found['format']}, and this version reads {FORMAT}")
    return found


def _described(example: Example) -> dict[str, str]:
    texts = {name: getattr(example, name).decode("utf-8", "surrogateescape") for name in _TEXTS}
    return {**texts, "kind": example.kind}


def _example(row: Mapping[str, str]) -> Example:
    context, query, answer = (row[name].encode("utf-8", "surrogateescape") for name in _TEXTS)
    return Example(context, query, answer, row["kind"])
