"""Products with a fixed matrix in int8, computed by ONNX Runtime; knows no network.

ARM processors have instructions that multiply four pairs of int8 numbers and add them at once. torch's own int8
products do not use them; those of ONNX Runtime do, and are three times as fast as packed fp32 (docs/engine.md). The
matrix is rounded by output and values are rounded by token, so that the result of a token never depends on other
tokens; sums of int8 products are exact.
"""

import platform
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

from cwm_agent.engine.network import EPSILON
from cwm_agent.engine.products.onnx_model import CONTRIBUTED, model, node

_LARGEST = 127
_SMALLEST_SCALE = 1e-30
"""Of values that are all zero."""

_MOST_THREADS = 4
"""Every session has threads of its own, which sleep between two runs."""


@cache
def has_int8_products() -> bool:
    """Whether int8 products are the fastest here: an ARM processor, and ONNX Runtime is installed.

    On x86 some processors cut sums of int8 products off, and newer ones multiply bf16.
    """
    if platform.machine().lower() not in ("aarch64", "arm64"):
        return False
    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        return False
    return True


def int8_product(matrix: Tensor) -> Callable[[Tensor], Tensor]:
    """The product with a matrix of shape (outputs, inputs), rounded to int8; values and results are fp32."""
    graph = _Graph()
    graph.multiply("values", matrix, "found")
    run = graph.session({"values": matrix.shape[1]}, {"found": matrix.shape[0]}).run

    def multiplied(values: Tensor) -> Tensor:
        tokens = values.reshape(-1, values.shape[-1]).numpy()
        return torch.from_numpy(run(None, {"values": tokens})[0]).view(*values.shape[:-1], -1)

    return multiplied


def int8_block_end(out: Tensor, gain: Tensor, gate_up: Tensor, down: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
    """What `BlockEnd` computes, with int8 products, as one model: single operations cost as much as the products."""
    graph = _Graph(gain=gain)
    graph.multiply("attended", out, "attention_out")
    norm = {"domain": CONTRIBUTED, "epsilon": EPSILON}
    graph.add("SkipSimplifiedLayerNormalization", ["attention_out", "stream", "gain"], "fed", "", "", "middle", **norm)
    gate, up = gate_up
    graph.multiply("fed", gate, "gate")
    graph.multiply("fed", up, "up", rounded=False)
    graph.add("QuickGelu", ["gate"], "opened", domain=CONTRIBUTED, alpha=1.0)  # SiLU
    graph.add("Mul", ["opened", "up"], "hidden")
    graph.multiply("hidden", down, "fed_out")
    graph.add("Add", ["middle", "fed_out"], "found")
    width = len(out)
    run = graph.session({"attended": out.shape[1], "stream": width}, {"found": width}).run
    return lambda stream, attended: torch.from_numpy(
        run(None, {"attended": attended.numpy(), "stream": stream.numpy()})[0]
    )


class _Graph:
    """A model that is being written."""

    def __init__(self, **constants: Tensor) -> None:
        self._nodes: list[bytes] = []
        self._constants = {
            "axis": torch.tensor([1]),
            "step": torch.tensor(1 / _LARGEST),
            "smallest": torch.tensor(_SMALLEST_SCALE),
            "one": torch.ones(()),
            **constants,
        }

    def add(self, operator: str, inputs: Sequence[str], *outputs: str, **settings: Any) -> None:
        """Add one operator."""
        self._nodes.append(node(operator, inputs, *outputs, **settings))

    def multiply(self, values: str, matrix: Tensor, found: str, *, rounded: bool = True) -> None:
        """Add the product of values with a matrix; `rounded` is False where the same values were rounded before."""
        matrix = matrix.float()
        scales = matrix.abs().amax(1, keepdim=True).div_(_LARGEST).clamp_min_(_SMALLEST_SCALE)
        self._constants[f"{found} matrix"] = matrix.div(scales).round_().to(torch.int8).t()
        self._constants[f"{found} scales"] = scales.flatten()
        if rounded:
            self._round(values)
        factors = [f"{values} rounded", f"{found} matrix", "one", f"{found} scales"]
        self.add("MatMulIntegerToFloat", factors, f"{found} sums", domain=CONTRIBUTED)
        self.add("Mul", [f"{found} sums", f"{values} scales"], found)

    def _round(self, values: str) -> None:
        """Add the rounding of values by token."""
        sizes, steps = f"{values} sizes", f"{values} steps"
        self.add("Abs", [values], sizes)
        self.add("ReduceMax", [sizes, "axis"], f"{values} largest", keepdims=0)
        self.add("Mul", [f"{values} largest", "step"], f"{steps} or zero")
        self.add("Max", [f"{steps} or zero", "smallest"], steps)
        self.add("QuantizeLinear", [values, steps], f"{values} rounded", axis=0, output_dtype=3)
        self.add("Unsqueeze", [steps, "axis"], f"{values} scales")

    def session(self, inputs: dict[str, int], outputs: dict[str, int]) -> Any:
        """The model, ready to run."""
        return _session(model(self._nodes, self._constants, inputs, outputs))


def _session(content: bytes) -> Any:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = min(torch.get_num_threads(), _MOST_THREADS), 1
    options.enable_cpu_mem_arena = False  # each session would keep the memory of its largest run
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return InferenceSession(content, options, providers=["CPUExecutionProvider"])
