"""What the processor allows: tokens per second of the network's matrix products alone, beside a pass of the engine.

    python -m benchmarks.cpu_floor [--threads 2] [--json OUT]

A pass computes the products of some number of rows (tokens) with all matrices of the network. For each number of rows
the table gives tokens per second of the products alone: as torch multiplies by default, with matrices packed once (what
the engine does), in bf16 where the CPU multiplies it, and in int8 with values quantised at each product. *best* is
their maximum in GFLOP/s; *pass* is a pass of the engine with so many rows of one new token each behind 64 others, and
its share of the packed products in the engine's own type. Weights are random: speed does not depend on them. Needs
torch and numpy only, and takes under a minute.
"""

import argparse
import json
import platform
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cwm_agent.engine  # noqa: F401  (sets how threads wait, before torch is imported)

import torch  # isort: skip
from torch import Tensor
from torch.nn import functional

from cwm_agent.engine.engine import chosen_type
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.matrix_products import matrix_product, padded_count
from cwm_agent.engine.network import Network, Shape, shape_of_size

ROWS = (1, 8, 32, 128, 512, 4_096)
EARLIER = 64
"""Tokens before the new one in each row of a pass."""
ENOUGH_S = 0.5
"""Seconds for one cell of the table; at least two runs are made."""
MANY_ROWS = 512
"""From so many rows on the time does not depend on loading matrices, so one layer stands for all."""

Product = Callable[[Tensor], Tensor]


def matrices(shape: Shape) -> list[tuple[int, int]]:
    """(outputs, inputs) of the matrices of one layer."""
    width, hidden = shape.width, shape.hidden
    return [(3 * width, width), (width, width), (2 * hidden, width), (width, hidden)]


def _default(matrix: Tensor) -> Product:
    return lambda values: functional.linear(values, matrix)


def _int8(matrix: Tensor) -> Product:
    """The product in int8: a scale for each output, and values quantised at each call."""
    torch.backends.quantized.engine = "x86" if "x86" in platform.machine() else "qnnpack"
    scales = matrix.abs().amax(dim=1) / 127
    quantised = torch.quantize_per_channel(matrix, scales, torch.zeros(len(matrix), dtype=torch.long), 0, torch.qint8)
    packed = torch.ops.quantized.linear_prepack(quantised, None)
    return lambda values: torch.ops.quantized.linear_dynamic(values, packed)


VARIANTS: dict[str, tuple[Callable[[Tensor], Product], torch.dtype]] = {
    "fp32": (_default, torch.float32),
    "fp32 packed": (matrix_product, torch.float32),
    "bf16 packed": (matrix_product, torch.bfloat16),
    "int8": (_int8, torch.float32),
}


def best_seconds(run: Callable[[], object]) -> float:
    """The shortest time of one run, of as many as fit into `ENOUGH_S`."""
    run()
    best, spent, runs = float("inf"), 0.0, 0
    while runs < 2 or (spent < ENOUGH_S and runs < 50):
        began = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - began)
        spent, runs = spent + time.perf_counter() - began, runs + 1
        if spent > 4 * ENOUGH_S:
            break
    return best


def products_per_second(shape: Shape, variant: str, rows: int) -> float:
    """Tokens per second of all products of the network; 0 where the machine cannot compute them."""
    make, dtype = VARIANTS[variant]
    layers = 1 if rows >= MANY_ROWS else shape.layers
    try:
        forms = matrices(shape)
        products = [make(torch.randn(form).mul_(0.05).to(dtype)) for _ in range(layers) for form in forms]
        values = [torch.randn(rows, inputs).to(dtype) for _ in range(layers) for _, inputs in forms]
        pairs = list(zip(products, values, strict=True))
        seconds = best_seconds(lambda: [product(value) for product, value in pairs])
    except RuntimeError:  # an instruction set that the machine or this build of torch does not have
        return 0.0
    return rows / (seconds * shape.layers / layers)


def pass_per_second(forward_pass: ForwardPass, rows: int) -> float:
    """Tokens per second of a pass of the engine over one new token in each row."""
    kv_cache = forward_pass.new_kv_cache(rows, EARLIER + 16)
    kv_cache.lengths = [EARLIER] * rows
    new, all_rows = [[97 + row % 16] for row in range(rows)], slice(0, rows)
    return rows / best_seconds(lambda: forward_pass.logits(forward_pass.forward(new, kv_cache, all_rows).hidden))


def measured(size: str, rows: Sequence[int]) -> dict[str, Any]:
    """The table, as one row of numbers for each number of rows."""
    shape, dtype = shape_of_size(size), chosen_type("auto", torch.device("cpu"))
    flops = 2 * shape.layers * sum(outputs * inputs for outputs, inputs in matrices(shape))
    forward_pass = ForwardPass(Network(shape), dtype=dtype, device=torch.device("cpu"))
    variants = [name for name in VARIANTS if name != "bf16 packed" or dtype == torch.bfloat16]
    own = "bf16 packed" if dtype == torch.bfloat16 else "fp32 packed"
    table = []
    for count in rows:
        allowed = {name: products_per_second(shape, name, count) for name in variants}
        reached = pass_per_second(forward_pass, count)
        row = {"rows": count, "padded": padded_count(count), **allowed, "pass": reached}
        row |= {"share": reached / allowed[own], "best GFLOP/s": max(allowed.values()) * flops / 1e9}
        table.append(row)
        _print_row(row, header=count == rows[0])
    return {"flops_per_token": flops, "type": str(dtype), "table": table}


def _print_row(row: dict[str, float], *, header: bool) -> None:
    if header:
        print(" | ".join(f"{name:>12}" for name in row))
    print(" | ".join(f"{value:12.2f}" if value < 10 else f"{value:12,.0f}" for value in row.values()), flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, help="threads of torch (default: chosen by torch)")
    parser.add_argument("--size", default="main", help="size of the network: a depth or a name (default main)")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args(arguments)
    if options.threads:
        torch.set_num_threads(options.threads)
    warnings.filterwarnings("ignore", message=".*quantiz.*")
    print(f"{platform.machine()}, {torch.backends.cpu.get_cpu_capability()}, {torch.get_num_threads()} threads")
    with torch.inference_mode():
        found = measured(options.size, ROWS)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
