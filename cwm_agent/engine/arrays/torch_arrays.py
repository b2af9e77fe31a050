"""Tensors of torch, on any device and in any type."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from cwm_agent.engine.arrays.protocol import Places, zero_bytes


@dataclass(frozen=True, slots=True)
class TorchArrays:
    """Memory of one device in one type."""

    dtype: torch.dtype
    device: torch.device

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    def zeros(self, *form: int, exact: bool = False) -> Tensor:
        dtype = torch.float32 if exact else self.dtype
        if self.device.type != "cpu":
            return torch.zeros(form, dtype=dtype, device=self.device)
        memory = torch.from_numpy(zero_bytes(math.prod(form) * dtype.itemsize))  # torch.zeros would write all of them
        return memory.view(dtype).view(form)

    def selected(self, array: Tensor, places: Places) -> Tensor:
        return array.index_select(1, self._indices(places))

    def copy(self, target: Tensor, to: Places, source: Tensor, places: Places) -> None:
        here, there = self._indices(to), self._indices(places)
        for theirs, ours in zip(target, source, strict=True):
            if ours.dtype == theirs.dtype:
                found = as_16_byte_blocks(ours).index_select(0, there)
            else:
                found = as_16_byte_blocks(ours.index_select(0, there).to(theirs.dtype))
            as_16_byte_blocks(theirs).index_copy_(0, here, found)

    def _indices(self, places: Places) -> Tensor:
        return torch.as_tensor(places, dtype=torch.long, device=self.device)


def as_16_byte_blocks(values: Tensor) -> Tensor:
    """The same storage as blocks of sixteen bytes: torch copies a block in the time of a single number."""
    return values.view(torch.complex128)
