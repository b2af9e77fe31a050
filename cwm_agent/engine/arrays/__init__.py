"""Memory of the caches: numpy's where the library computes passes, torch's on any device otherwise.

Open `protocol.py` first; `numpy_arrays.py` and `torch_arrays.py` are its two implementations. Knows no network.
"""
