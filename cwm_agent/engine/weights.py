"""Models on disk: weights in bf16, matrices also in int8, in small files with checksums; knows no training, no engine.

A model is a folder: `model.json` (format, tokenizer under `encoding`, shape, shards with checksums, and the card with
data, recipe and results) and the shards that it names, `weights-N-CHECKSUM.safetensors`, each below 16 MiB, which
repository hosts accept. New shards never replace old ones: `model.json` is replaced last, then the old shards are
removed, so a folder holds a whole model at every moment.

Matrices of blocks that were trained with rounding (`training/rounded_products.py`) are stored as the engine's int8
products use them: in 255 steps, and the size of a step for each output. Half the bytes, and nothing that the network
learnt is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cwm_agent.engine.heavy_imports import without_collections
from cwm_agent.engine.layer_parameters import LARGEST_STEP, SCALES, NetworkParameters
from cwm_agent.engine.shape import MATRICES, Shape
from cwm_agent.engine.tokenizer import BYTES, Tokenizer
from tasks.output.atomic_file import write_file

if TYPE_CHECKING:
    from torch import Tensor

    from cwm_agent.engine.network import Network

FORMATS = {False: 1, True: 2}
"""Of models in bf16, and of models with matrices in int8."""
SHARD_BYTES = 15 * 2**20
SHARD_NAME = re.compile(r"weights-\d+(-[0-9a-f]{12})?\.safetensors")
"""The names that shards have; older versions wrote no checksum."""
SHIPPED = Path(__file__).parent / "weights"
REMEDY = (
    "Reinstall with `pip install --force-reinstall cwm-agent`, or train a new one: `python -m cwm_agent.train --help`."
)


class WeightsError(RuntimeError):
    """Weights that are missing, damaged or of another format."""


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A network with its tokenizer and its card."""

    given: Network | NetworkParameters
    """The network, or what it is made of when it is first asked for."""
    tokenizer: Tokenizer
    card: Mapping[str, Any]
    """Data, recipes and results of the training runs."""
    fingerprint: str
    """Changes with any weight; caches of predictions use it as part of their key."""
    device: str = "cpu"
    """Where a network is made."""

    @property
    def shape(self) -> Shape:
        return self.given.shape

    @property
    def parameters(self) -> NetworkParameters:
        """The parameters as numpy arrays."""
        return self.given if isinstance(self.given, NetworkParameters) else NetworkParameters.of(self.given)

    @cached_property
    def network(self) -> Network:
        """The network; torch is imported to make it."""
        if isinstance(self.given, NetworkParameters):
            return _network(self.given).to(self.device)
        return self.given


def _network(parameters: NetworkParameters) -> Network:
    with without_collections():
        import torch

        from cwm_agent.engine.network import Network

    network = Network(parameters.shape, initialised=False)
    exact = {name: torch.from_numpy(parameters.exact(name)) for name in parameters.shape.parameters()}
    network.load_state_dict(exact, assign=True)
    return network


def save(network: Network, folder: Path, card: Mapping[str, Any], *, rounded: bool = False) -> None:
    """Write the network to `folder`, replacing a model that is there; WriteError leaves the old model whole.

    With `rounded` the matrices of blocks are written in int8.
    """
    from safetensors.torch import save as to_bytes

    from cwm_agent.engine.network import count_parameters

    folder.mkdir(parents=True, exist_ok=True)
    shards = []
    for number, tensors in enumerate(_shards(network, rounded=rounded), start=1):
        data = to_bytes(tensors)
        checksum = sha256(data).hexdigest()
        name = f"weights-{number}-{checksum[:12]}.safetensors"
        if not _holds(folder / name, checksum):
            write_file(folder / name, data)
        shards.append({"file": name, "sha256": checksum})
    manifest = {
        "format": FORMATS[rounded],
        "encoding": BYTES.describe(),
        "shape": network.shape.describe(),
        "parameters": count_parameters(network),
        "shards": shards,
        "card": dict(card),
    }
    write_file(folder / "model.json", json.dumps(manifest, default=str))
    for path in folder.glob("weights-*.safetensors"):
        if SHARD_NAME.fullmatch(path.name) and path.name not in {shard["file"] for shard in shards}:
            path.unlink(missing_ok=True)


def load(folder: Path | str, *, device: str = "cpu") -> TrainedModel:
    """The model in `folder`; weights are fp32 numbers that were rounded when saved."""
    folder = Path(folder)
    manifest = _manifest(folder)
    try:
        shape = Shape(**manifest["shape"])
        tokenizer = Tokenizer(**manifest["encoding"])
        shards, card = [(str(shard["file"]), shard["sha256"]) for shard in manifest["shards"]], manifest["card"]
    except (KeyError, TypeError, ValueError) as error:
        raise WeightsError(f"{folder / 'model.json'} describes no model ({error!r}). {REMEDY}") from error
    stored = {name: array for shard in shards for name, array in _shard(folder, *shard).items()}
    if tokenizer.size > shape.vocabulary:
        raise WeightsError(f"{folder / 'model.json'} has more tokens than its network. {REMEDY}")
    if not _is_of_shape(stored, shape):
        raise WeightsError(f"The weights in {folder} are not of the shape in their model.json. {REMEDY}")
    sums = "".join(checksum for _, checksum in shards)
    fingerprint = sha256(sums.encode()).hexdigest()[:16]
    return TrainedModel(NetworkParameters(shape, stored), tokenizer, card, fingerprint, device=device)


def shipped(name: str = "main") -> TrainedModel:
    """The model of that name that the package contains: main, history or policy."""
    return load(SHIPPED / name)


def _shards(network: Network, *, rounded: bool) -> list[dict[str, Tensor]]:
    """The parameters as they are stored, in groups below `SHARD_BYTES`."""
    shards: list[dict[str, Tensor]] = [{}]
    room = SHARD_BYTES
    for name, tensor in _stored(network, rounded=rounded):
        if tensor.nbytes > room:
            shards.append({})
            room = SHARD_BYTES
        shards[-1][name] = tensor
        room -= tensor.nbytes
    return shards


def _stored(network: Network, *, rounded: bool) -> Iterator[tuple[str, Tensor]]:
    """The parameters by name, in bf16; with `rounded`, matrices of blocks in int8 behind the size of their steps."""
    import torch

    matrices = {f"blocks.{index}.{name}" for index in range(network.shape.layers) for name in MATRICES}
    for name, parameter in network.state_dict().items():
        exact = parameter.detach().to("cpu", torch.float32)
        if rounded and name in matrices:
            scales = _short(exact.abs().amax(-1, keepdim=True).div(LARGEST_STEP).clamp_min(1e-30))
            yield name + SCALES, scales
            yield name, exact.div(scales).round().to(torch.int8)
        else:
            yield name, exact.to(torch.bfloat16).contiguous()


def _short(scales: Tensor) -> Tensor:
    """The scales cut to 17 binary digits: their products with steps are exact, so that saving again changes none."""
    import torch

    return (scales.contiguous().view(torch.int32) & ~0x7F).view(torch.float32)


def _is_of_shape(stored: Mapping[str, NDArray[Any]], shape: Shape) -> bool:
    """Whether these are all parameters of a network of that shape, and no others."""
    expected = shape.parameters()
    steps = {name: (*expected[name][:-1], 1) for name in expected if name + SCALES in stored}
    scales = {name + SCALES: form for name, form in steps.items()}
    in_steps = {name for name in expected if name in stored and stored[name].dtype == np.int8}
    return in_steps == steps.keys() and {name: array.shape for name, array in stored.items()} == expected | scales


def _holds(path: Path, checksum: str) -> bool:
    return path.is_file() and sha256(path.read_bytes()).hexdigest() == checksum


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / "model.json").read_bytes())
    except FileNotFoundError:
        raise WeightsError(f"There is no model in {folder}: model.json is missing. {REMEDY}") from None
    except ValueError as error:
        raise WeightsError(f"{folder / 'model.json'} is damaged ({error}). {REMEDY}") from error
    if not isinstance(manifest, dict) or manifest.get("format") not in FORMATS.values():
        raise WeightsError(f"{folder / 'model.json'} is in no format that this version reads (1 or 2). {REMEDY}")
    return manifest


def _shard(folder: Path, name: str, checksum: str) -> dict[str, NDArray[Any]]:
    from safetensors import SafetensorError, deserialize

    path = folder / name
    if path.parent != folder or not path.is_file():
        raise WeightsError(f"Weights are incomplete: {path} is missing. {REMEDY}")
    data = path.read_bytes()
    if sha256(data).hexdigest() != checksum:
        raise WeightsError(f"Weights are damaged: {path} does not have the checksum in model.json. {REMEDY}")
    try:
        return {name: _array(**tensor) for name, tensor in deserialize(data)}  # type: ignore[no-untyped-call]
    except (SafetensorError, KeyError) as error:
        raise WeightsError(f"{path} holds no weights ({error}). {REMEDY}") from error


_STORED_TYPES = {"BF16": np.uint16, "F16": np.float16, "F32": np.float32, "I8": np.int8}


def _array(data: bytes, dtype: str, shape: list[int]) -> NDArray[Any]:
    """A tensor of a file: int8 as it is, all else in fp32. numpy has no bf16, which is the upper half of fp32."""
    stored = np.frombuffer(data, _STORED_TYPES[dtype]).reshape(shape)
    if dtype == "I8":
        return stored
    return (stored.astype(np.uint32) << 16).view(np.float32) if dtype == "BF16" else stored.astype(np.float32)
