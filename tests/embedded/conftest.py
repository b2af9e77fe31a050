"""Tests here compute on tiny tensors, where a second thread only waits."""

import torch

torch.set_num_threads(1)
