"""int8 products are left out cleanly where the processor or the package for them is missing."""

import builtins
import platform
from typing import Any

import pytest
import torch

from cwm_agent.engine.precision import chosen_types
from cwm_agent.engine.products.int8_products import has_int8_products

CPU = torch.device("cpu")


@pytest.mark.parametrize(("machine", "installed"), [("x86_64", True), ("aarch64", False)])
def test_without_int8_products_auto_is_another_type_and_the_name_is_refused(
    machine: str, installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = builtins.__import__

    def importing(name: str, *rest: Any, **more: Any) -> Any:
        if name == "onnxruntime" and not installed:
            raise ImportError(name)
        return plain(name, *rest, **more)

    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(builtins, "__import__", importing)
    has_int8_products.cache_clear()
    try:
        assert not chosen_types("auto", CPU).int8
        with pytest.raises(ValueError, match="int8 needs an ARM processor and the package onnxruntime"):
            chosen_types("int8", CPU)
    finally:
        has_int8_products.cache_clear()
