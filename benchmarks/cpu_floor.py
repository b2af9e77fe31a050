"""What the processor allows: milliseconds of a forward pass beside the least that arithmetic and memory permit.

    python -m benchmarks.cpu_floor [--tokens 1,8,32,128] [--precision fp32] [--json OUT]

The roof of arithmetic is the best rate of a large product in the same precision (in int8, of products of bytes without
memory; on x86 a value is two bytes, so each product takes two), the roof of memory the rate of copying. A pass over n
tokens multiplies every weight n times and reads it once, so its products take at least the larger of the two times.
`pass` is the whole of it: n rows, one new token each, behind 96 tokens in the cache. Times are processor seconds, the
least of several runs, with one thread unless --threads says otherwise.
"""

import argparse
import ctypes
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import torch

from cwm_agent.engine import weights
from cwm_agent.engine.decoding.protocol import InferencePass
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.native.native_pass import native_library, uses_tiles
from cwm_agent.engine.precision import Precision
from cwm_agent.engine.products.matrix_products import matrix_product
from cwm_agent.reports.markdown_tables import markdown
from tasks.output.terminal_text import print_line, print_text

CONTEXT, LARGE, REPEATS = 96, 1_024, 7
ROUNDS = 4_000_000
COLUMNS = ("tokens", "floor", "products", "share of the floor", "pass", "share of the pass in products")


def least_seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Processor seconds of the fastest of several runs."""
    found = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def operations_a_second(reader: InferencePass) -> float:
    """Multiplications and additions a second of a large product; in int8, of bytes without memory."""
    if not isinstance(reader, ForwardPass):
        library = native_library()
        products, rounds = (library.tile_products, ROUNDS // 10) if uses_tiles() else (library.dot_products, ROUNDS)
        products.restype = ctypes.c_int64
        operations = int(products(ctypes.c_int64(1))) * rounds
        return operations / least_seconds(lambda: products(ctypes.c_int64(rounds)))
    dtype = reader.dtype
    product = matrix_product(torch.randn(LARGE, LARGE).to(dtype))
    values = torch.randn(LARGE, LARGE).to(dtype)
    return 2 * LARGE**3 / least_seconds(lambda: product(values))


def bytes_a_second() -> float:
    """Bytes that copying reads and writes in a second."""
    source = torch.ones(2**26, dtype=torch.uint8)
    target = torch.empty_like(source)
    return 2 * source.nbytes / least_seconds(lambda: target.copy_(source))


def row(reader: InferencePass, tokens: int, floor: float) -> dict[str, float]:
    """Milliseconds of one number of tokens beside their floor in seconds, and what they are shares of."""
    products, whole = _products(reader, tokens), _pass(reader, tokens)
    values = (tokens, floor * 1e3, products * 1e3, floor / products, whole * 1e3, products / whole)
    return dict(zip(COLUMNS, values, strict=True))


def _products(reader: InferencePass, tokens: int) -> float:
    """Seconds of the products of all layers, with the norm and the gate between them; of empty rows where a library
    computes whole passes."""
    if not isinstance(reader, ForwardPass):
        cache = reader.new_kv_cache(tokens, 16)
        cache.lengths = [0] * tokens
        return least_seconds(lambda: reader.forward([[65]] * tokens, cache, slice(0, tokens)))
    width = reader.shape.width
    values, stream = torch.randn(tokens, width).to(reader.dtype), torch.randn(tokens, width)

    def work() -> None:
        for layer in reader.layers:
            layer.query_key_value(values)
            layer.end(stream.clone(), values)

    return least_seconds(work)


def _pass(reader: InferencePass, tokens: int) -> float:
    """Seconds of a whole pass."""
    cache, rows = reader.new_kv_cache(tokens, CONTEXT + 16), slice(0, tokens)
    for first in range(tokens):  # one row after another: a pass over all prompts would need gigabytes
        place = slice(first, first + 1)
        prompt = [torch.randint(32, 120, (CONTEXT,)).tolist()]
        cache.commit(place, [CONTEXT], reader.forward(prompt, cache, place))
    return least_seconds(lambda: reader.forward([[65]] * tokens, cache, rows))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", default="1,8,32,128", help="of a pass (default: %(default)s)")
    parser.add_argument("--precision", choices=get_args(Precision), default="auto", help="default: %(default)s")
    parser.add_argument("--threads", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    reader = Engine(weights.shipped(), precision=options.precision).forward_pass
    shape = reader.shape
    matrices = shape.matrix_numbers
    with torch.inference_mode():
        roofs = operations_a_second(reader), bytes_a_second()
        size = 1 if reader.is_native else reader.arrays.itemsize
        value_bytes = int(native_library().value_bytes()) if reader.is_native else 1
        rows = []
        for count in map(int, options.tokens.split(",")):
            floor = max(2 * count * matrices * value_bytes / roofs[0], size * matrices / roofs[1])
            rows.append(row(reader, count, floor))
    head: dict[str, Any] = {
        "precision": str(reader.dtype).removeprefix("torch.") if isinstance(reader, ForwardPass) else "int8",
        "layers": shape.layers,
        "weights in matrices": matrices,
        "billion operations a second": roofs[0] / 1e9,
        "billion bytes a second": roofs[1] / 1e9,
    }
    print_line(
        ", ".join(
            f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in head.items()
        )
    )
    print_text(markdown(list(COLUMNS), [[f"{value:.3g}" for value in each.values()] for each in rows]))
    if options.json:
        options.json.write_text(json.dumps(head | {"rows": rows}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
