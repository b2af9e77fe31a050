"""Tests here compute on tiny tensors, for which a second thread only costs time."""

import torch

from cwm_agent.engine.native.native_pass import native_library
from cwm_agent.engine.products.int8_products import has_int8_products

torch.set_num_threads(1)

collect_ignore = [
    *([] if has_int8_products() else ["test_int8_products.py"]),
    *([] if has_int8_products() and native_library() else ["test_native_pass.py"]),
]
