"""In which types the engine computes: chosen by the machine, or asked for by name."""

from typing import Literal, NamedTuple

import torch

from cwm_agent.engine.native.native_pass import fits, native_library
from cwm_agent.engine.network import Shape

Precision = Literal["auto", "bf16", "fp32", "int8"]


class NumberTypes(NamedTuple):
    """Types of a forward pass."""

    values: torch.dtype
    """Of values between products, of keys and of the caches."""
    int8: bool
    """Whether products with matrices are computed in int8."""


def chosen_types(precision: Precision, device: torch.device, shape: Shape) -> NumberTypes:
    """The types of that name; `auto` is int8 where the library computes it, else bf16 where the machine multiplies it,
    else fp32.

    The library knows some shapes of networks only.
    """
    int8 = device.type == "cpu" and native_library() is not None and fits(shape)
    if precision == "auto":
        bf16 = device.type == "cuda" or (not int8 and _multiplies_bf16())
        return NumberTypes(torch.bfloat16 if bf16 else torch.float32, int8=int8)
    if precision == "int8" and not int8:
        raise ValueError(
            "int8 needs Linux on ARM or on x86 with AVX-512 and VNNI, the library that installation builds where there "
            "is a C compiler, and widths that are multiples of 16. Use fp32, bf16 or auto here."
        )
    return NumberTypes(torch.bfloat16 if precision == "bf16" else torch.float32, int8=precision == "int8")


def _multiplies_bf16() -> bool:
    """Whether the processor multiplies bf16 in hardware."""
    native = getattr(torch.cpu, "_is_amx_tile_supported", None)  # not public, so it may be missing
    return native is not None and bool(native())
