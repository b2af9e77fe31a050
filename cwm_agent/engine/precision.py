"""On which device and in which types the engine computes: chosen by the machine, or asked for by name.

Devices and types are names here, so that torch is imported only where it computes.
"""

import ctypes
from pathlib import Path
from typing import Literal, NamedTuple

from cwm_agent.engine.native.native_pass import fits, native_library
from cwm_agent.engine.shape import Shape

Precision = Literal["auto", "bf16", "fp32", "int8"]
ValueType = Literal["bfloat16", "float32"]
"""The name of a type, as torch calls it."""


class NumberTypes(NamedTuple):
    """Types of a forward pass."""

    values: ValueType
    """Of values between products, of keys and of the caches."""
    int8: bool
    """Whether products with matrices are computed in int8."""


def chosen_types(precision: Precision, device: str, shape: Shape) -> NumberTypes:
    """The types of that name; `auto` is int8 where the library computes it, else bf16 where the machine multiplies it,
    else fp32.

    The library knows some shapes of networks only.
    """
    int8 = device == "cpu" and native_library() is not None and fits(shape)
    if precision == "auto":
        bf16 = device != "cpu" or (not int8 and _multiplies_bf16())
        return NumberTypes("bfloat16" if bf16 else "float32", int8=int8)
    if precision == "int8" and not int8:
        raise ValueError(
            "int8 needs Linux on ARM or on x86 with AVX-512 and VNNI, the library that installation builds where there "
            "is a C compiler, and widths that are multiples of 64. Use fp32, bf16 or auto here."
        )
    return NumberTypes("bfloat16" if precision == "bf16" else "float32", int8=precision == "int8")


def _multiplies_bf16() -> bool:
    """Whether the processor multiplies bf16 in hardware."""
    import torch

    native = getattr(torch.cpu, "_is_amx_tile_supported", None)  # not public, so it may be missing
    return native is not None and bool(native())


def chosen_device(name: str) -> str:
    """The device of that name; `auto` is an accelerator where there is one."""
    if name != "auto":
        return name
    return "cuda" if _has_driver() and _torch_finds_accelerator() else "cpu"


def _torch_finds_accelerator() -> bool:
    import torch

    return torch.cuda.is_available()


def _has_driver() -> bool:
    """Whether a driver of NVIDIA or AMD is installed; without one torch finds no accelerator, and is not asked."""
    if Path("/dev/kfd").exists():
        return True
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True
