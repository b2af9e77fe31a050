"""Tests here compute on tiny tensors, for which a second thread only costs time."""

import torch

from cwm_agent.engine.native.native_pass import native_library

torch.set_num_threads(1)

collect_ignore = [] if native_library() else ["test_native_pass.py", "test_native_tree.py"]
